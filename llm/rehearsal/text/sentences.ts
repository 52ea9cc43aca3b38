/** A sentence of a text with its exact place: `text.slice(start, end)`. */
export interface Sentence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const ABBREVIATION =
  /(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|vs|etc|approx|no|fig|eq|e\.g|i\.e|a\.m|p\.m|inc|jr|sr|cf|resp|max|min|tab|cap|inj)\.$/i;
const FENCE = /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)/g;

/** Blanks out fenced code (same length), so that offsets keep and no sentence is taken from code. */
function withoutFences(text: string): string {
  return text.replace(FENCE, (block) => `\n${' '.repeat(Math.max(0, block.length - 2))}\n`.slice(0, block.length));
}

function endsSentence(text: string, at: number, from: number): boolean {
  const mark = text[at] ?? '';
  const next = text[at + 1] ?? ' ';
  if (mark === '?' || mark === '!') return !/[?!.)"'”’]/.test(next);
  if (mark !== '.') return false;
  if (/(?:^|[\s(])[a-z]$/.test(text.slice(Math.max(from, at - 2), at))) return false;
  if (/\s/.test(next)) return !ABBREVIATION.test(text.slice(Math.max(from, at - 8), at + 1));
  // "medicine.I also": a forgotten blank, but neither "3.8" nor "foo.Bar()".
  return (
    /[a-z)]/.test(text[at - 1] ?? '') &&
    /[A-Z]/.test(next) &&
    /^[A-Z][a-z']*\s/.test(text.slice(at + 1, at + 16)) &&
    /\s[a-z]+$/.test(text.slice(Math.max(from, at - 16), at))
  );
}

/** Whether a line break ends the sentence: not where a wrapped line goes on in lower case. */
function endsLine(text: string, at: number): boolean {
  const before = text.slice(0, at).trimEnd();
  return !(/[a-z,]$/.test(before) && /^\n[ \t]*[a-z]/.test(text.slice(at, at + 40)) && text[at + 1] !== '\n');
}

function push(out: Sentence[], text: string, from: number, to: number): void {
  const raw = text.slice(from, to);
  const lead = /^[\s>*#•\-–—]*(?:\d{1,2}[.)]\s+)?/.exec(raw)?.[0].length ?? 0;
  const body = raw.slice(lead).trimEnd();
  if (body !== '') out.push({ text: body, start: from + lead, end: from + lead + body.length });
}

/** Splits prose into sentences with exact offsets; fenced code is left out, bullets and list numbers are cut off. */
export function splitSentences(source: string): readonly Sentence[] {
  const text = withoutFences(source);
  const out: Sentence[] = [];
  let from = 0;
  let inCode = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '`') inCode = !inCode;
    const ends = text[at] === '\n' ? endsLine(text, at) : !inCode && endsSentence(text, at, from);
    if (text[at] === '\n' && ends) inCode = false;
    if (!ends) continue;
    push(out, text, from, at + 1);
    from = at + 1;
  }
  push(out, text, from, text.length);
  return out;
}
