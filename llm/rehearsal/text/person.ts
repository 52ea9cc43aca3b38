import { withoutRelativeDates } from './dates.ts';
import { shield } from './shield.ts';
import { ALSO_NOUNS, BASE_VERBS, isPast, thirdPerson } from './verbs.ts';

const FIXED = new Map<string, string>([
  ['am', 'is'],
  ['have', 'has'],
  ["haven't", "hasn't"],
  ["don't", "doesn't"],
  ['do', 'does'],
]);
const UNCHANGED = new Set(
  (
    'was had did would could can will shall should may might must cannot used has is ' +
    "can't couldn't wouldn't didn't wasn't hadn't won't shouldn't mustn't"
  ).split(' '),
);
const GOVERNING = new Set(
  "do don't does can could will would shall should may might must cannot can't couldn't wouldn't won't shouldn't did didn't".split(' '),
);
const AUXILIARIES = /^(?:am|do|did|can|could|should|will|would|shall|may|might|must|have|had|was)$/i;
const ADVERB =
  /^(?:also|always|often|never|just|still|sometimes|only|already|even|now|then|first|almost|ever|once|mostly|[a-z]{2,}ly|not|both|all|each|never)$/i;
const NUMERAL_BEFORE =
  /^(?:war|class|type|stage|phase|grade|part|axis|bipolar|factor|level|volume|chapter|category|appendix|calculus|physics|schedule)$/i;
const NEW_SUBJECT = /^(?:he|she|it|they|who|which|that|because|when|if|while|my|although|since|where|the)$/i;
const AFTER_VERB = /^(?:my|a|an|the|to|with|in|at|for|on|it|up|from|about|some|any|very|too|well|out|over|off|them|him|her|no)$/i;

type Tense = 'none' | 'present' | 'governed';

interface Walk {
  readonly out: string[];
  tense: Tense;
  /** True once an infinitive stands between the verb and a coordinator. */
  infinitive: boolean;
  failed: boolean;
}

const isWord = (token: string | undefined): boolean => token !== undefined && /^[A-Za-z]/.test(token);

function nextWord(tokens: readonly string[], from: number): number {
  for (let at = from; at < tokens.length; at += 1) if (isWord(tokens[at])) return at;
  return tokens.length;
}

function previousWord(tokens: readonly string[], from: number): string {
  for (let at = from; at >= 0; at -= 1) if (isWord(tokens[at])) return tokens[at] ?? '';
  return '';
}

const PAST_TIME = /\b(?:ago|yesterday|last|when i was|in (?:19|20)\d\d|previously|once|earlier)\b/i;

/** The verb after "I" in the third person, or null when its form is not known. */
function agree(verb: string, sentence: string): string | null {
  const lower = verb.toLowerCase();
  const fixed = FIXED.get(lower);
  if (fixed !== undefined) return fixed;
  if (UNCHANGED.has(lower)) return lower;
  const past = isPast(lower);
  if (BASE_VERBS.has(lower) && !(past && PAST_TIME.test(sentence))) return thirdPerson(lower);
  return past ? lower : null;
}

