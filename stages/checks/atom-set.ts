import { isLegal } from '../../schemas/levels.ts';
import type { DroppedFact } from '../../schemas/replies/derive.ts';
import type { SourceAtom } from '../../schemas/workpiece.ts';
import type { Breach } from '../settle.ts';
import { coverage } from '../text/words.ts';
import { overlappingPairs, sameText } from './containment.ts';
import { bringsBack } from './dropped.ts';
import { memoryTextBreaches } from './memory-text.ts';
import { danglingOpener } from './pronouns.ts';

/** More true atoms than this drown the example (SPEC §4.2). */
export const MAX_SOURCE_ATOMS = 7;
/** An honest atom repeats its passage and evidence; below this share of its words it says something else. */
export const MIN_PASSAGE_SHARE = 0.5;

/** What one atom breaks by itself; `memory` is its passage with the evidence. */
export function atomBreaches(atom: SourceAtom, memory: string, path: string): readonly Breach[] {
  const speakers = atom.evidence.map((span) => span.speaker);
  const breaches: Breach[] = [...memoryTextBreaches(atom.text, speakers, `${path}.text`)];
  const opener = danglingOpener(atom.text);
  if (opener !== null)
    breaches.push({
      rule: 'unresolved_pronoun',
      path: `${path}.text`,
      message: `"${opener}" points at another text. Each atom is read alone: name the person or thing.`,
    });
  if (!isLegal(atom.level, atom.action))
    breaches.push({
      rule: 'illegal_action',
      path: `${path}.action`,
      message: `Level ${atom.level} and action ${atom.action} exclude each other: ignore goes with A only, apply and correct go with B or C.`,
    });
  if (atom.level !== 'A' && sameText(atom.without, atom.with))
    breaches.push({
      rule: 'no_difference',
      path: `${path}.with`,
      message: 'without and with say the same, which does not fit this level. State what changes, or judge the atom again.',
    });
  if (coverage(atom.text, memory) < MIN_PASSAGE_SHARE)
    breaches.push({
      rule: 'atom_beyond_passage',
      path: `${path}.text`,
      message: 'This atom says what its passage and evidence do not say. Keep to the words of the passage.',
    });
  return breaches;
}

/** What the atoms break together: too many, one repeating another, or a left-out fact coming back. */
export function atomSetBreaches(
  atoms: readonly SourceAtom[],
  dropped: readonly DroppedFact[],
  requestTerms: readonly string[],
): readonly Breach[] {
  const breaches: Breach[] = [];
  if (atoms.length > MAX_SOURCE_ATOMS)
    breaches.push({
      rule: 'too_many_atoms',
      path: 'atoms',
      message: `Keep at most ${MAX_SOURCE_ATOMS} atoms, the most consequential ones, and move the others to dropped.`,
    });
  for (const { first, second, rule } of overlappingPairs(atoms.map((atom) => atom.text)))
    breaches.push({
      rule,
      path: `atoms.${second}.text`,
      message: `This atom and atoms.${first} say the same thing in whole or in part. Keep one, or word them so that neither holds the other.`,
    });
  dropped.forEach((fact, at) =>
    atoms.forEach((atom, index) => {
      if (bringsBack(fact.text, atom.text, requestTerms))
        breaches.push({
          rule: 'dropped_fact',
          path: `atoms.${index}.text`,
          message: `This atom states a fact that was left out (dropped.${at}). Remove it from one of the two places.`,
        });
    }),
  );
  return breaches;
}
