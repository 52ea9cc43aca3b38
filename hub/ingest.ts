import { buildOrder } from '../datasets/candidate-order.ts';
import { dropDuplicates, rejectionOf, type Deduplicated } from '../datasets/duplicates.ts';
import { storeClusters } from '../datasets/known-clusters.ts';
import type { HeldRows } from '../datasets/held-rows.ts';
import type { IngestObserver } from '../datasets/ingest-observer.ts';
import { displacedBy, eldersOf, type Elders } from '../datasets/elders.ts';
import { agesBy } from '../datasets/row-rank.ts';
import type { Screener } from '../datasets/screen-batch.ts';
import { sourceShares, stratumOf, stratumWeights, type StratumMember, type StratumWeights } from '../datasets/strata.ts';
import type { PlacedCandidate } from '../schemas/candidate.ts';
import type { SourceConfig } from '../schemas/config.ts';
import { DOMAINS, type Domain } from '../schemas/levels.ts';
import type { LastingShelf, MovedCandidates, OrderMakings, PlacedRows } from '../schemas/row-shelf.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import { IngestSink } from './ingest-sink.ts';
import { identityOf, unitKey, type HashedFile } from './order-identity.ts';
import { readSource, type ReadSource } from './read-source.ts';
import { rowsPlacedBefore } from './moved-rows.ts';
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
  /** Numbers on the shelf from which on rows came later, a number for each time; absent or empty: all came at once. Of rows that repeat one another the earlier stay. */
  readonly ages?: readonly number[];
}

/** How an ingest goes about its work; changes nothing that it finds. */
export interface IngestMeans {
  /** Where rows are put aside and found again, and what screens and packs them for it; absent: in a file that ends with the process, screened here. */
  readonly shelf?: { readonly rows: LastingShelf; readonly screener: Screener };
  /** Files hashed a moment ago, by path. */
  readonly hashes?: ReadonlyMap<string, HashedFile>;
  /** Hears of every row; only without a shelf. */
  readonly observer?: IngestObserver;
  /** Ages that counted until now: for the count of older rows that give way. */
  readonly formerAges?: readonly number[];
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
  /** Rows that stay although rows that came later would represent their duplicates better; absent when there are none. */
  readonly elders?: Elders;
  /** Rows in whose place better ones stand that came later; only of an order made for that. */
  readonly displaced?: number;
}

/** The seeded order of all candidates and every rejection, ready to be stored. */
export interface IngestResult {
  readonly orderId: string;
  readonly facts: IngestFacts;
  readonly weights: StratumWeights;
  /** Candidates in order, but those that `makings` has as moved. */
  readonly candidates: (domain: Domain) => Iterable<readonly PlacedCandidate[]>;
  readonly rejections: () => Iterable<readonly RowRejection[]>;
  /** Rows read from files, and rows of unchanged files that were screened before. */
  readonly rows: { readonly read: number; readonly known: number };
  /** What the next ingest need not find out again; only with a shelf. */
  readonly makings: () => OrderMakings;
  /** A row that was put aside without a shelf being given. */
  readonly rowAt: (rowNo: number) => SourceRow;
  /** Gives back the files in which rows wait; no row can be read from the result afterwards. */
  readonly close: () => void;
}

/** The rows that are left, by stratum and in order. */
interface Order {
  /** Rows in order. */
  readonly rows: Uint32Array;
  readonly stratumOf: (row: number) => string;
}

/** The strata of the rows that are left, and for each row which of them it is in. */
interface Strata {
  readonly members: readonly Required<StratumMember>[];
  readonly names: readonly string[];
  readonly of: Uint16Array;
}

function strataOf(held: HeldRows, kept: Uint32Array): Strata {
  const codes = new Map<number, number>();
  const members: { readonly first: StratumMember; count: number }[] = [];
  const of = new Uint16Array(held.count);
  for (const row of kept) {
    const key = held.kindNo(row) * DOMAINS.length + held.domainNo(row);
    let code = codes.get(key);
    if (code === undefined) {
      const first = { domain: held.domain(row), source: held.source(row).source, measures: held.measures(row) };
      code = members.push({ first, count: 0 }) - 1;
      codes.set(key, code);
    }
    of[row] = code;
    const member = members[code];
    if (member !== undefined) member.count += 1;
  }
  return { members: members.map(({ first, count }) => ({ ...first, count })), names: members.map(({ first }) => stratumOf(first)), of };
}