/** Writes the verb phrase that follows "I" at `at`; returns the index of the verb. */
function conjugateAfter(walk: Walk, tokens: readonly string[], at: number, sentence: string): number {
  let verbAt = nextWord(tokens, at + 1);
  while (verbAt < tokens.length && ADVERB.test(tokens[verbAt] ?? '')) verbAt = nextWord(tokens, verbAt + 1);
  const gap = tokens.slice(at + 1, verbAt).join('');
  const verb = tokens[verbAt];
  const agreed = verb === undefined || /[.;:!]/.test(gap) ? null : agree(verb, sentence);
  if (verb === undefined || agreed === null) {
    walk.failed = true;
    return at;
  }
  walk.out.push(gap, agreed);
  const lower = verb.toLowerCase();
  const isAuxiliaryDo = lower === 'do' && /^(?:not|n't)$/i.test(tokens[nextWord(tokens, verbAt + 1)] ?? '');
  walk.tense = isAuxiliaryDo || (lower !== 'do' && GOVERNING.has(lower)) ? 'governed' : agreed === lower ? 'none' : 'present';
  if (lower === 'had' || lower === 'was' || lower === 'used') walk.tense = 'none';
  walk.infinitive = false;
  return verbAt;
}

const CONTRACTIONS = new Map([
  ["i'm", 'am'],
  ["i've", 'have'],
  ["i'll", 'will'],
]);

/** "I'd" is "would" before a wish, else "had". */
function openContraction(token: string, following: string): readonly string[] {
  const lower = token.toLowerCase();
  const verb = CONTRACTIONS.get(lower);
  if (verb !== undefined) return ['I', ' ', verb];
  if (lower === "i'd")
    return ['I', ' ', /^(?:like|love|prefer|rather|want|be|also|really|need|hate|say)$/i.test(following) ? 'would' : 'had'];
  if (lower === "we're") return ['we', ' ', 'are'];
  if (lower === "we've") return ['we', ' ', 'have'];
  if (lower === "we'll") return ['we', ' ', 'will'];
  return [token];
}

function tokenize(text: string): readonly string[] {
  const raw = text.match(/[A-Za-z]+(?:'[A-Za-z]+)?|[^A-Za-z]+/g) ?? [];
  return raw.flatMap((token, at) => openContraction(token, raw[nextWord(raw, at + 1)] ?? ''));
}

/** The word before, adverbs skipped: "and never drink" is joined by "and". */
function joiner(tokens: readonly string[], from: number): string {
  for (let at = from; at >= 0; at -= 1) {
    const token = tokens[at] ?? '';
    if (isWord(token) && !ADVERB.test(token)) return token.toLowerCase();
  }
  return '';
}

/** Whether a word opens a clause with a subject of its own; "it" and "the" also stand as objects. */
function opensSubject(walk: Walk, lower: string, before: string): boolean {
  if (!NEW_SUBJECT.test(lower) || lower === 'my') return false;
  if (lower === 'the') return walk.tense === 'none';
  return lower !== 'it' || before === '' || /^(?:and|or|but|because|when|if|that|so|while|since)$/i.test(before);
}

/** A base verb that is coordinated with the user's present tense verb takes its ending too. */
function coordinate(walk: Walk, tokens: readonly string[], at: number): string {
  const token = tokens[at] ?? '';
  const lower = token.toLowerCase();
  if (walk.tense !== 'present' || walk.infinitive || !/^(?:and|or|but|then)$/.test(joiner(tokens, at - 1))) return token;
  if (lower === 'have' || lower === 'am' || lower === "don't" || lower === "haven't") return FIXED.get(lower) ?? token;
  if (!BASE_VERBS.has(lower)) return token;
  const following = tokens[nextWord(tokens, at + 1)] ?? '';
  if (ALSO_NOUNS.has(lower) && !AFTER_VERB.test(following)) {
    const direct =
      /^\s*$/.test(tokens[at - 1] ?? '') && walk.out.length >= 4 && walk.out.at(-4)?.endsWith('s') === true && following === '';
    return direct ? thirdPerson(lower) : token;
  }
  return thirdPerson(lower);
}

function possessive(word: string, group: string): string | null {
  switch (word) {
    case 'me':
      return 'the user';
    case 'my':
      return "the user's";
    case 'myself':
      return 'themselves';
    case 'we':
    case 'us':
      return group;
    case 'our':
      return "the user's";
    default:
      return null;
  }
}

function isNumeral(tokens: readonly string[], at: number): boolean {
  const token = tokens[at];
  if (token !== 'I') return false;
  return (
    NUMERAL_BEFORE.test(previousWord(tokens, at - 1)) ||
    /^\/[A-Z]?/.test(tokens[at + 1] ?? '') ||
    (tokens[at - 1] ?? '').endsWith('/') ||
    /^-\d/.test(tokens[at + 1] ?? '')
  );
}

function walkTokens(tokens: readonly string[], sentence: string, group: string): string | null {
  const walk: Walk = { out: [], tense: 'none', infinitive: false, failed: false };
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    const lower = token.toLowerCase();
    const before = previousWord(tokens, at - 1);
    if (lower === 'i' && !isNumeral(tokens, at)) {
      if (AUXILIARIES.test(before)) return null;
      walk.out.push('the user');
      if (before.toLowerCase() === 'and' && !walk.out.join('').includes('the user ')) continue;
      at = conjugateAfter(walk, tokens, at, sentence);
      if (walk.failed) return null;
      continue;
    }
    const replaced = possessive(lower, group);
    if (replaced !== null && token !== 'US') {
      walk.out.push(replaced);
      if (lower === 'we') walk.tense = 'none';
      continue;
    }
    if (opensSubject(walk, lower, before)) walk.tense = 'none';
    if (lower === 'to' && BASE_VERBS.has((tokens[nextWord(tokens, at + 1)] ?? '').toLowerCase())) walk.infinitive = true;
    walk.out.push(coordinate(walk, tokens, at));
  }
  return walk.out.join('');
}

const FIRST_PERSON_LEFT = /\b(?:i|i'm|i've|i'd|me|my|mine|myself|we|us|our|ours|ourselves|im|ive)\b/i;

/** Whether first person is left outside code, quotations and look-alikes such as "type I" or "I/O". */
export function hasFirstPerson(text: string): boolean {
  const bare = shield(text)
    .text.replace(/\bI\/O\b|\b[A-Z]\/I\b/g, ' ')
    .replace(
      /\b(war|class|type|stage|phase|grade|part|axis|bipolar|factor|level|volume|chapter|category|appendix|calculus|physics|schedule) I\b/gi,
      ' ',
    )
    .replace(/\bUS\b/g, ' ');
  return FIRST_PERSON_LEFT.test(bare);
}

/**
 * One first-person statement in the third person ("I have been taking X" → "The user has been taking X."),
 * or null when it cannot be rewritten without guessing. `group` stands for "we".
 */
export function toThirdPerson(sentence: string, group = 'the user and the people close to the user'): string | null {
  const shielded = shield(sentence.replaceAll('’', "'"));
  const cleaned = shielded.text
    .replace(/\s+/g, ' ')
    .replace(/\bim\b/gi, "I'm")
    .replace(/\bive\b/gi, "I've")
    .replace(/\bdont\b/gi, "don't")
    .replace(/\b(my|mine) own\b/gi, 'my own')
    .replace(/[\s.,;:!\-–—]+$/, '')
    .trim();
  if ((cleaned.match(/\(/g) ?? []).length !== (cleaned.match(/\)/g) ?? []).length) return null;
  if (cleaned === '' || /\bmine\b|\bours\b|\bourselves\b|\blet's\b/i.test(cleaned)) return null;
  const walked = walkTokens(tokenize(cleaned), cleaned, group);
  if (walked === null) return null;
  const dated = withoutRelativeDates(walked).replace(/\s+/g, ' ').replace(/\s+,/g, ',').trim();
  const text = shielded.restore(`${dated.charAt(0).toUpperCase()}${dated.slice(1)}.`);
  return hasFirstPerson(text) ? null : text;
}
