import { sourceDatasetOf } from '../datasets/adapters/adapter.ts';
import type { Questions } from '../datasets/duplicates.ts';
import { HeldRows } from '../datasets/held-rows.ts';
import { NONE, type PassedRows } from '../datasets/passed-rows.ts';
import type { ScreenedBatch } from '../datasets/screen-batch.ts';
import type { SourceConfig } from '../schemas/config.ts';
import type { LastingShelf, NotedBatch, RowShelf } from '../schemas/row-shelf.ts';
import type { RowRejection } from '../schemas/source-row.ts';
import { Spool } from './spool.ts';

/** What a shelf keeps of a batch as text; its numbers stand beside it. */
interface BatchFacts {
  readonly rejections: readonly RowRejection[];
  readonly passed: Omit<PassedRows, 'numbers'>;
}

/** Screened rows: what is compared in memory, texts put aside. */
export class IngestSink implements Questions {
  readonly held: HeldRows;
  readonly rejections: RowRejection[] = [];
  readonly #shelf: RowShelf;
  readonly #lasting: LastingShelf | null;
  readonly #questions = new Spool();
  /** Where the questions of rows lie that were screened before. */
  readonly #fetched = new Map<number, number>();
  #unit = NONE;
  #batches = 0;

  constructor(shelf: RowShelf, lasting: LastingShelf | null, seed: string) {
    this.held = new HeldRows(seed);
    this.#shelf = shelf;
    this.#lasting = lasting;
  }

  /** Begins a unit; batches that follow belong to it. */
  beginUnit(unit: number | null): void {
    this.#unit = unit ?? NONE;
    this.#batches = 0;
    this.held.beginUnit(this.#unit);
  }

  /** Takes in a batch just screened. */
  async take(source: SourceConfig, { rejections, passed, rows, questions }: ScreenedBatch): Promise<void> {
    const { numbers, ...texts } = passed;
    const batch = this.#batches++;
    const facts: BatchFacts = { rejections, passed: texts };
    const note = this.#unit === NONE ? undefined : { unit: this.#unit, batch, facts: JSON.stringify(facts), numbers };
    const rowNos = await this.#shelf.keep(rows, note);
    const questionAt = this.#questions.count;
    for (const question of questions) this.#questions.add(question);
    this.#hold(source, rejections, passed, rowNos, questionAt);
  }

  /** Takes in a batch that was kept. */
  takeNoted(source: SourceConfig, { facts, numbers, rowNos }: NotedBatch): void {
    const { rejections, passed } = JSON.parse(facts) as BatchFacts;
    this.#hold(source, rejections, { ...passed, numbers }, rowNos, null);
  }

  #hold(
    source: SourceConfig,
    rejections: readonly RowRejection[],
    passed: PassedRows,
    rowNos: Int32Array,
    questionAt: number | null,
  ): void {
    for (const rejection of rejections) this.rejections.push(rejection);
    this.held.add({ source: source.name, sourceDataset: sourceDatasetOf(source) }, passed, rowNos, questionAt);
  }

  readonly fetch = async (rows: readonly number[]): Promise<void> => {
    const wanted = rows.filter((row) => this.held.questionAt(row) === NONE && !this.#fetched.has(row));
    if (wanted.length === 0 || this.#lasting === null) return;
    const questions = await this.#lasting.questions(wanted.map((row) => this.held.rowNo(row)));
    wanted.forEach((row, at) => this.#fetched.set(row, this.#questions.add(questions[at] ?? '')));
  };

  readonly of = (row: number): string => {
    const at = this.held.questionAt(row);
    return this.#questions.read(at === NONE ? (this.#fetched.get(row) ?? NONE) : at);
  };

  close(): void {
    this.#questions.close();
  }
}
