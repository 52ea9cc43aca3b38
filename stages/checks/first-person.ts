/** Text without code spans, fences and quotations: what is left speaks in the writer's own voice. */
export function ownVoice(text: string): string {
  return text
    .replace(/```[\s\S]*?```|`+[^`]*`+/g, ' ` ')
    .replace(/"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»/g, ' " ')
    .replace(/(?<![\p{L}\p{N}])['‘](?=\S)[^'’\n]*?(?:['’](?=\p{L})[^'’\n]*?)*['’](?![\p{L}\p{N}])/gu, ' " ');
}

const FIRST_PERSON_VERB =
  /^\s+(?:am|have|had|was|will|would|could|can|should|do|did|don['’]t|want|wanted|need|needed|think|thought|like|feel|felt|take|took|use|used|know|knew|live|lived|work|worked|got|get|went|go|started|stopped|tried|told|met|saw|see|found|made|bought|ate|moved|plan|planned|hope|wrote|run|ran|noticed|said|also|never|always|just|still)\b/i;

const CONNECTIVES =
  /^(?:And|But|When|Whenever|While|If|Because|That|What|Where|So|Then|As|Since|Before|After|Today|Yes|No|Should|Can|Could|Would)$/;
const RULERS =
  /^(?:Alexander|Catherine|Charles|Edward|Elizabeth|Ferdinand|Francis|Frederick|George|Henry|James|Leopold|Louis|Mary|Napoleon|Nicholas|Otto|Peter|Philip|Richard|Wilhelm|William)$/;

/** A capital I that is a numeral or a name: "World War I", "class I", "I/O", "Elizabeth I". */
function isNumeralOne(before: string, after: string): boolean {
  if (/^[/.](?=\S)|^-\p{Lu}|^-\d|^-(?:beam|joist|codes?)/u.test(after)) return true;
  if (before.trim() === '') return false;
  if (after.startsWith('&') || /[/&\d-]$/.test(before)) return true;
  if (FIRST_PERSON_VERB.test(after)) return false;
  const previous = /([\p{L}]+)\s+$/u.exec(before)?.[1] ?? '';
  if (
    /^(?:type|class|phase|stage|part|grade|level|chapter|book|volume|act|title|schedule|group|tier|category|factor|division|section)s?$/i.test(
      previous,
    )
  )
    return true;
  // "World War I": a name inside the sentence. A capitalised word that opens one ("Should I") is none, rulers apart.
  const inside = /[\p{L}\p{N}][^.!?:;,]*\s\p{Lu}\p{Ll}+\s+$/u.test(before);
  return (inside && !CONNECTIVES.test(previous)) || RULERS.test(previous);
}

/** First person of a text outside code spans and quotations, as it stands there; empty when there is none. */
export function firstPerson(text: string): readonly string[] {
  const voice = ownVoice(text);
  const found: string[] = [];
  for (const match of voice.matchAll(/(?<![\p{L}\p{N}_'’-])(I(?:['’](?:m|ve|d|ll))?)(?![\p{L}\p{N}_'’])/gu)) {
    const word = match[1] ?? '';
    if (word === 'I' && isNumeralOne(voice.slice(0, match.index), voice.slice(match.index + 1))) continue;
    found.push(word);
  }
  for (const match of voice.matchAll(
    /(?<![\p{L}\p{N}_'’./-])(i['’](?:m|ve|ll)|i(?= (?:am|have|was|had)\b)|[mM]y|[mM]e|[mM]yself|[wW]e|[oO]urs?|[oO]urselves|[uU]s)(?![\p{L}\p{N}_/]|-\p{L}|['’]s\b|\.\w)/gu,
  )) {
    const title = /^[MO]/.test(match[0]) && match.index > 0 && /^\s+\p{Lu}/u.test(voice.slice(match.index + match[0].length));
    if (!title && !/^(?:Us|Me)$/.test(match[0])) found.push(match[0]);
  }
  for (const match of voice.matchAll(
    /\bof (mine)\b(?!\s+(?:workers?|closures?|shafts?|owners?|tailings|water))|^(mine)\s+(?:is|are|was|were|has|had)\b/gi,
  ))
    found.push(match[1] ?? match[2] ?? 'mine');
  return found;
}
