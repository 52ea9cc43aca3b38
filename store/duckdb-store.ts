import type { PlacedCandidate } from '../schemas/candidate.ts';
import type { Domain } from '../schemas/levels.ts';
import type { OrderMakings } from '../schemas/row-shelf.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import { DuckDbBatches } from './batches.ts';
import type { Database } from './duckdb.ts';
import type { DuckDbLedger } from './ledger.ts';
import type { LedgerStore } from '../schemas/ledger.ts';
import { DuckDbLineage } from './lineage.ts';
import type { ReleaseMember } from './lineage-port.ts';
import * as callQueries from './call-queries.ts';
import * as orderQueries from './order-queries.ts';
import { OrderLoader } from './orders.ts';
import { StoredRows } from './row-shelf.ts';
import * as outcomes from './outcomes.ts';
import type { StepId } from '../schemas/steps.ts';
import type {
  CallFilter,
  CallLine,
  CallTexts,
  CostGroup,
  GateRow,
  OrderRow,
  OutcomeRow,
  PositionOutcome,
  RunRow,
  RunStateRow,
  Store,
  StoredCandidate,
  StoredOutcome,
  StepOutputRow,
} from './port.ts';
import { createPlanningStore } from './planning.ts';
import type { PlanningStore } from './planning-port.ts';
import { RunRecords } from './run-records.ts';
import type { TextRepairs } from './text.ts';
import { Upkeep } from './upkeep.ts';
import { Verdicts, type VerdictName } from './verdicts.ts';
import type { KeyIndex } from './key-index.ts';

/** A ledger that can also show raw bodies. */
type LedgerOfStore = LedgerStore & Pick<DuckDbLedger, 'rawBody'>;

/** What is shared by the parts of an open store. */
export interface StoreParts<Ledger> {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly verdictIndex: () => Promise<KeyIndex>;
  readonly repairs: TextRepairs;
  readonly nextNo: () => number;
}

/** The store on DuckDB: one file, one handle, append-only tables. */
export class DuckDbStore<Ledger extends LedgerOfStore = DuckDbLedger> implements Store {
  readonly ledger: Ledger;
  readonly lineage: DuckDbLineage;
  readonly planning: PlanningStore;
  readonly batches: DuckDbBatches;
  readonly upkeep: Upkeep;
  readonly rows: StoredRows;
  private readonly database: Database;
  private readonly orders: OrderLoader;
  private readonly records: RunRecords;
  private readonly verdicts: Verdicts;
  private readonly repairs: TextRepairs;
  private readonly nextNo: () => number;

  constructor({ database, ledger, verdictIndex, repairs, nextNo }: StoreParts<Ledger>) {
    this.database = database;
    this.ledger = ledger;
    this.lineage = new DuckDbLineage(database);
    this.planning = createPlanningStore(database, verdictIndex);
    this.batches = new DuckDbBatches(database, repairs, nextNo);
    this.upkeep = new Upkeep(database);
    this.rows = new StoredRows(database, repairs);
    this.orders = new OrderLoader(database, repairs);
    this.records = new RunRecords(database, repairs, nextNo);
    this.verdicts = new Verdicts(database, verdictIndex, repairs, nextNo);
    this.repairs = repairs;
    this.nextNo = nextNo;
  }

  /** Texts changed on entry since the store was opened. */
  textRepairs(): Readonly<TextRepairs> {
    return { ...this.repairs };
  }

  putOrder(
    order: OrderRow,
    candidates: AsyncIterable<readonly PlacedCandidate[]>,
    rejections: AsyncIterable<readonly RowRejection[]>,
    makings?: OrderMakings,
  ): Promise<void> {
    return this.orders.put(order, candidates, rejections, makings);
  }

  order(id: string): Promise<OrderRow | null> {
    return orderQueries.readOrder(this.database, id);
  }

  latestOrder(): Promise<OrderRow | null> {
    return orderQueries.readOrder(this.database, null);
  }

  async candidates(orderId: string, domain: Domain, from: number, to: number): Promise<readonly StoredCandidate[]> {
    const condition = 'domain = $1 AND position >= $2 AND position < $3';
    return this.candidatesWhere(orderId, condition, [domain, from, to]);
  }

  async candidateById(orderId: string, candidateId: string): Promise<StoredCandidate | null> {
    const [found] = await this.candidatesWhere(orderId, 'candidate_id = $1', [candidateId]);
    return found ?? null;
  }

  async sourceRow(orderId: string, sourceId: string): Promise<SourceRow | null> {
    const [found] = await this.candidatesWhere(orderId, 'source_id = $1', [sourceId]);
    return found?.candidate.row ?? null;
  }

  async candidateCounts(orderId: string): Promise<readonly { readonly domain: Domain; readonly source: string; readonly count: number }[]> {
    const loadNo = await orderQueries.loadNumber(this.database, orderId);
    return loadNo === null ? [] : orderQueries.countCandidates(this.database, loadNo);
  }

  async lastPositions(orderId: string, domain: Domain): Promise<readonly { readonly source: string; readonly position: number }[]> {
    const loadNo = await orderQueries.loadNumber(this.database, orderId);
    return loadNo === null ? [] : orderQueries.lastPositions(this.database, loadNo, domain);
  }

  async rowRejectionCounts(
    orderId: string,
  ): Promise<readonly { readonly source: string; readonly reason: string; readonly count: number }[]> {
    const loadNo = await orderQueries.loadNumber(this.database, orderId);
    return loadNo === null ? [] : orderQueries.countRejections(this.database, loadNo);
  }

