import type { COMPLEXITIES, RowMeasures } from '../schemas/candidate.ts';
import { DOMAINS, type Domain } from '../schemas/levels.ts';
import type { SourceRow } from '../schemas/source-row.ts';
import { Dictionary, NumberColumn } from './growing-columns.ts';
import { drawOf } from './candidate-order.ts';
import {
  halvesOf,
  NONE,
  ofHalves,
  passedColumn,
  passedKeys,
  PASSED_COLUMNS,
  TEXT_COLUMNS,
  type PassedColumn,
  type PassedRows,
} from './passed-rows.ts';

/** Rows are ranked by keys that hold their numbers in 24 bits. */
const MOST_ROWS = 1 << 24;

/** A source as its rows name it. */
export type SourceName = Pick<SourceRow, 'source' | 'sourceDataset'>;

/** More rows pass screening than one project can compare and order. */
export class TooManyRowsError extends Error {
  override readonly name = 'TooManyRowsError';
  readonly code = 'too_many_rows';
  readonly retryable = false;

  constructor(most: number, { source }: SourceName, file: string) {
    super(
      `More than ${most.toLocaleString('en-US')} rows pass screening (reached in source ${source}, file ${file}), and one project cannot order more. ` +
        'Take files or sources out of memcalib.config.ts, or raise `screening.minQualityScore`, then type `memcalib plan`.',
    );
  }
}

const same = (key: string): string => key;

/** Rows that came one after another from one unit: a source file, or all files of a source. */
export interface HeldUnit {
  /** Its number on the shelf; `NONE` where units are not kept. */
  readonly unit: number;
  readonly from: number;
  count: number;
}

