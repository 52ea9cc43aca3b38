import { STOP_WORDS, contentStems, stem, words } from '../../../stages/text/words.ts';

const NUMBER_WORD =
  /^(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|hundred|thousand)$/;
const MAX_TERMS = 6;

interface Run {
  from: number;
  to: number;
}

/** Stems of everything the given texts say, stop words out. */
export function stemsOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => contentStems(text)));
}

/**
 * The request terms a query needs beside the given memory stems: runs of shared words, at most six of at most six words.
 * Null when that is not enough, or when a number or an identifier is shared: such a query cannot be kept.
 */
export function requestTerms(query: string, memoryStems: ReadonlySet<string>): readonly string[] | null {
  const pieces = [...query.matchAll(/[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu)];
  const runs: Run[] = [];
  for (const [at, piece] of pieces.entries()) {
    const lower = words(piece[0])[0] ?? '';
    if (STOP_WORDS.has(lower) || !memoryStems.has(stem(lower))) continue;
    if (
      /\p{N}/u.test(lower) ||
      NUMBER_WORD.test(lower) ||
      /[_`]/.test(query.slice(Math.max(0, piece.index - 1), piece.index + piece[0].length + 1))
    )
      return null;
    const last = runs.at(-1);
    if (last !== undefined && last.to === at - 1) last.to = at;
    else runs.push({ from: at, to: at });
  }
  while (runs.length > MAX_TERMS) {
    const gaps = runs.slice(1).map((run, at) => ({ at, gap: run.from - (runs[at]?.to ?? 0), length: run.to - (runs[at]?.from ?? 0) + 1 }));
    const best = gaps.filter((gap) => gap.length <= 6).sort((a, b) => a.gap - b.gap)[0];
    const left = best === undefined ? undefined : runs[best.at];
    const right = best === undefined ? undefined : runs[best.at + 1];
    if (best === undefined || left === undefined || right === undefined) return null;
    runs.splice(best.at, 2, { from: left.from, to: right.to });
  }
  const terms = runs.map((run) => {
    const first = pieces[run.from];
    const last = pieces[run.to];
    return first === undefined || last === undefined ? '' : query.slice(first.index, last.index + last[0].length);
  });
  return terms.every((term) => term.length <= 80 && term.split(/\s+/).length <= 6) ? [...new Set(terms)] : null;
}
