import type { Breach } from '../settle.ts';
import { contentStems } from '../text/words.ts';
import { OWN_SUPPORT, supportedAtoms, supportShare, swappedWith, type SupportedAtom } from './rubric-support.ts';
import { knownValues, strayValues } from './rubric-values.ts';

/** What a rubric is checked against, made ready once for all rubrics of an example. */
export interface RubricGround {
  readonly query: string;
  readonly atoms: readonly { readonly key: string; readonly text: string }[];
  readonly supported: readonly SupportedAtom[];
  /** Values of the query and of all atoms: what rubrics of A atoms may name. */
  readonly values: ReadonlySet<string>;
}

/** Makes query and atoms of an example ready for checking its rubrics. */
export function rubricGround(query: string, atoms: RubricGround['atoms']): RubricGround {
  return { query, atoms, supported: supportedAtoms(atoms, query), values: knownValues([query, ...atoms.map(({ text }) => text)]) };
}

const NAMES_THE_IDEAL = /\b(?:ideal|intended|target|desired|expected|correct|right|appropriate|u_star)\s+(?:level|use|case|answer)\b/iu;

/**
 * Rules on the written words of one rubric: about its own atom more than about any other, no value that neither atom nor query holds
 * (A atoms may name what other atoms hold), and criteria that do not say which level is wanted.
 */
export function rubricBreaches(
  own: { readonly key: string; readonly text: string },
  written: { readonly text: string; readonly criteria: string; readonly ignored: boolean },
  { query, supported, values }: RubricGround,
): readonly Breach[] {
  const path = own.key;
  const breaches: Breach[] = [];
  const stems = new Set(contentStems(written.text));
  const atom = supported.find(({ key }) => key === own.key);
  const support = atom === undefined ? null : supportShare(atom, stems);
  const swapped = swappedWith(own.key, stems, supported);
  if (swapped !== null)
    breaches.push({
      rule: 'rubric_swapped',
      path,
      message: `it reads as if written for ${swapped}; write it for ${path}, in the words of ${path}`,
    });
  else if (support !== null && support < OWN_SUPPORT)
    breaches.push({
      rule: 'rubric_unsupported',
      path,
      message: `it shares hardly a word with its atom; use its key words, such as ${keyWords(own.text, query)}`,
    });
  const stray = strayValues(written.text, written.ignored ? values : knownValues([own.text, query]));
  if (stray.length > 0)
    breaches.push({
      rule: 'rubric_value',
      path,
      message: `neither the atom nor the query holds ${stray.map((value) => `"${value}"`).join(', ')}; name the operation, not its result`,
    });
  if (NAMES_THE_IDEAL.test(written.criteria))
    breaches.push({ rule: 'criterion_reveals_level', path, message: 'the three criteria may not say which of them is wanted' });
  return breaches;
}

function keyWords(atom: string, query: string): string {
  const inQuery = new Set(contentStems(query));
  const own = (atom.match(/[\p{L}\p{N}'’-]+/gu) ?? []).filter((word) => contentStems(word).some((stemmed) => !inQuery.has(stemmed)));
  return own
    .slice(0, 6)
    .map((word) => `"${word}"`)
    .join(', ');
}