/** What is held in memory of all screened rows while they are compared and ordered: about 250 bytes a row, no text but its source id. */
export class HeldRows {
  readonly #most: number;
  #count = 0;
  readonly #heldUnits: HeldUnit[] = [];
  readonly #sourceIds: string[] = [];
  readonly #sources = new Dictionary((key) => JSON.parse(key) as SourceName);
  readonly #texts = {
    file: new Dictionary(same),
    unit: new Dictionary(same),
    kind: new Dictionary((key): Pick<RowMeasures, 'topic' | 'complexity'> => {
      const [topic = '', complexity] = key.split('\n');
      return { topic, complexity: complexity as (typeof COMPLEXITIES)[number] };
    }),
    signals: new Dictionary((key): string[] => (key === '' ? [] : key.split(','))),
    mask: new Dictionary((key): Readonly<Record<string, number>> => (key === '' ? {} : JSON.parse(key))),
  };
  readonly #columns = Object.fromEntries(PASSED_COLUMNS.map((name) => [name, new NumberColumn()])) as Record<PassedColumn, NumberColumn>;
  readonly #sourceOf = new NumberColumn();
  readonly #rowNos = new NumberColumn();
  readonly #questionAt = new NumberColumn();
  /** Near-duplicate keys: one list a batch, and where those of a row begin. */
  readonly #keys: Uint32Array[] = [];
  readonly #batchOf = new NumberColumn();
  readonly #keysFrom = new NumberColumn();

  readonly #seed: string;

  /** What rows draw is of this seed; `most` can be held. */
  constructor(seed: string, most: number = MOST_ROWS) {
    this.#seed = seed;
    this.#most = most;
  }

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
    return this.#texts.unit.size;
  }

  /** Takes in what passed of a batch; `rowNos` are its numbers on the shelf, `questionAt` the first of its questions where these were put aside. */
  add(source: SourceName, passed: PassedRows, rowNos: Int32Array, questionAt: number | null): void {
    const more = passed.sourceIds.length;
    if (more === 0) return;
    if (this.#count + more > this.#most) throw new TooManyRowsError(this.#most, source, passed.files.at(-1) ?? '');
    for (const sourceId of passed.sourceIds) this.#sourceIds.push(sourceId);
    for (const name of PASSED_COLUMNS) this.#columns[name].extend(more).set(passedColumn(passed, name));
    for (const [name, list] of Object.entries(TEXT_COLUMNS) as [keyof typeof TEXT_COLUMNS, (typeof TEXT_COLUMNS)['file']][])
      this.#renumber(name, passed[list], more);
    this.#sourceOf.extend(more).fill(this.#sources.code(JSON.stringify({ source: source.source, sourceDataset: source.sourceDataset })));
    this.#rowNos.extend(more).set(rowNos);
    const questions = this.#questionAt.extend(more).fill(NONE);
    if (questionAt !== null) for (let at = 0; at < more; at += 1) questions[at] = questionAt + at;
    this.#addKeys(passed, more);
    if (passed.seed !== this.#seed) this.#drawAgain(more);
    this.#count += more;
    const unit = this.#heldUnits.at(-1);
    if (unit !== undefined) unit.count += more;
  }

  /** Numbers of a batch's texts become those of all. */
  #renumber(name: keyof typeof TEXT_COLUMNS, list: readonly string[], more: number): void {
    const codes = Uint32Array.from(list, (text) => this.#texts[name].code(text));
    const values = this.#columns[name].all().subarray(-more);
    for (let at = 0; at < more; at += 1) {
      const value = values[at] as number;
      if (value !== NONE) values[at] = codes[value] as number;
    }
  }

  #addKeys(passed: PassedRows, more: number): void {
    this.#batchOf.extend(more).fill(this.#keys.push(passedKeys(passed)) - 1);
    const from = this.#keysFrom.extend(more);
    const counts = passedColumn(passed, 'keyCount');
    let end = 0;
    for (let at = 0; at < more; at += 1) {
      from[at] = end;
      end += counts[at] as number;
    }
  }

  /** Rows that were kept under another seed draw anew. */
  #drawAgain(more: number): void {
    const [first, second] = [this.#columns.draw0.all(), this.#columns.draw1.all()];
    for (let row = this.#count; row < this.#count + more; row += 1) [first[row], second[row]] = halvesOf(drawOf(this.#seed, this.id(row)));
  }

  /** By `drawOf`. */
  draw(row: number): number {
    return ofHalves(this.#columns.draw0.at(row), this.#columns.draw1.at(row));
  }

  id(row: number): string {
    const { id0, id1 } = this.#columns;
    return id0.at(row).toString(16).padStart(8, '0') + id1.at(row).toString(16).padStart(8, '0');
  }

  /** The first 32 bits of its id. */
  idHigh(row: number): number {
    return this.#columns.id0.at(row);
  }

  /** As the texts of their ids compare. */
  compareIds(a: number, b: number): number {
    const { id0, id1 } = this.#columns;
    return id0.at(a) - id0.at(b) || id1.at(a) - id1.at(b);
  }

  hasSameQuestion(a: number, b: number): boolean {
    const { question0, question1, question2, question3 } = this.#columns;
    return (
      question0.at(a) === question0.at(b) &&
      question1.at(a) === question1.at(b) &&
      question2.at(a) === question2.at(b) &&
      question3.at(a) === question3.at(b)
    );
  }

  /** 32 bits of the digest of its question. */
  questionHash(row: number): number {
    return this.#columns.question0.at(row);
  }

  /** 32 bits of a hash of its source id; `NONE` for an id that may repeat. */
  sourceIdHash(row: number): number {
    return this.#columns.sourceId0.at(row);
  }

  hasSameSourceId(a: number, b: number): boolean {
    return this.#columns.sourceId1.at(a) === this.#columns.sourceId1.at(b) && this.sourceId(a) === this.sourceId(b);
  }

  sourceId(row: number): string {
    return this.#sourceIds[row] ?? '';
  }

  source(row: number): SourceName {
    return this.#sources.at(this.#sourceOf.at(row));
  }

  domain(row: number): Domain {
    return DOMAINS[this.domainNo(row)] ?? 'general';
  }

  /** Its place in `DOMAINS`. */
  domainNo(row: number): number {
    return this.#columns.domain.at(row);
  }

  /** A number that rows of one source, topic and complexity share; below 2 to the power of 44. */
  kindNo(row: number): number {
    return this.#sourceOf.at(row) * 2 ** 22 + this.#columns.kind.at(row);
  }

  origin(row: number): SourceRow['origin'] {
    const { file, fileRow } = this.#columns;
    return { file: this.#texts.file.at(file.at(row)), row: fileRow.at(row) };
  }

  /** As the names of their files and their places there compare. */
  comparePlaces(a: number, b: number): number {
    const { file, fileRow } = this.#columns;
    const [one, other] = [file.at(a), file.at(b)];
    if (one !== other) return this.#texts.file.at(one) < this.#texts.file.at(other) ? -1 : 1;
    return fileRow.at(a) - fileRow.at(b);
  }

  /** Number of its tree or dialogue below `unitCount`; `NONE` where every row may stand. */
  unit(row: number): number {
    return this.#columns.unit.at(row);
  }

  score(row: number): number {
    return this.#columns.score.at(row);
  }

  measures(row: number): RowMeasures {
    const { topic, complexity } = this.#texts.kind.at(this.#columns.kind.at(row));
    const signalFamilies = this.#texts.signals.at(this.#columns.signals.at(row));
    return { qualityScore: this.score(row), topic, complexity, signalFamilies };
  }

  /** A number that rows of one source with equal masks share. */
  maskNo(row: number): number {
    return this.#sourceOf.at(row) * 2 ** 22 + this.#columns.mask.at(row);
  }

  masked(row: number): Readonly<Record<string, number>> {
    return this.#texts.mask.at(this.#columns.mask.at(row));
  }

  /** Its number on the shelf. */
  rowNo(row: number): number {
    return this.#rowNos.at(row) | 0;
  }

  /** Number of its question where questions were put aside; `NONE` when it was screened before and its question was not read. */
  questionAt(row: number): number {
    return this.#questionAt.at(row);
  }

  keys(row: number): Uint32Array {
    const from = this.#keysFrom.at(row);
    return (this.#keys[this.#batchOf.at(row)] as Uint32Array).subarray(from, from + this.#columns.keyCount.at(row));
  }
}