  async *rowRejections(orderId: string): AsyncGenerator<readonly RowRejection[]> {
    const loadNo = await orderQueries.loadNumber(this.database, orderId);
    if (loadNo !== null) yield* orderQueries.pageRejections(this.database, loadNo);
  }

  startRun(run: RunRow): Promise<void> {
    return this.records.startRun(run);
  }

  run(id: string): Promise<RunRow | null> {
    return this.records.run(id);
  }

  latestRun(label?: string): Promise<RunRow | null> {
    return this.records.latestRun(label);
  }

  runs(): Promise<readonly RunRow[]> {
    return this.records.runs();
  }

  putRunState(state: RunStateRow): Promise<void> {
    return this.records.putRunState(state);
  }

  runState(runId: string): Promise<RunStateRow | null> {
    return this.records.runState(runId);
  }

  stepOutputs(wanted: readonly VerdictName[]): Promise<readonly StepOutputRow[]> {
    return this.verdicts.read(wanted);
  }

  putStepOutputs(rows: readonly StepOutputRow[]): Promise<void> {
    return this.verdicts.write(rows);
  }

  async stepCounts(pipelineHash: string, orderId: string): Promise<readonly outcomes.StepCount[]> {
    const loadNo = await orderQueries.loadNumber(this.database, orderId);
    return loadNo === null ? [] : outcomes.countOutcomes(this.database, loadNo, pipelineHash);
  }

  async acceptedCounts(
    orderId: string,
    pipelineHash: string,
    versions: readonly { readonly step: StepId; readonly stepVersion: string }[],
  ): Promise<readonly { readonly source: string; readonly step: StepId; readonly count: number }[]> {
    const loadNo = await orderQueries.loadNumber(this.database, orderId);
    return loadNo === null ? [] : outcomes.countAccepted(this.database, loadNo, pipelineHash, versions);
  }

  async startedCounts(
    orderId: string,
    pipelineHash: string,
    screenVersion: string,
  ): Promise<readonly { readonly source: string; readonly count: number }[]> {
    const loadNo = await orderQueries.loadNumber(this.database, orderId);
    return loadNo === null ? [] : outcomes.countStarted(this.database, loadNo, pipelineHash, screenVersion);
  }

  async putOutcomes(rows: readonly OutcomeRow[]): Promise<void> {
    await this.database.write(outcomes.outcomeInserts(rows, this.nextNo, this.repairs));
  }

  async outcomesAt(orderId: string, pipelineHash: string, domain: Domain, from: number, to: number): Promise<readonly PositionOutcome[]> {
    const loadNo = await orderQueries.loadNumber(this.database, orderId);
    return loadNo === null ? [] : outcomes.readOutcomesAt(this.database, loadNo, pipelineHash, domain, from, to);
  }

  async outcomes(run: Pick<RunRow, 'orderId' | 'pipelineHash'>, candidateIds: readonly string[]): Promise<readonly StoredOutcome[]> {
    const loadNo = await orderQueries.loadNumber(this.database, run.orderId);
    return loadNo === null ? [] : outcomes.readOutcomes(this.database, loadNo, run.pipelineHash, candidateIds);
  }

  retryCounts(pipelineHash: string, candidateIds: readonly string[], reason: string): ReturnType<Store['retryCounts']> {
    return outcomes.countRetries(this.database, pipelineHash, candidateIds, reason);
  }

  waive(candidateIds: readonly string[], pipelineHash: string, runId: string): Promise<void> {
    return this.records.waive(candidateIds, pipelineHash, runId);
  }

  calls(filter: CallFilter, limit: number): Promise<readonly CallLine[]> {
    return callQueries.readCalls(this.database, filter, limit);
  }

  async callTexts(key: string): Promise<CallTexts | null> {
    const request = (await this.ledger.requests([key])).get(key);
    if (request === undefined) return null;
    const attempts = (await this.ledger.attempts([key])).get(key) ?? [];
    const replies = await this.ledger.replies(attempts);
    const textOf = new Map(replies.map(({ attempt, replyText }) => [attempt, replyText]));
    return {
      request,
      replies: await Promise.all(
        attempts.map(async ({ attempt }) => ({
          attempt,
          replyText: textOf.get(attempt) ?? null,
          rawBody: await this.ledger.rawBody(key, attempt),
        })),
      ),
    };
  }

  costs(): Promise<readonly CostGroup[]> {
    return callQueries.readCosts(this.database);
  }

  reused(pipelineHash: string, runId: string): Promise<{ readonly calls: number; readonly microUsd: number }> {
    return callQueries.readReused(this.database, pipelineHash, runId);
  }

  setGate(gate: GateRow): Promise<void> {
    return this.records.setGate(gate);
  }

  gate(scope: string): Promise<GateRow | null> {
    return this.records.gate(scope);
  }

  putRelease(release: Parameters<Store['putRelease']>[0], members: readonly ReleaseMember[] = []): Promise<void> {
    return this.records.putRelease(release, members);
  }

  releases(): ReturnType<Store['releases']> {
    return this.records.releases();
  }

  putFact(name: string, value: string): Promise<void> {
    return this.records.putFact(name, value);
  }

  fact(name: string): Promise<string | null> {
    return this.records.fact(name);
  }

  facts(prefix: string): Promise<readonly { readonly name: string; readonly value: string }[]> {
    return this.records.facts(prefix);
  }

  checkpoint(): Promise<void> {
    return this.database.checkpoint();
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async candidatesWhere(
    orderId: string,
    condition: string,
    params: readonly (string | number)[],
  ): Promise<readonly StoredCandidate[]> {
    const loadNo = await orderQueries.loadNumber(this.database, orderId);
    return loadNo === null ? [] : orderQueries.readCandidates(this.database, loadNo, condition, params);
  }
}
