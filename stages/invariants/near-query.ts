import { comparableText } from './wording.ts';

/** Queries kept so far, asked for those that are the same or nearly the same as another. */
export interface NearQueryIndex {
  /** Ids of added queries that are near-duplicates of this one, in order of addition. */
  matches(query: string): readonly string[];
  add(id: string, query: string): void;
}

const ANSWER_CONTRACT = /\s*\p{Lu}[^.?!]*\b(?:in prose|code blocks?)\b[^.?!]*[.?!]\s*$/u;
const SHORT_QUERY_WORDS = 12;

/**
 * The query without the answer contract that ends coding queries: the contract makes no two queries alike (RULES).
 * A query that is one sentence is no contract, whatever words it holds.
 */
export function withoutAnswerContract(query: string): string {
  const rest = query.replace(ANSWER_CONTRACT, '');
  return rest.trim() === '' ? query : rest;
}

/** 52-bit number of a shingle (two rounds of FNV-1a): equal shingles, equal numbers. */
function shingleNumber(shingle: string): number {
  let low = 0x811c9dc5;
  let high = 0x2f0b4f35;
  for (let at = 0; at < shingle.length; at++) {
    const unit = shingle.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ (unit + 0x9e37), 0x01000193) ^ (high >>> 13);
  }
  return (low >>> 0) * 1_048_576 + ((high >>> 0) & 0xfffff);
}

function shingles(list: readonly string[], size: number): Float64Array {
  const found = new Set<number>();
  for (let at = 0; at < Math.max(1, list.length - size + 1); at++) found.add(shingleNumber(list.slice(at, at + size).join(' ')));
  return Float64Array.from(found).sort();
}

function jaccard(a: Float64Array, b: Float64Array): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const difference = (a[i] ?? 0) - (b[j] ?? 0);
    if (difference === 0) shared += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return shared / (a.length + b.length - shared);
}

/** Sets with an inverted index over their first shingles: two sets at or above the threshold always share one there. */
class ShingleIndex {
  private readonly entries: { readonly owner: number; readonly set: Float64Array }[] = [];
  private readonly postings = new Map<number, number[]>();
  private readonly threshold: number;

  constructor(threshold: number) {
    this.threshold = threshold;
  }

  private prefix(set: Float64Array): Float64Array {
    return set.subarray(0, set.length - Math.ceil(this.threshold * set.length - 1e-9) + 1);
  }

  add(owner: number, set: Float64Array): void {
    const at = this.entries.push({ owner, set }) - 1;
    for (const item of this.prefix(set)) {
      const list = this.postings.get(item);
      if (list === undefined) this.postings.set(item, [at]);
      else list.push(at);
    }
  }

  matches(set: Float64Array): ReadonlySet<number> {
    const seen = new Set<number>();
    const near = new Set<number>();
    for (const item of this.prefix(set)) {
      for (const at of this.postings.get(item) ?? []) {
        const entry = this.entries[at];
        if (entry === undefined || seen.has(at)) continue;
        seen.add(at);
        if (jaccard(set, entry.set) >= this.threshold) near.add(entry.owner);
      }
    }
    return near;
  }
}

interface QueryShingles {
  readonly isShort: boolean;
  readonly five: Float64Array;
  readonly three: Float64Array;
  /** Five-shingles in which an identifier such as `max_depth` is one word. */
  readonly identifiers: Float64Array;
}

function readQuery(query: string): QueryShingles {
  const text = withoutAnswerContract(query);
  const list = comparableText(text).split(' ');
  const whole = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [''];
  return { isShort: list.length < SHORT_QUERY_WORDS, five: shingles(list, 5), three: shingles(list, 3), identifiers: shingles(whole, 5) };
}

/**
 * The exact index: Jaccard over word 5-shingles, and over 3-shingles when one of the two has under 12 words (RULES, duplicates).
 * Identifiers count both as one word and as several: two queries are near when they are so either way.
 * Numbers instead of texts and a prefix index keep 15,000 queries within a few megabytes.
 */
export function exactNearQueryIndex(threshold = 0.8): NearQueryIndex {
  const ids: string[] = [];
  const shortOnes = new Set<number>();
  const [long, brief, identifiers] = [new ShingleIndex(threshold), new ShingleIndex(threshold), new ShingleIndex(threshold)];
  const couldMatchShort = (three: Float64Array): boolean => three.length * threshold <= SHORT_QUERY_WORDS - 3;
  return {
    add: (id, query) => {
      const read = readQuery(query);
      const at = ids.push(id) - 1;
      if (read.isShort) shortOnes.add(at);
      long.add(at, read.five);
      identifiers.add(at, read.identifiers);
      if (couldMatchShort(read.three)) brief.add(at, read.three);
    },
    matches: (query) => {
      const read = readQuery(query);
      const near = new Set([...long.matches(read.five), ...identifiers.matches(read.identifiers)]);
      if (couldMatchShort(read.three)) {
        for (const at of brief.matches(read.three)) if (read.isShort || shortOnes.has(at)) near.add(at);
      }
      return [...near].sort((a, b) => a - b).flatMap((at) => ids[at] ?? []);
    },
  };
}
