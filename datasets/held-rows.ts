import type { COMPLEXITIES, RowMeasures } from '../schemas/candidate.ts';
import { DOMAINS, type Domain } from '../schemas/levels.ts';
import { HASH_BYTES } from '../schemas/row-shelf.ts';
import type { SourceRow } from '../schemas/source-row.ts';
import { Dictionary, NumberColumn } from './growing-columns.ts';
import type { PassedColumns } from './screen-batch.ts';

/** Stands for "none" in a column. */
export const NONE = 0xffff_ffff;

const QUESTION_WORDS = 4;
const MOST_ROWS = 1 << 24;

/** A source as its rows name it. */
export type SourceName = Pick<SourceRow, 'source' | 'sourceDataset'>;

const same = (key: string): string => key;

/** What is held of a batch: of one just screened, or of one that was kept on a shelf. */
export interface HeldBatch {
  readonly passed: PassedColumns;
  readonly keys: Uint32Array;
  readonly keyCounts: ArrayLike<number>;
  readonly hashes: Uint8Array;
}

/** Rows that came one after another from one unit: a source file, or all files of a source. */
export interface HeldUnit {
  /** Its number on the shelf; `NONE` where units are not kept. */
  readonly unit: number;
  readonly from: number;
  count: number;
}

/** What is held in memory of all screened rows while they are compared and ordered: about 250 bytes a row, no text but its source id. */
export class HeldRows {
  #count = 0;
  readonly #heldUnits: HeldUnit[] = [];
  readonly #sourceIds: string[] = [];
  readonly #sources: SourceName[] = [];
  readonly #files = new Dictionary(same);
  readonly #units = new Dictionary(same);
  readonly #kinds = new Dictionary((key): Pick<RowMeasures, 'topic' | 'complexity'> => {
    const [topic = '', complexity] = key.split('\n');
    return { topic, complexity: complexity as (typeof COMPLEXITIES)[number] };
  });
  readonly #signals = new Dictionary((key): string[] => (key === '' ? [] : key.split(',')));
  readonly #masks = new Dictionary((key): Readonly<Record<string, number>> => (key === '' ? {} : JSON.parse(key)));
  readonly #hashes: Uint8Array[] = [];
  readonly #keys: Uint32Array[] = [];
  /** By row: two words of its id, four of its question key. */
  readonly #ids = new NumberColumn();
  readonly #questionKeys = new NumberColumn();
  readonly #sourceOf = new NumberColumn();
  readonly #domainOf = new NumberColumn();
  readonly #fileOf = new NumberColumn();
  readonly #fileRows = new NumberColumn();
  readonly #unitOf = new NumberColumn();
  readonly #scores = new NumberColumn();
  readonly #kindOf = new NumberColumn();
  readonly #signalsOf = new NumberColumn();
  readonly #maskOf = new NumberColumn();
  readonly #rowNos = new NumberColumn();
  readonly #questionAt = new NumberColumn();
  readonly #batchOf = new NumberColumn();
  readonly #placeInBatch = new NumberColumn();
  readonly #keysFrom = new NumberColumn();
  readonly #keyCounts = new NumberColumn();

  get count(): number {
    return this.#count;
  }

  /** Begins a unit: rows added from now on belong to it. */
  beginUnit(unit: number): void {
    this.#heldUnits.push({ unit, from: this.#count, count: 0 });
  }

  /** Units with their rows, in the order of reading. */
  units(): readonly HeldUnit[] {
    return this.#heldUnits;
  }

  /** Unit of a row and its number there. */
  inUnit(row: number): readonly [unit: number, number: number] {
    let [low, high] = [0, this.#heldUnits.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#heldUnits[middle]?.from ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    const { unit, from } = this.#heldUnits[low] ?? { unit: NONE, from: 0 };
    return [unit, row - from];
  }

  get unitCount(): number {
    return this.#units.size;
  }

  /** Takes in what passed of a batch; `rowNos` are its numbers on the shelf, `questionAt` the first of its questions where these were put aside. */
  add(source: SourceName, { passed, keys, keyCounts, hashes }: HeldBatch, rowNos: Int32Array, questionAt: number | null): void {
    if (this.#count + passed.ids.length > MOST_ROWS)
      throw new RangeError(`More than ${MOST_ROWS} rows pass; give fewer files per project.`);
    const batch = this.#keys.push(keys) - 1;
    this.#hashes.push(hashes);
    const sourceNo = this.#sources.push(source) - 1;
    let keysFrom = 0;
    passed.ids.forEach((id, at) => {
      this.#sourceIds.push(passed.sourceIds[at] ?? '');
      for (let from = 0; from < 16; from += 8) this.#ids.push(Number.parseInt(id.slice(from, from + 8), 16));
      const questionKey = passed.questionKeys[at] ?? '';
      for (let from = 0; from < 32; from += 8) this.#questionKeys.push(Number.parseInt(questionKey.slice(from, from + 8), 16));
      this.#sourceOf.push(sourceNo);
      this.#domainOf.push(DOMAINS.findIndex((domain) => domain === passed.domains[at]));
      this.#fileOf.push(this.#files.code(passed.files[at] ?? ''));
      this.#fileRows.push(passed.fileRows[at] ?? 0);
      const unit = passed.units[at] ?? null;
      this.#unitOf.push(unit === null ? NONE : this.#units.code(unit));
      this.#scores.push(passed.scores[at] ?? 0);
      this.#kindOf.push(this.#kinds.code(`${passed.topics[at]}\n${passed.complexities[at]}`));
      this.#signalsOf.push(this.#signals.code(passed.signals[at] ?? ''));
      this.#maskOf.push(this.#masks.code(passed.masked[at] ?? ''));
      this.#rowNos.push(rowNos[at] ?? 0);
      this.#questionAt.push(questionAt === null ? NONE : questionAt + at);
      this.#batchOf.push(batch);
      this.#placeInBatch.push(at);
      this.#keysFrom.push(keysFrom);
      this.#keyCounts.push(keyCounts[at] ?? 0);
      keysFrom += keyCounts[at] ?? 0;
    });
    this.#count += passed.ids.length;
    const unit = this.#heldUnits.at(-1);
    if (unit !== undefined) unit.count += passed.ids.length;
  }

  id(row: number): string {
    const word = (at: number): string =>
      this.#ids
        .at(row * 2 + at)
        .toString(16)
        .padStart(8, '0');
    return word(0) + word(1);
  }

  /** As the texts of their ids compare. */
  compareIds(a: number, b: number): number {
    return this.#ids.at(a * 2) - this.#ids.at(b * 2) || this.#ids.at(a * 2 + 1) - this.#ids.at(b * 2 + 1);
  }

  hasSameQuestion(a: number, b: number): boolean {
    for (let at = 0; at < QUESTION_WORDS; at += 1)
      if (this.#questionKeys.at(a * QUESTION_WORDS + at) !== this.#questionKeys.at(b * QUESTION_WORDS + at)) return false;
    return true;
  }

  /** 32 bits of the digest of its question. */
  questionHash(row: number): number {
    return this.#questionKeys.at(row * QUESTION_WORDS);
  }

  sourceId(row: number): string {
    return this.#sourceIds[row] ?? '';
  }

  source(row: number): SourceName {
    return this.#sources[this.#sourceOf.at(row)] ?? { source: '', sourceDataset: '' };
  }

  domain(row: number): Domain {
    return DOMAINS[this.#domainOf.at(row)] ?? 'general';
  }

  origin(row: number): SourceRow['origin'] {
    return { file: this.#files.at(this.#fileOf.at(row)), row: this.#fileRows.at(row) };
  }

  /** As the names of their files and their places there compare. */
  comparePlaces(a: number, b: number): number {
    const [one, other] = [this.#fileOf.at(a), this.#fileOf.at(b)];
    if (one !== other) return this.#files.at(one) < this.#files.at(other) ? -1 : 1;
    return this.#fileRows.at(a) - this.#fileRows.at(b);
  }

  /** Number of its tree or dialogue below `unitCount`; `NONE` where every row may stand. */
  unit(row: number): number {
    return this.#unitOf.at(row);
  }

  score(row: number): number {
    return this.#scores.at(row);
  }

  measures(row: number): RowMeasures {
    const { topic, complexity } = this.#kinds.at(this.#kindOf.at(row));
    return { qualityScore: this.score(row), topic, complexity, signalFamilies: this.#signals.at(this.#signalsOf.at(row)) };
  }

  masked(row: number): Readonly<Record<string, number>> {
    return this.#masks.at(this.#maskOf.at(row));
  }

  /** Its number on the shelf. */
  rowNo(row: number): number {
    return this.#rowNos.at(row) | 0;
  }

  /** 64 hexadecimal digits. */
  rowHash(row: number): string {
    const from = this.#placeInBatch.at(row) * HASH_BYTES;
    const hashes = this.#hashes[this.#batchOf.at(row)] ?? new Uint8Array(0);
    return Buffer.from(hashes.buffer, hashes.byteOffset + from, HASH_BYTES).toString('hex');
  }

  /** Number of its question where questions were put aside; `NONE` when it was screened before and its question was not read. */
  questionAt(row: number): number {
    return this.#questionAt.at(row);
  }

  keys(row: number): Uint32Array {
    const from = this.#keysFrom.at(row);
    return (this.#keys[this.#batchOf.at(row)] ?? new Uint32Array(0)).subarray(from, from + this.#keyCounts.at(row));
  }
}
