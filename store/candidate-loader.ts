import type { DuckDBConnection } from '@duckdb/node-api';
import type { PlacedCandidate } from '../schemas/candidate.ts';
import { appendColumns } from './append-columns.ts';
import type { Database } from './duckdb.ts';
import { StoreError } from './errors.ts';
import { storableText, type TextRepairs } from './text.ts';

/** Places gathered before they are appended, and places made into rows at a time. */
const LOAD_ROWS = 16_384;
const SLICE_ROWS = 131_072;

const STAGE_SQL = `
CREATE OR REPLACE TEMP TABLE new_places (
  position INTEGER, row_no INTEGER, kind INTEGER, quality_score INTEGER, origin_row INTEGER, candidate_id VARCHAR, source_id VARCHAR
);
CREATE OR REPLACE TEMP TABLE new_kinds (
  kind INTEGER, domain VARCHAR, stratum VARCHAR, source VARCHAR, topic VARCHAR, complexity VARCHAR, signal_families VARCHAR, origin_file VARCHAR
);`;

/**
 * Stores the candidates of one load. What few values repeat in (stratum, source, file ...) is written once, places as numbers, and DuckDB makes
 * the rows of both and of the hashes that stand beside the source rows.
 */
export class CandidateLoader {
  readonly #database: Database;
  readonly #repairs: TextRepairs;
  readonly #loadNo: number;
  readonly #kinds = new Map<string, number>();
  #newKinds: string[][] = [];
  #waiting: PlacedCandidate[] = [];
  #staged = 0;

  constructor(database: Database, repairs: TextRepairs, loadNo: number) {
    this.#database = database;
    this.#repairs = repairs;
    this.#loadNo = loadNo;
  }

  async begin(): Promise<void> {
    await this.#database.exclusively(async (writer) => void (await writer.run(STAGE_SQL)));
  }

  async add(candidates: readonly PlacedCandidate[]): Promise<void> {
    for (const candidate of candidates) this.#waiting.push(candidate);
    if (this.#waiting.length >= LOAD_ROWS) await this.#stage();
    if (this.#staged >= SLICE_ROWS) await this.#makeRows();
  }

  async end(): Promise<void> {
    if (this.#waiting.length > 0) await this.#stage();
    if (this.#staged > 0) await this.#makeRows();
    await this.#database.exclusively(async (writer) => void (await writer.run('DROP TABLE new_places; DROP TABLE new_kinds;')));
  }

  #kindOf({ domain, stratum, source, measures, origin }: PlacedCandidate): number {
    const signals = measures.signalFamilies.join();
    const key = `${domain}\n${stratum}\n${source}\n${measures.topic}\n${measures.complexity}\n${signals}\n${origin.file}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const texts = [domain, stratum, source, measures.topic, measures.complexity, JSON.stringify(measures.signalFamilies), origin.file];
    this.#newKinds.push(texts.map((text) => storableText(text, this.#repairs)));
    this.#kinds.set(key, this.#kinds.size);
    return this.#kinds.size - 1;
  }

  async #stage(): Promise<void> {
    const rows = this.#waiting;
    this.#waiting = [];
    const numbers = (of: (row: PlacedCandidate) => number): Int32Array => Int32Array.from(rows, of);
    const places = [
      numbers(({ position }) => position),
      numbers(({ rowNo }) => rowNo),
      numbers((row) => this.#kindOf(row)),
      numbers(({ measures }) => measures.qualityScore),
      numbers(({ origin }) => origin.row),
      rows.map(({ id }) => id),
      rows.map(({ sourceId }) => storableText(sourceId, this.#repairs)),
    ];
    const kinds = this.#newKinds;
    this.#newKinds = [];
    const firstKind = this.#kinds.size - kinds.length;
    await this.#database.exclusively(async (writer) => {
      await appendColumns(writer, { name: 'new_places', catalog: 'temp' }, places);
      if (kinds.length === 0) return;
      const columns = (kinds[0] ?? []).map((_, column) => kinds.map((texts) => texts[column] ?? ''));
      await appendColumns(writer, { name: 'new_kinds', catalog: 'temp' }, [Int32Array.from(kinds, (_, at) => firstKind + at), ...columns]);
    });
    this.#staged += rows.length;
  }

  async #makeRows(): Promise<void> {
    await this.#database.transaction(async (writer) => {
      const made = await this.#insert(writer);
      if (made !== this.#staged)
        throw new StoreError(
          'corrupt_body',
          `${this.#staged - made} stored source rows are missing; put back a copy of the project folder, then type \`memcalib plan\`.`,
        );
      await writer.run('DELETE FROM new_places');
    });
    this.#staged = 0;
  }

  async #insert(writer: DuckDBConnection): Promise<number> {
    const { rowsChanged } = await writer.run(`
      INSERT INTO candidates
      SELECT ${this.#loadNo}, k.domain, p.position, p.candidate_id, k.stratum, k.source, p.source_id, p.row_no, r.row_hash,
             p.quality_score, k.topic, k.complexity, k.signal_families, k.origin_file, p.origin_row
      FROM new_places p JOIN new_kinds k USING (kind) JOIN source_rows r USING (row_no)
      ORDER BY p.rowid`);
    return rowsChanged;
  }
}
