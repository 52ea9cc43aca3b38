import { buildOrder } from '../datasets/candidate-order.ts';
import { dropDuplicates, rejectionOf } from '../datasets/duplicates.ts';
import { HeldRows } from '../datasets/held-rows.ts';
import type { IngestObserver } from '../datasets/ingest-observer.ts';
import { createScreener, type ScreenedBatch, type Screener } from '../datasets/screen-batch.ts';
import { sourceShares, stratumWeights, type StratumMember, type StratumWeights } from '../datasets/strata.ts';
import type { PlacedCandidate } from '../schemas/candidate.ts';
import type { SourceConfig } from '../schemas/config.ts';
import { DOMAINS, type Domain } from '../schemas/levels.ts';
import type { RowShelf } from '../schemas/row-shelf.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import { sourceDatasetOf } from '../datasets/adapters/adapter.ts';
import { identityOf } from './order-identity.ts';
import { readSource, type ReadSource } from './read-source.ts';
import { Spool } from './spool.ts';
import { packForSpool, SpoolShelf } from './spool-shelf.ts';

const CHUNK = 500;

/** What ingest depends on besides the sources. `weights` are those stored at the first plan; absent ones are computed. */
export interface IngestParams {
  readonly baseDir: string;
  /** Where pulled sources lie: `sources` in the project folder. */
  readonly sourcesDir: string;
  readonly seed: string;
  readonly nearDuplicateJaccard: number;
  readonly minQualityScore: number;
  readonly identifiers: 'mask' | 'reject';
  readonly weights?: StratumWeights;
}

/** How an ingest goes about its work; changes nothing that it finds. */
export interface IngestMeans {
  /** Where rows are put aside, and what screens and packs them for it; absent: in a file that ends with the process, screened here. */
  readonly shelf?: { readonly rows: RowShelf; readonly screener: Screener };
  /** Hears of every row; only without a shelf. */
  readonly observer?: IngestObserver;
}

/** Books of one source: rowsRead = merged + rejected (all reasons) + candidates. */
export interface SourceFacts {
  readonly name: string;
  readonly adapter: SourceConfig['adapter'];
  readonly files: ReadSource['files'];
  readonly rowsRead: number;
  /** Rows that are part of another row's unit (messages of an OASST tree). */
  readonly merged: number;
  readonly rejected: Readonly<Record<string, number>>;
  readonly candidates: number;
  /** Identifiers masked in candidates, by kind. */
  readonly masked: Readonly<Record<string, number>>;
}

/** What a run of ingest found; JSON-able. */
export interface IngestFacts {
  readonly sources: readonly SourceFacts[];
  readonly weights: StratumWeights;
  readonly candidates: Readonly<Record<Domain, number>>;
}

/** The seeded order of all candidates and every rejection, ready to be stored. */
export interface IngestResult {
  readonly orderId: string;
  readonly facts: IngestFacts;
  readonly weights: StratumWeights;
  readonly candidates: (domain: Domain) => Iterable<readonly PlacedCandidate[]>;
  readonly rejections: () => Iterable<readonly RowRejection[]>;
  /** A row that was put aside without a shelf being given. */
  readonly rowAt: (rowNo: number) => SourceRow;
  /** Gives back the files in which rows wait; no row can be read from the result afterwards. */
  readonly close: () => void;
}

/** Screened rows: what is compared in memory, texts put aside. */
class Sink {
  readonly held = new HeldRows();
  readonly rejections: RowRejection[] = [];
  readonly ownShelf = new SpoolShelf();
  readonly #questions = new Spool();
  #questionCount = 0;

