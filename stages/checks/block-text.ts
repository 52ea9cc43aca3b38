import type { Flag } from '../../schemas/workpiece.ts';
import type { Breach } from '../settle.ts';
import { strayBenchmarkWords } from './benchmark-words.ts';
import { COVERAGE_REJECT, COVERAGE_REPAIR, lostAtoms } from './block-coverage.ts';
import { addedNumbers, missingCriticalTokens } from './critical-tokens.ts';
import { lengthProblem } from './length-band.ts';
import { paragraphProblem } from './one-paragraph.ts';

/** A block of several atoms as naturalization checks it; `knownNames` are names that may begin an atom. */
export interface BlockText {
  readonly block: string;
  readonly atoms: readonly string[];
  readonly knownNames: readonly string[];
}

const PARAGRAPH_MESSAGES = {
  line_break: 'write one paragraph on one line',
  list_marker: 'write plain sentences without bullets, numbers or headings',
} as const;

/** What is wrong with the text of a block (RULES, naturalization); a repaired text may cover an atom less before it is refused. */
export function blockBreaches({ atoms, knownNames }: BlockText, text: string, repaired: boolean): readonly Breach[] {
  const path = 'memory_text';
  const breaches: Breach[] = [];
  const paragraph = paragraphProblem(text);
  if (paragraph !== null) breaches.push({ rule: 'not_one_paragraph', path, message: PARAGRAPH_MESSAGES[paragraph] });
  for (const { n } of lostAtoms(atoms, text, repaired ? COVERAGE_REJECT : COVERAGE_REPAIR))
    breaches.push({ rule: 'atom_lost', path, message: `atom ${n} is missing or too freely reworded; keep its own key words` });
  for (const [index, tokens] of missingCriticalTokens(atoms, text, knownNames).entries()) {
    const missing = tokens.map(({ value }) => `"${value}"`);
    if (missing.length > 0)
      breaches.push({ rule: 'critical_token_lost', path, message: `atom ${index + 1} needs ${missing.join(', ')} in the text` });
  }
  const length = lengthProblem(atoms, text);
  if (length !== null)
    breaches.push({
      rule: length,
      path,
      message: length === 'too_short' ? 'it is too short to hold every atom' : 'it is too long: add nothing',
    });
  const stray = strayBenchmarkWords(atoms, text);
  if (stray.length > 0)
    breaches.push({ rule: 'benchmark_word', path, message: `no atom holds ${stray.map((word) => `"${word}"`).join(', ')}; leave it out` });
  return breaches;
}

/** Soft findings on an accepted block: an atom thinly covered after its repair turn, numbers that no atom holds. */
export function blockFlags({ block, atoms }: BlockText, text: string): readonly Flag[] {
  return [
    ...lostAtoms(atoms, text, COVERAGE_REPAIR).map(({ n, share }) => ({
      rule: 'thin_coverage',
      where: block,
      detail: `atom ${n} at ${share.toFixed(2)}`,
    })),
    ...addedNumbers(atoms, text).map((value) => ({ rule: 'added_number', where: block, detail: value })),
  ];
}