function effectiveWeights(strata: Strata, sources: readonly SourceConfig[], stored: StratumWeights | undefined): StratumWeights {
  const weights: Record<string, number> = {};
  for (const domain of DOMAINS) {
    const own = strata.members.filter((member) => member.domain === domain);
    const present = new Set(own.map((member) => member.source));
    const shares = sourceShares(sources.filter((source) => present.has(source.name)).sort((a, b) => (a.name < b.name ? -1 : 1)));
    Object.assign(weights, stratumWeights(own, shares));
  }
  for (const name of Object.keys(weights)) weights[name] = stored?.[name] ?? weights[name] ?? 0;
  return weights;
}

/** The order of one domain; held as numbers, so that all domains together stay small. */
function orderOf(held: HeldRows, kept: Uint32Array, domain: number, strata: Strata, seed: string, weights: StratumWeights): Order {
  const own = kept.filter((row) => held.domainNo(row) === domain);
  const row = (member: number): number => own[member] as number;
  const order = buildOrder(
    {
      count: own.length,
      idOf: (member) => held.id(row(member)),
      scoreOf: (member) => held.score(row(member)),
      drawOf: (member) => held.draw(row(member)),
      strata: strata.names,
      stratumOf: (member) => strata.of[row(member)] as number,
    },
    seed,
    weights,
  );
  return { rows: order.map(row), stratumOf: (of) => strata.names[strata.of[of] as number] ?? '' };
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
  // Few kinds of masks repeat in many rows.
  const alike = new Map<number, { readonly row: number; count: number }>();
  for (const row of kept) {
    const known = alike.get(held.maskNo(row));
    if (known === undefined) alike.set(held.maskNo(row), { row, count: 1 });
    else known.count += 1;
  }
  for (const { row, count } of alike.values()) {
    const book = bookOf(held.source(row).source);
    book.candidates += count;
    for (const [kind, masked] of Object.entries(held.masked(row))) add(book.masked, kind, masked * count);
  }
  return reads.map(({ source, files, rowsRead, merged }) => {
    const { rejected, masked, candidates } = bookOf(source.name);
    return { name: source.name, adapter: source.adapter, files, rowsRead, merged, rejected: tally(rejected), candidates, masked };
  });
}

function* chunksOf<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  for (let from = 0; from < items.length; from += CHUNK) yield items.slice(from, from + CHUNK);
}

