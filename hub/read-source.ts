import { rejected, type AdapterResult } from '../datasets/adapters/adapter.ts';
import { openAdapter, readsFilesTogether } from '../datasets/adapters/catalog.ts';
import type { ScreenedBatch, Screener } from '../datasets/screen-batch.ts';
import type { SourceConfig } from '../schemas/config.ts';
import { locateSource } from './locate-source.ts';
import type { LastingShelf } from '../schemas/row-shelf.ts';
import type { IngestSink } from './ingest-sink.ts';
import { hashFile, type HashedFile } from './order-identity.ts';
import { SourceReadError } from './read-error.ts';
import { readRows } from './read-files.ts';

/** Rows screened at a time: few enough that several threads share a small file, many enough that handing them over costs little. */
const BATCH_ROWS = 1024;

/** Batches handed out and not yet taken in; keeps every thread busy and memory bounded. */
const MOST_OUT = 8;

/** A source as it was read; the rows themselves went to the sink. */
export interface ReadSource {
  readonly source: SourceConfig;
  readonly files: readonly ReadFile[];
  readonly rowsRead: number;
  readonly merged: number;
  /** Rows of files that did not change since they were screened: they were not read again. */
  readonly rowsKnown: number;
}

interface ReadFile extends HashedFile {
  readonly name: string;
  readonly rows: number;
}

/** Files that were read as one, as a shelf keeps it. */
interface ReadUnit {
  readonly files: readonly ReadFile[];
  readonly merged: number;
}

/** What reading a source needs. */
export interface ReadParams {
  readonly baseDir: string;
  readonly sourcesDir: string;
  readonly screener: Screener;
  readonly sink: IngestSink;
  /** Where screened files are found again; null when nothing is kept. */
  readonly lasting: LastingShelf | null;
  /** Key of files of a source as screened. */
  readonly keyOf: (source: SourceConfig, files: readonly { readonly name: string; readonly sha256: string }[]) => string;
  /** What is known of files by their path: hashed a moment ago. */
  readonly hashes: ReadonlyMap<string, HashedFile>;
}

/** Hands results out to be screened and takes them in again in their order. */
class Conveyor {
  readonly #screener: Screener;
  readonly #take: (batch: ScreenedBatch) => Promise<void>;
  #batch: AdapterResult[] = [];
  readonly #out: Promise<ScreenedBatch>[] = [];

  /** `take` gets the screened batches in the order of the rows, whichever was screened first. */
  constructor(screener: Screener, take: (batch: ScreenedBatch) => Promise<void>) {
    this.#screener = screener;
    this.#take = take;
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
    const screened = Promise.resolve(this.#screener.screen(batch));
    // Whoever awaits it later hears of a failure; until then it must not count as unheard.
    screened.catch(() => undefined);
    this.#out.push(screened);
    if (this.#out.length >= MOST_OUT) await this.#takeNext();
  }

  async #takeNext(): Promise<void> {
    const next = await this.#out.shift();
    if (next !== undefined) await this.#take(next);
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

type Located = Awaited<ReturnType<typeof locateSource>>;

/** Hashes of files, in their order; a pinned file that is another one is an error. */
async function hashAll(
  { source, pinned }: Located,
  files: Located['files'],
  known?: ReadonlyMap<string, HashedFile>,
): Promise<readonly (HashedFile & { readonly name: string })[]> {
  const out = [];
  for (const { name, path } of files) {
    const hashed = known?.get(path) ?? (await hashFile(path));
    if ((pinned.get(name) ?? hashed.sha256) !== hashed.sha256) throw changedFile(source.name, name);
    out.push({ name, ...hashed });
  }
  return out;
}

/** What a shelf kept of files that did not change; its rows go to the sink. Null when they have to be read. */
async function recallUnit(located: Located, files: Located['files'], params: ReadParams): Promise<ReadUnit | null> {
  const { lasting, sink } = params;
  if (lasting === null || !(await lasting.hasUnits())) return null;
  const { source } = located;
  const known = await lasting.findUnit(params.keyOf(source, await hashAll(located, files, params.hashes)));
  if (known === null) return null;
  sink.beginUnit(known.unit);
  for await (const batch of lasting.batches(known.unit)) sink.takeNoted(source, batch);
  return JSON.parse(known.facts) as ReadUnit;
}

/** Reads and screens files of a source one after another. */
async function readUnit(located: Located, files: Located['files'], params: ReadParams): Promise<ReadUnit> {
  const { screener, sink, lasting, keyOf } = params;
  const { source } = located;
  const unit = lasting === null ? null : await lasting.beginUnit();
  sink.beginUnit(unit);
  const adapter = openAdapter(source);
  const conveyor = new Conveyor(screener, (batch) => sink.take(source, batch));
  const counts = new Map<string, number>();
  for (const file of files) {
    let rows = 0;
    for await (const read of readRows(file)) {
      rows += 1;
      const origin = { file: file.name, row: read.number };
      await conveyor.put(read.kind === 'row' ? adapter.add(read.row, origin) : [rejected({ source, origin }, read.reason, read.detail)]);
    }
    counts.set(file.name, rows);
  }
  await conveyor.put(adapter.finish());
  await conveyor.end();
  // Hashed after reading: a file that changed meanwhile is never taken for what it was before.
  const hashed = await hashAll(located, files);
  const read: ReadUnit = { files: hashed.map((file) => ({ ...file, rows: counts.get(file.name) ?? 0 })), merged: adapter.merged() };
  if (lasting !== null && unit !== null) await lasting.endUnit(unit, keyOf(source, hashed), JSON.stringify(read));
  return read;
}

const rowsOf = (files: readonly ReadFile[]): number => files.reduce((sum, { rows }) => sum + rows, 0);

/** Reads and screens one source, file by file; files that did not change since an earlier ingest are taken from the shelf. */
export async function readSource(config: SourceConfig, params: ReadParams): Promise<ReadSource> {
  const located = await locateSource(config, params.baseDir, params.sourcesDir);
  const { source } = located;
  const files: ReadFile[] = [];
  let merged = 0;
  let rowsKnown = 0;
  for (const part of readsFilesTogether(source) ? [located.files] : located.files.map((file) => [file])) {
    const known = await recallUnit(located, part, params);
    const unit = known ?? (await readUnit(located, part, params));
    files.push(...unit.files);
    merged += unit.merged;
    if (known !== null) rowsKnown += rowsOf(unit.files);
  }
  if (rowsOf(files) === 0)
    throw new SourceReadError(
      'empty_source',
      source.name,
      `Source ${source.name} holds no rows (${files.map((file) => file.name).join(', ')}); correct its \`path\` or take it out of memcalib.config.ts.`,
    );
  return { source, files, rowsRead: rowsOf(files), merged, rowsKnown };
}
