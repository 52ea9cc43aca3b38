import { isHalf, KIND, unitKinds } from '../character-kinds.ts';

/** Lowest share of the answer's 10-token n-grams that already stand in the question (RULES). */
export const MAX_SOLUTION_SHARE = 0.8;
const N = 10;

function tokensOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_`]/gu) ?? [];
}

function grams(tokens: readonly string[]): ReadonlySet<string> {
  const set = new Set<string>();
  for (let i = 0; i + N <= tokens.length; i += 1) set.add(tokens.slice(i, i + N).join(' '));
  return set;
}

/** Share of the answer's 10-token n-grams found in the question; 0 for answers shorter than that. */
export function solutionShare(question: string, answer: string): number {
  const wanted = grams(tokensOf(answer));
  if (wanted.size === 0) return 0;
  const present = grams(tokensOf(question));
  let found = 0;
  for (const gram of wanted) if (present.has(gram)) found += 1;
  return found / wanted.size;
}

const WORDLIKE = KIND.letter | KIND.number;
const UNDERSCORE = 0x5f;
const BACKTICK = 0x60;
const BASE = 0x01000193;
const BASE_TO_N = Array.from({ length: N }).reduce((power: number) => Math.imul(power, BASE), 1);

/** One hash for each token, equal for equal tokens; null for a text with surrogate pairs. */
function tokenHashes(text: string): Int32Array | null {
  const lower = text.toLowerCase();
  const out = new Int32Array(lower.length);
  let count = 0;
  let hash = 0;
  for (let at = 0; at < lower.length; at += 1) {
    const unit = lower.charCodeAt(at);
    if (isHalf(unit)) return null;
    const kinds = unitKinds(unit);
    if (unit === UNDERSCORE || (kinds & WORDLIKE) !== 0) {
      hash = Math.imul(hash ^ unit, BASE) | 1;
      continue;
    }
    if (hash !== 0) out[count++] = hash;
    hash = 0;
    if (unit !== BACKTICK && (kinds & KIND.space) === 0) out[count++] = unit << 1;
  }
  if (hash !== 0) out[count++] = hash;
  return out.subarray(0, count);
}

/** Hashes of all runs of N tokens, in order. */
function gramHashes(tokens: Int32Array): Int32Array {
  const out = new Int32Array(Math.max(0, tokens.length - N + 1));
  let hash = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    hash = (Math.imul(hash, BASE) + (tokens[at] as number)) | 0;
    if (at >= N) hash = (hash - Math.imul(tokens[at - N] as number, BASE_TO_N)) | 0;
    if (at >= N - 1) out[at - N + 1] = hash;
  }
  return out;
}

/** Whether the share surely stays below a bound. Equal n-grams have equal hashes, so one whose hash the question lacks is missing there. */
function surelyBelow(bound: number, question: string, answer: string): boolean {
  const given = tokenHashes(question);
  const wanted = tokenHashes(answer);
  if (given === null || wanted === null) return false;
  const hashes = gramHashes(wanted);
  const present = new Set(gramHashes(given));
  // One more than the bound allows, so that rounding decides nothing here.
  const mostMissing = (1 - bound) * hashes.length + 1;
  const missing = new Set<number>();
  for (const hash of hashes) {
    if (present.has(hash)) continue;
    missing.add(hash);
    if (missing.size > mostMissing) return true;
  }
  return hashes.length === 0;
}

/** Whether the answer already stands in the question to at least a share: what `solutionShare` says, at a fraction of its time where it says no. */
export function hasSolution(question: string, answer: string, share: number = MAX_SOLUTION_SHARE): boolean {
  return !surelyBelow(share, question, answer) && solutionShare(question, answer) >= share;
}
