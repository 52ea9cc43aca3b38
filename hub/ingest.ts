import { buildOrder, candidateId } from '../datasets/candidate-order.ts';
import { openAdapter } from '../datasets/adapters/catalog.ts';
import { rejected, type AdapterResult } from '../datasets/adapters/adapter.ts';
import { dropDuplicates, heldRow, type HeldRow } from '../datasets/duplicates.ts';
import { screenRow } from '../datasets/screening/screen-row.ts';
import type { IngestObserver } from '../datasets/ingest-observer.ts';
import { sourceShares, stratumWeights, type StratumWeights } from '../datasets/strata.ts';
import type { Candidate, RowMeasures } from '../schemas/candidate.ts';
import type { SourceConfig } from '../schemas/config.ts';
import { DOMAINS, type Domain } from '../schemas/levels.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import { locateSource } from './locate-source.ts';
import { hashFile, identityOf } from './order-identity.ts';
import { SourceReadError } from './read-error.ts';
import { readRows } from './read-files.ts';
import { Spool } from './spool.ts';

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
  /** Hears of every row; changes nothing. */
  readonly observer?: IngestObserver;
}

/** Books of one source: rowsRead = merged + rejected (all reasons) + candidates. */
export interface SourceFacts {
  readonly name: string;
  readonly adapter: SourceConfig['adapter'];
  readonly files: readonly { readonly name: string; readonly sha256: string; readonly bytes: number; readonly rows: number }[];
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
  readonly candidates: (domain: Domain) => Iterable<readonly Candidate[]>;
  readonly rejections: () => Iterable<readonly RowRejection[]>;
  /** Gives back the file in which many rows wait; nothing can be read from the result afterwards. */
  readonly close: () => void;
}

interface ReadSource {
  readonly source: SourceConfig;
  readonly files: SourceFacts['files'];
  readonly rowsRead: number;
  readonly merged: number;
}

/** Screened rows: what is compared in memory, texts put aside. */
class Sink {
  readonly kept: HeldRow[] = [];
  readonly rejections: RowRejection[] = [];
  readonly #questions = new Spool();
  readonly #rows = new Spool();
  /** One list for all rows that show the same signals. */
  readonly #signals = new Map<string, readonly string[]>();

  keep(row: SourceRow, measures: RowMeasures, masked: Readonly<Record<string, number>>): void {
    const place = this.#questions.add(row.question);
    this.#rows.add(JSON.stringify(row));
    const key = measures.signalFamilies.join();
    const signalFamilies = this.#signals.get(key) ?? measures.signalFamilies;
    this.#signals.set(key, signalFamilies);
    const shared = { ...measures, signalFamilies: signalFamilies as string[] };
    this.kept.push(heldRow({ id: candidateId(row.sourceDataset, row.sourceId), row, measures: shared, masked }, place));
  }

  readonly questionAt = (place: number): string => this.#questions.read(place);