/** Candidates of a domain in order, but those that were placed before. */
function* placed(
  held: HeldRows,
  domain: Domain,
  { rows, stratumOf: of }: Order,
  before: Uint8Array | null,
): Iterable<readonly PlacedCandidate[]> {
  let chunk: PlacedCandidate[] = [];
  for (const [position, row] of rows.entries()) {
    if (before?.[row] === 1) continue;
    chunk.push({
      id: held.id(row),
      domain,
      position,
      stratum: of(row),
      measures: held.measures(row),
      source: held.source(row).source,
      sourceId: held.sourceId(row),
      origin: held.origin(row),
      rowNo: held.rowNo(row),
    });
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Candidates that were placed before, and where they stand now. */
function movedOf(held: HeldRows, orders: readonly Order[], orderId: string, before: Uint8Array): MovedCandidates {
  const count = orders.reduce((sum, { rows }) => sum + rows.reduce((own, row) => own + (before[row] as number), 0), 0);
  const [rowNos, positions] = [new Int32Array(count), new Int32Array(count)];
  let next = 0;
  for (const { rows } of orders)
    rows.forEach((row, position) => {
      if (before[row] !== 1) return;
      rowNos[next] = held.rowNo(row);
      positions[next] = position;
      next += 1;
    });
  return { orderId, rowNos, positions };
}

function tell(observer: IngestObserver, held: HeldRows, { kept, dropped }: Deduplicated, rowNoAt: (rowNo: number) => SourceRow): void {
  const rowAt = (row: number): SourceRow => rowNoAt(held.rowNo(row));
  for (const one of dropped) observer.rejected('duplicates', rejectionOf(held, one), rowAt(one.row), rowAt(one.representative));
  for (const row of kept) observer.kept({ id: held.id(row), row: rowAt(row), measures: held.measures(row), masked: held.masked(row) });
}

async function readAll(
  sources: readonly SourceConfig[],
  params: IngestParams,
  sink: IngestSink,
  screener: Screener,
  { shelf, hashes = new Map() }: IngestMeans,
): Promise<readonly ReadSource[]> {
  const { baseDir, sourcesDir } = params;
  const reads: ReadSource[] = [];
  for (const source of [...sources].sort((a, b) => (a.name < b.name ? -1 : 1)))
    reads.push(
      await readSource(source, {
        baseDir,
        sourcesDir,
        screener,
        sink,
        lasting: shelf?.rows ?? null,
        keyOf: (located, files) => unitKey(located, files, params),
        hashes,
      }),
    );
  return reads;
}

/**
 * Reads all sources, screens every row, drops duplicates and puts the rest in one seeded order per domain.
 * Order and id depend on file contents, parameters, seed, weights and the ages of rows only; every row is a candidate, a rejection or merged.
 */
export async function ingestSources(
  sources: readonly SourceConfig[],
  params: IngestParams,
  means: IngestMeans = {},
): Promise<IngestResult> {
  const { shelf, observer } = means;
  const ownShelf = new SpoolShelf();
  const sink = new IngestSink(shelf?.rows ?? ownShelf, shelf?.rows ?? null, params.seed);
  const close = (): void => {
    sink.close();
    ownShelf.close();
  };
  try {
    // Screening brings 46 MB of language tables along: whoever has it done elsewhere does without them here.
    const screenerHere = async (): Promise<Screener> =>
      (await import('../datasets/screen-batch.ts')).createScreener(params, packForSpool, observer);
    const reads = await readAll(sources, params, sink, shelf?.screener ?? (await screenerHere()), means);
    const known = (await shelf?.rows.clusters()) ?? null;
    const ageOf = agesBy(sink.held, params.ages ?? []);
    const duplicates = await dropDuplicates(sink.held, sink, params.nearDuplicateJaccard, known, ageOf);
    if (observer !== undefined) tell(observer, sink.held, duplicates, (rowNo) => ownShelf.rowAt(rowNo));
    const displaced = displacedBy(duplicates.dropped, agesBy(sink.held, means.formerAges ?? []));
    const elders = eldersOf(sink.held, duplicates.dropped, params.ages ?? [], ageOf);
    const before = (await shelf?.rows.placed()) ?? null;
    return {
      ...inOrder(reads, sources, params, sink, duplicates, { elders, displaced, before }),
      rowAt: (rowNo) => ownShelf.rowAt(rowNo),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function inOrder(
  reads: readonly ReadSource[],
  sources: readonly SourceConfig[],
  params: IngestParams,
  { held, rejections: early }: IngestSink,
  { kept, dropped, tookPart, rootOf }: Deduplicated,
  { elders, displaced, before }: { readonly elders: Elders | null; readonly displaced: number; readonly before: PlacedRows | null },
): Omit<IngestResult, 'rowAt' | 'close'> {
  const rejections = [...early, ...dropped.map((one) => rejectionOf(held, one))].sort(
    (a, b) =>
      compare(a.source, b.source) ||
      compare(a.origin.file, b.origin.file) ||
      a.origin.row - b.origin.row ||
      compare(a.sourceId, b.sourceId),
  );
  const strata = strataOf(held, kept);
  const weights = effectiveWeights(strata, sources, params.weights);
  const orders = DOMAINS.map((_, domain) => orderOf(held, kept, domain, strata, params.seed, weights));
  const orderIn = (domain: Domain): Order => orders[DOMAINS.indexOf(domain)] ?? { rows: new Uint32Array(0), stratumOf: () => '' };
  const count = (domain: Domain): number => orderIn(domain).rows.length;
  const wasPlaced = rowsPlacedBefore(held, before);
  const known = reads.reduce((sum, { rowsKnown }) => sum + rowsKnown, 0);
  return {
    orderId: identityOf(reads, params, weights, elders?.key),
    facts: {
      sources: factsOf(reads, held, kept, rejections),
      weights,
      candidates: { health: count('health'), general: count('general'), coding: count('coding') },
      ...(elders !== null && { elders }),
      ...(displaced > 0 && { displaced }),
    },
    weights,
    candidates: (domain) => placed(held, domain, orderIn(domain), wasPlaced),
    rejections: () => chunksOf(rejections),
    rows: { read: reads.reduce((sum, { rowsRead }) => sum + rowsRead, 0) - known, known },
    makings: () => ({
      units: held.units().map(({ unit }) => unit),
      clusters: storeClusters(held, tookPart, rootOf),
      moved: before === null || wasPlaced === null ? null : movedOf(held, orders, before.orderId, wasPlaced),
    }),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
