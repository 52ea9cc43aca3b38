import { sha256Hex } from '../schemas/hash.ts';
import type { Level } from '../schemas/levels.ts';
import { countWords } from './text-change.ts';

/** What comparisons need of an example as long as its texts are not shown: whether it is the same, how long it is, its levels. */
export interface ExampleDigest {
  /** Of the whole text: equal hashes, equal examples. */
  readonly hash: string;
  readonly queryWords: number;
  readonly memoryWords: number;
  readonly atoms: number;
  readonly blocks: number;
  readonly levels: Readonly<Record<Level, number>>;
}

interface Measured {
  readonly question: string;
  readonly memory_blocks: readonly { readonly memory_text: string }[];
  readonly memories: readonly { readonly u_star: Level }[];
}

/** Lengths and levels of a record. */
export function measureExample(record: Measured): Omit<ExampleDigest, 'hash'> {
  const count = (level: Level): number => record.memories.filter(({ u_star: own }) => own === level).length;
  return {
    queryWords: countWords(record.question),
    memoryWords: record.memory_blocks.reduce((sum, block) => sum + countWords(block.memory_text), 0),
    atoms: record.memories.length,
    blocks: record.memory_blocks.length,
    levels: { A: count('A'), B: count('B'), C: count('C') },
  };
}

function isMeasured(value: unknown): value is { readonly record: Measured } {
  if (typeof value !== 'object' || value === null || !('record' in value)) return false;
  const { record } = value;
  return (
    typeof record === 'object' &&
    record !== null &&
    'question' in record &&
    typeof record.question === 'string' &&
    'memory_blocks' in record &&
    Array.isArray(record.memory_blocks) &&
    'memories' in record &&
    Array.isArray(record.memories)
  );
}

/** The digest of a finished example as it is stored; null for a text that holds no record. */
export function digestOf(example: string): ExampleDigest | null {
  let value: unknown;
  try {
    value = JSON.parse(example);
  } catch {
    return null;
  }
  return isMeasured(value) ? { hash: sha256Hex(example).slice(0, 32), ...measureExample(value.record) } : null;
}
