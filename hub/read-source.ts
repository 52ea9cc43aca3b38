import { rejected, type AdapterResult } from '../datasets/adapters/adapter.ts';
import { openAdapter } from '../datasets/adapters/catalog.ts';
import type { ScreenedBatch, Screener } from '../datasets/screen-batch.ts';
import type { SourceConfig } from '../schemas/config.ts';
import { locateSource } from './locate-source.ts';
import { hashFile } from './order-identity.ts';
import { SourceReadError } from './read-error.ts';
import { readRows } from './read-files.ts';

/** Rows screened at a time: few enough that several threads share a small file, many enough that handing them over costs little. */
const BATCH_ROWS = 1024;

/** Batches handed out and not yet taken in; keeps every thread busy and memory bounded. */
const MOST_OUT = 8;

/** A source as it was read; the rows themselves went to `take`. */
export interface ReadSource {
  readonly source: SourceConfig;
  readonly files: readonly { readonly name: string; readonly sha256: string; readonly bytes: number; readonly rows: number }[];
  readonly rowsRead: number;
  readonly merged: number;
}

/** What reading a source needs. */
export interface ReadParams {
  readonly baseDir: string;
  readonly sourcesDir: string;
  readonly screener: Screener;
  /** Gets the screened batches in the order of the rows, whichever was screened first. */
  readonly take: (batch: ScreenedBatch) => Promise<void>;
}

/** Hands results out to be screened and takes them in again in their order. */
class Conveyor {
  readonly #params: ReadParams;
  #batch: AdapterResult[] = [];
  readonly #out: Promise<ScreenedBatch>[] = [];

  constructor(params: ReadParams) {
    this.#params = params;
  }

  async put(results: readonly AdapterResult[]): Promise<void> {
    for (const result of results) {
      this.#batch.push(result);
      if (this.#batch.length >= BATCH_ROWS) await this.#send();
    }
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    const screened = Promise.resolve(this.#params.screener.screen(batch));
    // Whoever awaits it later hears of a failure; until then it must not count as unheard.
    screened.catch(() => undefined);
    this.#out.push(screened);
    if (this.#out.length >= MOST_OUT) await this.#takeNext();
  }

  async #takeNext(): Promise<void> {
    const next = await this.#out.shift();
    if (next !== undefined) await this.#params.take(next);
  }

  async end(): Promise<void> {
    if (this.#batch.length > 0) await this.#send();
    while (this.#out.length > 0) await this.#takeNext();
  }
}

function changedFile(source: string, file: string): SourceReadError {
  return new SourceReadError(
    'changed_file',
    file,
    `Source ${source}: ${file} is not what was pulled any more. Type \`memcalib sources verify ${source}\` to see which files, remove them, and pull again.`,
  );
}

/** Reads and screens one source, file by file. */
export async function readSource(config: SourceConfig, params: ReadParams): Promise<ReadSource> {
  const { source, files: located, pinned } = await locateSource(config, params.baseDir, params.sourcesDir);
  const adapter = openAdapter(source);
  const conveyor = new Conveyor(params);
  const files: { name: string; sha256: string; bytes: number; rows: number }[] = [];
  let rowsRead = 0;
  for (const file of located) {
    let rows = 0;
    for await (const read of readRows(file)) {
      rows += 1;
      const origin = { file: file.name, row: read.number };
      await conveyor.put(read.kind === 'row' ? adapter.add(read.row, origin) : [rejected({ source, origin }, read.reason, read.detail)]);
    }
    const hashed = await hashFile(file.path);
    if ((pinned.get(file.name) ?? hashed.sha256) !== hashed.sha256) throw changedFile(source.name, file.name);
    files.push({ name: file.name, ...hashed, rows });
    rowsRead += rows;
  }
  await conveyor.put(adapter.finish());
  await conveyor.end();
  if (rowsRead === 0)
    throw new SourceReadError(
      'empty_source',
      source.name,
      `Source ${source.name} holds no rows (${files.map((file) => file.name).join(', ')}); correct its \`path\` or take it out of memcalib.config.ts.`,
    );
  return { source, files, rowsRead, merged: adapter.merged() };
}
