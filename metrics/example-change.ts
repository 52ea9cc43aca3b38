import type { Level } from '../schemas/levels.ts';
import type { ExampleRecord, MemoryAtom, MemoryBlock } from '../schemas/record.ts';
import { changedWords, compareWords } from './text-change.ts';

/** What of an example can change, and the step that writes it; a published record does not tell the two kinds of distractors apart. */
export const CHANGED_PARTS = ['source', 'derive', 'atomize', 'distractors', 'rubrics', 'naturalize'] as const;
export type ChangedPart = (typeof CHANGED_PARTS)[number];

/** One changed text of an example; `before` or `after` is empty where there is none. */
export interface FieldChange {
  readonly part: ChangedPart;
  readonly what: 'provenance' | 'query' | 'atom' | 'level' | 'action' | 'rubric' | 'block';
  /** Field, atom id or block id. */
  readonly where: string;
  readonly before: string;
  readonly after: string;
  readonly wordsRemoved: number;
  readonly wordsAdded: number;
}

/** What an edit did to one example. */
export interface ExampleChange {
  readonly id: string;
  /** Words removed and added over all changes; what examples are sorted by. */
  readonly size: number;
  readonly changes: readonly FieldChange[];
  /** Level of each atom before and after; null where the atom is only on one side. */
  readonly levels: readonly (readonly [before: Level | null, after: Level | null])[];
}

type Example = Omit<ExampleRecord, 'pipeline_hash' | 'split'>;

/** Texts less alike than this are two texts, not one that changed. */
const SAME_TEXT_SHARE = 0.4;

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 1;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  return shared / (a.size + b.size - shared);
}

interface Pair<Item> {
  readonly before: Item | null;
  readonly after: Item | null;
}

/** Pairs items of two sides: equal texts first, then the most alike; what is left stands alone. */
function pairUp<Item>(before: readonly Item[], after: readonly Item[], textOf: (item: Item) => string): readonly Pair<Item>[] {
  const pairs: Pair<Item>[] = [];
  const open = [...after];
  const rest: Item[] = [];
  for (const item of before) {
    const at = open.findIndex((other) => textOf(other) === textOf(item));
    const [found] = at < 0 ? [] : open.splice(at, 1);
    if (found === undefined) rest.push(item);
    else pairs.push({ before: item, after: found });
  }
  const openSets = new Map(open.map((item) => [item, wordSet(textOf(item))]));
  const scored = rest
    .flatMap((item) => {
      const words = wordSet(textOf(item));
      return [...openSets].map(([other, otherWords]) => ({ item, other, score: likeness(words, otherWords) }));
    })
    .filter(({ score }) => score >= SAME_TEXT_SHARE)
    .sort((a, b) => b.score - a.score);
  const taken = new Set<Item>();
  for (const { item, other } of scored) {
    if (taken.has(item) || taken.has(other)) continue;
    taken.add(item).add(other);
    pairs.push({ before: item, after: other });
  }
  for (const item of rest) if (!taken.has(item)) pairs.push({ before: item, after: null });
  for (const item of open) if (!taken.has(item)) pairs.push({ before: null, after: item });
  return pairs;
}

function change(part: ChangedPart, what: FieldChange['what'], where: string, before: string, after: string): readonly FieldChange[] {
  if (before === after) return [];
  const { removed, added } = changedWords(compareWords(before, after));
  return [{ part, what, where, before, after, wordsRemoved: removed, wordsAdded: added }];
}

/** The rubric as one text, field by field. */
function rubricText(atom: MemoryAtom | null): string {
  if (atom === null) return '';
  const { observable_checks: checks, ...fields } = atom.usage_rubric;
  return [...Object.entries(fields).map(([name, text]) => `${name}: ${text}`), ...checks.map((check) => `check: ${check}`)].join('\n');
}

function atomChanges({ before, after }: Pair<MemoryAtom>): readonly FieldChange[] {
  const where = after?.atom_id ?? before?.atom_id ?? '';
  const ignored = (before?.u_star ?? 'A') === 'A' && (after?.u_star ?? 'A') === 'A';
  const both = before !== null && after !== null;
  return [
    ...change(ignored ? 'distractors' : 'atomize', 'atom', where, before?.text ?? '', after?.text ?? ''),
    ...(both ? change('atomize', 'level', where, before.u_star, after.u_star) : []),
    ...(both && before.u_star === after.u_star ? change('atomize', 'action', where, before.memory_action, after.memory_action) : []),
    ...change('rubrics', 'rubric', where, rubricText(before), rubricText(after)),
  ];
}

const PROVENANCE = ['source_dataset', 'source_id', 'source_revision', 'source_license', 'attribution', 'group_key'] as const;

/** Compares two versions of an example text by text; an empty list of changes means that they say the same, wherever their atoms sit. */
export function compareExamples(before: Example, after: Example): ExampleChange {
  const atoms = pairUp(before.memories, after.memories, (atom: MemoryAtom) => atom.text);
  const blocks = pairUp(before.memory_blocks, after.memory_blocks, (block: MemoryBlock) => block.memory_text);
  const changes = [
    ...PROVENANCE.flatMap((field) => change('source', 'provenance', field, before[field] ?? '', after[field] ?? '')),
    ...change('derive', 'query', 'question', before.question, after.question),
    ...atoms.flatMap((pair) => atomChanges(pair)),
    ...blocks.flatMap((pair) =>
      change(
        'naturalize',
        'block',
        pair.after?.parent_memory_id ?? pair.before?.parent_memory_id ?? '',
        pair.before?.memory_text ?? '',
        pair.after?.memory_text ?? '',
      ),
    ),
  ];
  return {
    id: after.id,
    size: changes.reduce((sum, { wordsRemoved, wordsAdded }) => sum + wordsRemoved + wordsAdded, 0),
    changes,
    levels: atoms.map((pair) => [pair.before?.u_star ?? null, pair.after?.u_star ?? null]),
  };
}
