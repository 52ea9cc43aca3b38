import { contentStems, words } from '../../../stages/text/words.ts';
import { hasFirstPerson } from '../text/person.ts';
import { BASE_VERBS } from '../text/verbs.ts';

const NOUNS =
  'input|output|array|arrays|string|strings|list|lists|function|method|class|file|files|graph|tree|matrix|grid|sequence|number|numbers|value|values|integer|integers|element|elements|length|size|program|solution|signature|constructor|node|nodes|edge|edges|vector|table|database|server|script|library|version|model|network|dataset|data|image|images|agent|system|code|line|lines|test|tests|query|queries|word|words|letter|letters|character|characters|student|students|player|players|item|items|key|keys|field|fields|order|answer|result|results|cell|cells|column|columns|row|rows|user|users|point|points|module|package|process|thread|threads|request|requests|response|service|algorithm|parameter|parameters|argument|arguments';
const SUBJECT = new RegExp(`^(?:the|each|every|all|both|two|three|an?|any|no)\\s+(?:[\\w'\`$-]+\\s+){0,5}?(?:${NOUNS})\\b`, 'i');
const VERB =
  /\b(?:is|are|was|contains?|consists?|has|have|must|should|will|cannot|can|do not|does not|returns?|takes?|accepts?|holds?|starts?|ends?|uses?|gives?|denotes?|represents?|runs?|stores?|begins?)\b/i;
const GUARANTEE =
  /^(?:it is (?:also )?(?:guaranteed|known|given) that|(?:you|we) (?:may|can|should) (?:also )?assume(?: that)?|assume(?: that)?|suppose(?: that)?|given that|recall that|remember that)\s+(?!.*\byou\b)/i;
const GIVEN = /^(?:you are|you have been|you're|we are) (?:also )?(?:given|provided with)\s+/i;

const NOT_A_FACT =
  /[?|]|\.\.\.|…|-{3,}|={3,}|^[#>*]|\*\*|\b(?:example|sample|explanation|case|following|above|below|your task|please|thanks|this|these|those)\b/i;
const OWNED =
  /^the (?:input|output|function|method|class|program|solution|array|string|list|graph|file|signature|constructor|script|data|dataset|model|network|system|server|database|table|matrix|grid|tree|text|code|shift|board)\b/i;

function bounded(text: string): string | null {
  const count = words(text).length;
  return count >= 6 &&
    count <= 36 &&
    text.length <= 240 &&
    contentStems(text).length >= 3 &&
    !hasFirstPerson(text) &&
    !/\byou(?:r|'re)?\b/i.test(text)
    ? text
    : null;
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]*\b/.test(text) && /^(?:The|Each|Every|All|Both|Two|Three|An?|Any|No|It|There)\b/.test(text)
    ? `${text.charAt(0).toLowerCase()}${text.slice(1)}`
    : text;
}

/** Whether a row sets a programming task rather than asks about one: only then are its bare statements guarantees. */
export function setsTask(text: string): boolean {
  return /(?:^|[.\n]\s*)(?:write|implement|print|return|complete|create|design|rewrite|propose|output|read|find|given|explain how)\b|-{3,}\s*input/i.test(
    text,
  );
}

/** A statement opened in the middle of another sentence: a first word that is no name gets a small letter. */
function opened(text: string, row: string): string {
  const lowered = lowerFirst(text);
  const word = /^[A-Z][a-z]+\b/.exec(text)?.[0];
  if (lowered !== text || word === undefined) return lowered;
  return new RegExp(`[a-z,] ${word.toLowerCase()}\\b`).test(row) || /(?:s|ed|ing)$/.test(word)
    ? `${text.charAt(0).toLowerCase()}${text.slice(1)}`
    : text;
}

/** An input guarantee, limit or interface of a task as a fact about the user's task, or null; `row` is the whole statement it stands in. */
export function taskFact(sentence: string, row: string): string | null {
  const bare = sentence
    .replace(/\s+/g, ' ')
    .replace(/[\s.:;,!]+$/, '')
    .trim();
  if (bare === '' || NOT_A_FACT.test(bare) || BASE_VERBS.has((/^[A-Za-z]+/.exec(bare)?.[0] ?? '').toLowerCase())) return null;
  const guarantee = GUARANTEE.exec(bare);
  if (guarantee !== null) {
    const rest = bare.slice(guarantee[0].length);
    return VERB.test(rest) ? bounded(`In the user's task it is guaranteed that ${opened(rest, row)}.`) : null;
  }
  const given = GIVEN.exec(bare);
  if (given !== null) return bounded(`In the user's task the program is given ${opened(bare.slice(given[0].length), row)}.`);
  const start = bare.split(/\s+/).slice(0, 4).join(' ');
  if (
    !VERB.test(bare) ||
    /\b(?:it|they|them|he|she|its|their|there)\b/i.test(start) ||
    /^(?:if|when|while|since|but|and|so|then|after|before|because|for example)\b/i.test(bare)
  )
    return null;
  if (!SUBJECT.test(bare) && !setsTask(row)) return null;
  if (OWNED.test(bare)) return bounded(`The user's ${bare.slice(4)}.`);
  return bounded(`In the user's task, ${opened(bare, row)}.`);
}
