import { expect, test } from 'vitest';
import type { AtomizeReply } from '../../schemas/replies/atomize.ts';
import type { AtomizeOutput, DeriveOutput, Workpiece } from '../../schemas/workpiece.ts';
import { WorkpieceError } from '../../stages/atoms.ts';
import { atomize } from '../../stages/atomize.ts';
import { derive } from '../../stages/derive.ts';
import type { StepVerdict } from '../../stages/step.ts';
import { atomizeReply, deriveReply, lithium } from './lithium.ts';

function derived(query = deriveReply.query): Workpiece {
  const verdict = derive.accept(derive.input(lithium), new Map([['main', { reply: deriveReply, repaired: false }]]));
  if (verdict.kind !== 'accepted') throw new Error('the fixture must pass derive');
  return { ...lithium, derive: { ...(verdict.output as DeriveOutput), query } };
}

function accept(reply: AtomizeReply, repaired = false, query = deriveReply.query): StepVerdict<unknown> {
  return atomize.accept(atomize.input(derived(query)), new Map([['main', { reply: atomize.replySchema.parse(reply), repaired }]]));
}

/** The clean reply with its first atom changed. */
function withFirst(change: Partial<AtomizeReply['atoms'][number]>): AtomizeReply {
  return { ...atomizeReply, atoms: atomizeReply.atoms.map((atom, index) => (index === 0 ? { ...atom, ...change } : atom)) };
}

test('a clean reply gives keyed atoms whose evidence inherits field, speaker and exact offsets', () => {
  const verdict = accept(atomizeReply);
  expect(verdict).toMatchObject({ kind: 'accepted', flags: [] });
  const { atoms, dropped } = (verdict as unknown as { readonly output: AtomizeOutput }).output;
  expect(atoms.map((atom) => atom.key)).toEqual(['s1', 's2', 's3', 's4']);
  expect(atoms[2]?.text).toBe('The user took up running in March.');
  expect(dropped).toEqual(deriveReply.dropped);
  const { question, context } = lithium.candidate.row;
  for (const atom of atoms)
    for (const span of atom.evidence)
      expect((span.field === 'question' ? question : (context[1]?.text ?? '')).slice(span.start, span.end)).toBe(span.quote);
  expect(atoms[3]?.evidence[0]).toMatchObject({ field: 'context.2', speaker: 'assistant' });
});

test.each([
  [
    'a quote the passages do not hold',
    'ungrounded_evidence',
    withFirst({ evidence: [{ field: 'question', quote: 'What can I do about the cramps' }] }),
  ],
  ['a passage that does not exist', 'unknown_passage', withFirst({ passage: 9 })],
  ['first person', 'first_person', withFirst({ text: 'I take lithium.' })],
  ['a dangling opener', 'unresolved_pronoun', withFirst({ text: 'This is the lithium the user takes.' })],
  ['a stale date', 'relative_date', withFirst({ text: 'The user takes lithium today.' })],
  ['A with apply', 'illegal_action', withFirst({ level: 'A', action: 'apply' })],
  ['C with ignore', 'illegal_action', withFirst({ action: 'ignore' })],
  ['no difference at all', 'no_difference', withFirst({ with: 'Says one thing.' })],
  ['more than the passage says', 'atom_beyond_passage', withFirst({ text: 'The user lithium suffers severe kidney damage.' })],
  ['a duplicate', 'duplicate_atom', { ...atomizeReply, atoms: [...atomizeReply.atoms, ...atomizeReply.atoms.slice(0, 1)] }],
  ['a contained atom', 'contained_atom', withFirst({ text: 'The user has been on lithium, the present medicine, taken for two years.' })],
  ['a left-out fact', 'dropped_fact', { ...atomizeReply, dropped: [{ text: 'The user took up running in March.', reason: 'r' }] }],
  ['too many atoms', 'too_many_atoms', { ...atomizeReply, atoms: [...atomizeReply.atoms, ...atomizeReply.atoms] }],
] as const)('%s is one repair turn, then a rejection', (_name, rule, reply) => {
  const verdict = accept(reply as AtomizeReply);
  expect(verdict.kind === 'repair' ? verdict.notes.map((note) => note.rule) : verdict).toContain(rule);
  expect(accept(reply as AtomizeReply, true).kind).toBe('rejected');
});

test('notes of a repair turn never name a wanted level', () => {
  const verdict = accept(withFirst({ with: 'says one thing' }));
  expect(JSON.stringify(verdict)).not.toMatch(/should be [ABC]\b|level [ABC] (?:fits|is right)/);
});

test('an example without B or C is rejected at once', () => {
  const idle = { ...atomizeReply, atoms: atomizeReply.atoms.map((atom) => ({ ...atom, level: 'A' as const, action: 'ignore' as const })) };
  expect(accept(idle)).toMatchObject({ kind: 'rejected', reason: 'no_used_atom' });
  expect(accept({ atoms: [], dropped: [] })).toMatchObject({ kind: 'rejected', reason: 'no_used_atom' });
});

test('an exact run of an atom in the query rejects, softer findings are flags', () => {
  expect(accept(atomizeReply, false, 'I took up running in March: what about cramps?')).toMatchObject({
    kind: 'rejected',
    reason: 'query_leak',
  });
  const soft = accept(atomizeReply, false, 'What about cramps since I am on lithium?');
  expect(soft).toMatchObject({ kind: 'accepted', flags: [{ rule: 'leak_request_terms', where: 's1' }] });
});

test('atomize without derive is an error', () => {
  expect(() => atomize.input(lithium)).toThrow(WorkpieceError);
});