  rowAt(place: number): SourceRow {
    return JSON.parse(this.#rows.read(place)) as SourceRow;
  }

  close(): void {
    this.#questions.close();
    this.#rows.close();
  }
}

function takeIn(results: readonly AdapterResult[], params: IngestParams, sink: Sink): void {
  for (const result of results) {
    if (result.kind === 'rejected') {
      sink.rejections.push(result.rejection);
      params.observer?.rejected('read', result.rejection, null, null);
      continue;
    }
    params.observer?.adapted(result.row);
    const verdict = screenRow(result.row, params);
    if (verdict.ok) {
      sink.keep(verdict.row, verdict.measures, verdict.masked);
      continue;
    }
    const { source, sourceDataset, sourceId, origin } = result.row;
    const rejection = { source, sourceDataset, sourceId, reason: verdict.reason, detail: verdict.detail, origin };
    sink.rejections.push(rejection);
    params.observer?.rejected('screening', rejection, result.row, null);
  }
}

function changedFile(source: string, file: string): SourceReadError {
  return new SourceReadError(
    'changed_file',
    file,
    `Source ${source}: ${file} is not what was pulled any more. Type \`memcalib sources verify ${source}\` to see which files, remove them, and pull again.`,
  );
}

async function readSource(config: SourceConfig, params: IngestParams, sink: Sink): Promise<ReadSource> {
  const { source, files: located, pinned } = await locateSource(config, params.baseDir, params.sourcesDir);
  const adapter = openAdapter(source);
  const files: { name: string; sha256: string; bytes: number; rows: number }[] = [];
  let rowsRead = 0;
  for (const file of located) {
    let rows = 0;
    for await (const read of readRows(file)) {
      rows += 1;
      const origin = { file: file.name, row: read.number };
      if (read.kind === 'row') takeIn(adapter.add(read.row, origin), params, sink);
      else takeIn([rejected({ source, origin }, read.reason, read.detail)], params, sink);
    }
    const hashed = await hashFile(file.path);
    if ((pinned.get(file.name) ?? hashed.sha256) !== hashed.sha256) throw changedFile(source.name, file.name);
    files.push({ name: file.name, ...hashed, rows });
    rowsRead += rows;
  }
  takeIn(adapter.finish(), params, sink);
  if (rowsRead === 0)
    throw new SourceReadError(
      'empty_source',
      source.name,
      `Source ${source.name} holds no rows (${files.map((file) => file.name).join(', ')}); correct its \`path\` or take it out of memcalib.config.ts.`,
    );
  return { source, files, rowsRead, merged: adapter.merged() };
}

function effectiveWeights(kept: readonly HeldRow[], sources: readonly SourceConfig[], stored: StratumWeights | undefined): StratumWeights {
  const weights: Record<string, number> = {};
  for (const domain of DOMAINS) {
    const members = kept.filter((item) => item.domain === domain);
    const present = new Set(members.map((member) => member.source));
    const shares = sourceShares(sources.filter((source) => present.has(source.name)).sort((a, b) => (a.name < b.name ? -1 : 1)));
    Object.assign(weights, stratumWeights(members, shares));
  }
  for (const name of Object.keys(weights)) weights[name] = stored?.[name] ?? weights[name] ?? 0;
  return weights;
}

function tally(values: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function factsOf(reads: readonly ReadSource[], kept: readonly HeldRow[], rejections: readonly RowRejection[]): readonly SourceFacts[] {
  return reads.map(({ source, files, rowsRead, merged }) => {
    const own = kept.filter((item) => item.source === source.name);
    const masked: Record<string, number> = {};
    for (const item of own) for (const [kind, count] of Object.entries(item.masked)) masked[kind] = (masked[kind] ?? 0) + count;
    return {
      name: source.name,
      adapter: source.adapter,
      files,
      rowsRead,
      merged,
      rejected: tally(rejections.filter((item) => item.source === source.name).map((item) => item.reason)),
      candidates: own.length,
      masked,
    };
  });
}

function* chunksOf<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  for (let from = 0; from < items.length; from += CHUNK) yield items.slice(from, from + CHUNK);
}

/**
 * Reads all sources, screens every row, drops duplicates and puts the rest in one seeded order per domain.
 * Order and id depend on file contents, parameters, seed and weights only; every row is a candidate, a rejection or merged.
 */
export async function ingestSources(sources: readonly SourceConfig[], params: IngestParams): Promise<IngestResult> {
  const sink = new Sink();
  const reads: ReadSource[] = [];
  try {
    for (const source of [...sources].sort((a, b) => (a.name < b.name ? -1 : 1))) reads.push(await readSource(source, params, sink));
  } catch (error) {
    sink.close();
    throw error;
  }
  const { kept, dropped } = dropDuplicates(sink.kept, sink.questionAt, params.nearDuplicateJaccard);
  const { observer } = params;
  if (observer !== undefined) {
    for (const { rejection, item, representative } of dropped)
      observer.rejected('duplicates', rejection, sink.rowAt(item.place), sink.rowAt(representative.place));
    for (const { id, place, measures, masked } of kept) observer.kept({ id, row: sink.rowAt(place), measures, masked });
  }
  const rejections = [...sink.rejections, ...dropped.map((item) => item.rejection)].sort(
    (a, b) =>
      compare(a.source, b.source) ||
      compare(a.origin.file, b.origin.file) ||
      a.origin.row - b.origin.row ||
      compare(a.sourceId, b.sourceId),
  );
  const weights = effectiveWeights(kept, sources, params.weights);
  const orders = new Map(DOMAINS.map((domain) => [domain, buildOrder(kept, domain, params.seed, weights)]));
  const count = (domain: Domain): number => orders.get(domain)?.length ?? 0;
  return {
    orderId: identityOf(reads, params, weights),
    facts: {
      sources: factsOf(reads, kept, rejections),
      weights,
      candidates: { health: count('health'), general: count('general'), coding: count('coding') },
    },
    weights,
    *candidates(domain) {
      for (const chunk of chunksOf(orders.get(domain) ?? [])) {
        yield chunk.flatMap(({ member, position, stratum }): readonly Candidate[] => {
          const item = kept[member];
          return item === undefined
            ? []
            : [{ id: item.id, domain, position, stratum, row: sink.rowAt(item.place), measures: item.measures }];
        });
      }
    },
    rejections: () => chunksOf(rejections),
    close: () => sink.close(),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