  async take(source: SourceConfig, batch: ScreenedBatch, shelf: RowShelf): Promise<void> {
    for (const rejection of batch.rejections) this.rejections.push(rejection);
    const rowNos = await shelf.keep(batch.rows);
    const name = { source: source.name, sourceDataset: sourceDatasetOf(source) };
    this.held.add(name, batch, rowNos, this.#questionCount);
    for (const question of batch.questions) this.#questions.add(question);
    this.#questionCount += batch.questions.length;
  }

  readonly questionOf = (row: number): string => this.#questions.read(this.held.questionAt(row));

  close(): void {
    this.#questions.close();
    this.ownShelf.close();
  }
}

interface Order {
  /** Rows in order. */
  readonly rows: Uint32Array;
  readonly strata: readonly string[];
}

function* membersOf(held: HeldRows, kept: Uint32Array, domain: Domain): Iterable<StratumMember> {
  for (const row of kept) if (held.domain(row) === domain) yield { domain, source: held.source(row).source, measures: held.measures(row) };
}

function effectiveWeights(
  held: HeldRows,
  kept: Uint32Array,
  sources: readonly SourceConfig[],
  stored: StratumWeights | undefined,
): StratumWeights {
  const weights: Record<string, number> = {};
  for (const domain of DOMAINS) {
    const present = new Set<string>();
    for (const member of membersOf(held, kept, domain)) present.add(member.source);
    const shares = sourceShares(sources.filter((source) => present.has(source.name)).sort((a, b) => (a.name < b.name ? -1 : 1)));
    Object.assign(weights, stratumWeights(membersOf(held, kept, domain), shares));
  }
  for (const name of Object.keys(weights)) weights[name] = stored?.[name] ?? weights[name] ?? 0;
  return weights;
}

/** The order of one domain; held as numbers, so that all domains together stay small. */
function orderOf(held: HeldRows, kept: Uint32Array, domain: Domain, seed: string, weights: StratumWeights): Order {
  const own = kept.filter((row) => held.domain(row) === domain);
  const members = Array.from(own, (row) => ({ id: held.id(row), domain, source: held.source(row).source, measures: held.measures(row) }));
  const ordered = buildOrder(members, domain, seed, weights);
  return { rows: Uint32Array.from(ordered, ({ member }) => own[member] as number), strata: ordered.map(({ stratum }) => stratum) };
}

function tally(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function add(counts: Record<string, number>, name: string, count: number): void {
  counts[name] = (counts[name] ?? 0) + count;
}

function factsOf(
  reads: readonly ReadSource[],
  held: HeldRows,
  kept: Uint32Array,
  rejections: readonly RowRejection[],
): readonly SourceFacts[] {
  const books = new Map(reads.map(({ source }) => [source.name, { rejected: {}, masked: {}, candidates: 0 }]));
  const bookOf = (name: string) => books.get(name) ?? { rejected: {}, masked: {}, candidates: 0 };
  for (const { source, reason } of rejections) add(bookOf(source).rejected, reason, 1);
  for (const row of kept) {
    const book = bookOf(held.source(row).source);
    book.candidates += 1;
    for (const [kind, count] of Object.entries(held.masked(row))) add(book.masked, kind, count);
  }
  return reads.map(({ source, files, rowsRead, merged }) => {
    const { rejected, masked, candidates } = bookOf(source.name);
    return { name: source.name, adapter: source.adapter, files, rowsRead, merged, rejected: tally(rejected), candidates, masked };
  });
}

function* chunksOf<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  for (let from = 0; from < items.length; from += CHUNK) yield items.slice(from, from + CHUNK);
}

function* placed(held: HeldRows, domain: Domain, { rows, strata }: Order): Iterable<readonly PlacedCandidate[]> {
  for (let from = 0; from < rows.length; from += CHUNK)
    yield Array.from(rows.subarray(from, from + CHUNK), (row, at) => ({
      id: held.id(row),
      domain,
      position: from + at,
      stratum: strata[from + at] ?? '',
      measures: held.measures(row),
      source: held.source(row).source,
      sourceId: held.sourceId(row),
      origin: held.origin(row),
      rowNo: held.rowNo(row),
      rowHash: held.rowHash(row),
    }));
}

function tell(observer: IngestObserver, sink: Sink, { kept, dropped }: ReturnType<typeof dropDuplicates>): void {
  const { held } = sink;
  const rowAt = (row: number): SourceRow => sink.ownShelf.rowAt(held.rowNo(row));
  for (const one of dropped) observer.rejected('duplicates', rejectionOf(held, one), rowAt(one.row), rowAt(one.representative));
  for (const row of kept) observer.kept({ id: held.id(row), row: rowAt(row), measures: held.measures(row), masked: held.masked(row) });
}

/**
 * Reads all sources, screens every row, drops duplicates and puts the rest in one seeded order per domain.
 * Order and id depend on file contents, parameters, seed and weights only; every row is a candidate, a rejection or merged.
 */
export async function ingestSources(
  sources: readonly SourceConfig[],
  params: IngestParams,
  { shelf, observer }: IngestMeans = {},
): Promise<IngestResult> {
  const sink = new Sink();
  const screener = shelf?.screener ?? createScreener(params, packForSpool, observer);
  const reads: ReadSource[] = [];
  try {
    for (const source of [...sources].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const take = (batch: ScreenedBatch): Promise<void> => sink.take(source, batch, shelf?.rows ?? sink.ownShelf);
      reads.push(await readSource(source, { baseDir: params.baseDir, sourcesDir: params.sourcesDir, screener, take }));
    }
  } catch (error) {
    sink.close();
    throw error;
  }
  const { held } = sink;
  const duplicates = dropDuplicates(held, sink.questionOf, params.nearDuplicateJaccard);
  const { kept, dropped } = duplicates;
  if (observer !== undefined) tell(observer, sink, duplicates);
  const rejections = [...sink.rejections, ...dropped.map((one) => rejectionOf(held, one))].sort(
    (a, b) =>
      compare(a.source, b.source) ||
      compare(a.origin.file, b.origin.file) ||
      a.origin.row - b.origin.row ||
      compare(a.sourceId, b.sourceId),
  );
  const weights = effectiveWeights(held, kept, sources, params.weights);
  const orders = new Map(DOMAINS.map((domain) => [domain, orderOf(held, kept, domain, params.seed, weights)]));
  const orderIn = (domain: Domain): Order => orders.get(domain) ?? { rows: new Uint32Array(0), strata: [] };
  const count = (domain: Domain): number => orderIn(domain).rows.length;
  return {
    orderId: identityOf(reads, params, weights),
    facts: {
      sources: factsOf(reads, held, kept, rejections),
      weights,
      candidates: { health: count('health'), general: count('general'), coding: count('coding') },
    },
    weights,
    candidates: (domain) => placed(held, domain, orderIn(domain)),
    rejections: () => chunksOf(rejections),
    rowAt: (rowNo) => sink.ownShelf.rowAt(rowNo),
    close: () => sink.close(),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
