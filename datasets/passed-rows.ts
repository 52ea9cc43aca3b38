import type { RowMeasures } from '../schemas/candidate.ts';
import { sha256Hex } from '../schemas/hash.ts';
import { DOMAINS } from '../schemas/levels.ts';
import type { SourceRow } from '../schemas/source-row.ts';
import { words } from '../stages/text/words.ts';
import { candidateId, drawOf } from './candidate-order.ts';

/** Stands for "none" in a column. */
export const NONE = 0xffff_ffff;

/** What is known as a number of each row that passed: halves of its candidate id, of the digest of its question, of a hash of its source id; numbers of texts; halves of what it draws. */
export const PASSED_COLUMNS = [
  'id0',
  'id1',
  'question0',
  'question1',
  'question2',
  'question3',
  'sourceId0',
  'sourceId1',
  'domain',
  'file',
  'fileRow',
  'unit',
  'score',
  'kind',
  'signals',
  'mask',
  'draw0',
  'draw1',
  'keyCount',
] as const;
export type PassedColumn = (typeof PASSED_COLUMNS)[number];

/** Columns whose numbers stand for texts, and where these are. */
export const TEXT_COLUMNS = { file: 'files', unit: 'units', kind: 'kinds', signals: 'signalLists', mask: 'masks' } as const;

/** What the comparison and the order of all rows need to know of rows that passed: numbers by column and the few texts they stand for, so that a million fit. */
export interface PassedRows {
  /** What rows drew is of this seed. */
  readonly seed: string;
  readonly sourceIds: readonly string[];
  readonly files: readonly string[];
  /** Trees and dialogues of which one row is taken; `NONE` in the column where every row may stand. */
  readonly units: readonly string[];
  /** Topic and complexity, a line each. */
  readonly kinds: readonly string[];
  /** Signal families, joined by commas. */
  readonly signalLists: readonly string[];
  /** Identifiers masked, as JSON by kind; empty when none. */
  readonly masks: readonly string[];
  /** The columns one after another; then the near-duplicate keys of all questions, row by row. */
  readonly numbers: Uint32Array;
}

/** Rows of a column. */
export function passedColumn({ numbers, sourceIds }: PassedRows, column: PassedColumn): Uint32Array {
  const at = PASSED_COLUMNS.indexOf(column) * sourceIds.length;
  return numbers.subarray(at, at + sourceIds.length);
}

/** Near-duplicate keys of all rows, one after another; a copy. */
export function passedKeys({ numbers, sourceIds }: PassedRows): Uint32Array {
  return numbers.slice(PASSED_COLUMNS.length * sourceIds.length);
}

/** Whether a source id was made from the row's content, so that equal ids mean equal rows. */
function isContentId(sourceId: string): boolean {
  return /:[0-9a-f]{16}$/.test(sourceId);
}

/** Two hashes of a source id, by which equal ones are found; `NONE` for those that may repeat. */
function hashSourceId(sourceId: string): readonly [number, number] {
  if (isContentId(sourceId)) return [NONE, NONE];
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let at = 0; at < sourceId.length; at += 1) {
    const unit = sourceId.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995);
    b ^= b >>> 13;
  }
  return [(a ^ (b >>> 15)) >>> 0, (b & 0x7fff_ffff) >>> 0];
}

const wordAt = (hex: string, from: number): number => Number.parseInt(hex.slice(from, from + 8), 16);

const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);

/** A number as two of 32 bits. */
export function halvesOf(value: number): readonly [number, number] {
  float[0] = value;
  return [halves[0] as number, halves[1] as number];
}

/** The number of two halves. */
export function ofHalves(first: number, second: number): number {
  halves[0] = first;
  halves[1] = second;
  return float[0] as number;
}

/** Numbers for texts as they come: 0, 1, 2 ... */
class Texts {
  readonly list: string[] = [];
  readonly #codes = new Map<string, number>();

  code(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    this.#codes.set(text, this.list.length);
    return this.list.push(text) - 1;
  }
}

/** A row that passed, with what screening found of it. */
export interface PassedRow {
  readonly row: SourceRow;
  readonly measures: RowMeasures;
  readonly masked: Readonly<Record<string, number>>;
}

/** Gathers rows that passed, one by one. */
export class PassedBuilder {
  readonly #seed: string;
  readonly #sourceIds: string[] = [];
  readonly #rows: Readonly<Record<PassedColumn, number>>[] = [];
  readonly #keys: number[] = [];
  readonly #texts = { files: new Texts(), units: new Texts(), kinds: new Texts(), signalLists: new Texts(), masks: new Texts() };

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** `keys` are the near-duplicate keys of the question: its first `keyCount`. */
  add({ row, measures, masked }: PassedRow, keys: Uint32Array, keyCount: number): void {
    const { question, groupKey, domain, origin, sourceId } = row;
    const { files, units, kinds, signalLists, masks } = this.#texts;
    const id = candidateId(row.sourceDataset, sourceId);
    // Equal for equal questions of a domain.
    const asked = sha256Hex(`${domain}:${words(question).join(' ')}`);
    const [sourceId0, sourceId1] = hashSourceId(sourceId);
    const [draw0, draw1] = halvesOf(drawOf(this.#seed, id));
    this.#sourceIds.push(sourceId);
    this.#rows.push({
      id0: wordAt(id, 0),
      id1: wordAt(id, 8),
      question0: wordAt(asked, 0),
      question1: wordAt(asked, 8),
      question2: wordAt(asked, 16),
      question3: wordAt(asked, 24),
      sourceId0,
      sourceId1,
      domain: DOMAINS.indexOf(domain),
      file: files.code(origin.file),
      fileRow: origin.row,
      unit: /^(?:oasst|ultrachat):/.test(groupKey) ? units.code(groupKey) : NONE,
      score: measures.qualityScore,
      kind: kinds.code(`${measures.topic}\n${measures.complexity}`),
      signals: signalLists.code(measures.signalFamilies.join()),
      mask: masks.code(Object.keys(masked).length === 0 ? '' : JSON.stringify(masked)),
      draw0,
      draw1,
      keyCount,
    });
    for (let at = 0; at < keyCount; at += 1) this.#keys.push(keys[at] as number);
  }

  end(): PassedRows {
    const count = this.#rows.length;
    const numbers = new Uint32Array(PASSED_COLUMNS.length * count + this.#keys.length);
    this.#rows.forEach((row, at) => {
      for (const [column, name] of PASSED_COLUMNS.entries()) numbers[column * count + at] = row[name];
    });
    numbers.set(this.#keys, PASSED_COLUMNS.length * count);
    const { files, units, kinds, signalLists, masks } = this.#texts;
    return {
      seed: this.#seed,
      sourceIds: this.#sourceIds,
      files: files.list,
      units: units.list,
      kinds: kinds.list,
      signalLists: signalLists.list,
      masks: masks.list,
      numbers,
    };
  }
}
