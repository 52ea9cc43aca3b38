import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { foldStored } from '../../../activities/fold-stored.ts';
import { readPrompts } from '../../../cli/prompt-files.ts';
import { readPlan } from '../../../cli/queries/plan.ts';
import { ingestSources } from '../ingest-rows.ts';
import type { Plan } from '../../../activities/plan/plan.ts';
import type { Candidate } from '../../../schemas/candidate.ts';
import { Config } from '../../../schemas/config.ts';
import type { ConfigInput } from '../../../schemas/config.ts';
import { DOMAINS } from '../../../schemas/levels.ts';
import type { StoredOutcome } from '../../../store/port.ts';
import { openInProcess } from '../in-process-build.ts';
import type { InProcess } from '../in-process-build.ts';
import type { SlowWorld } from './oracle.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Everything a person can edit, as values. */
export interface State {
  config: Partial<ConfigInput>;
  source: Partial<ConfigInput['sources'][number]>;
  provider: Record<string, unknown>;
  builder: Record<string, unknown>;
  reviewerA: Record<string, unknown>;
  /** Prompt files by name. */
  prompts: Record<string, string>;
  rowFile: string;
  rows: Record<string, unknown>[];
}

/** Index of the rows of the first and third candidate. */
const KEPT_BACK: readonly number[] = [3, 10];

function readRows(): Record<string, unknown>[] {
  const lines = readFileSync(join(ROOT, 'datasets/demo/rows/meddialog.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The project before any edit: one small source, three roles at one endpoint. Two rows are kept back, to be added later. */
export function firstState(): State {
  const folder = join(ROOT, 'prompts');
  const prompts = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return {
    config: { seed: 'staleness-1', target: { health: 4, general: 0, coding: 0 }, construction: { chunkSize: 2, window: 2 } },
    source: { licence: 'CC0-1.0' },
    provider: { structuredOutput: 'json_schema', concurrency: 16 },
    builder: { temperature: 0, seed: 0 },
    reviewerA: { temperature: 0, seed: 0 },
    prompts: Object.fromEntries(prompts.map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
    rowFile: 'rows.jsonl',
    rows: readRows().filter((_, index) => !KEPT_BACK.includes(index)),
  };
}

/** Rows kept back from the first state; added, they stand early in the order. */
export function spareRows(): Record<string, unknown>[] {
  return readRows().filter((_, index) => KEPT_BACK.includes(index));
}

/** What a build of a state did. */
export interface Built {
  readonly plan: Plan;
  readonly next: Plan;
  /** Verdicts it made, as `candidate step`, and the keys it sent. */
  readonly made: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  readonly outcomes: ReadonlyMap<string, StoredOutcome>;
  readonly kept: readonly string[];
}

/** A project in a folder whose state can be edited, planned and built in this process. */
export class StaleProject {
  readonly folder: string;
  private readonly url: string;
  private open: InProcess | null = null;

  constructor(folder: string, url: string) {
    this.folder = folder;
    this.url = url;
  }

  /** Sets the store aside as it is. */
  keep(): void {
    copyFileSync(join(this.folder, 'memcalib.duckdb'), join(this.folder, 'kept.duckdb'));
  }

  /** Puts back the store that was set aside. */
  restore(): void {
    for (const name of readdirSync(this.folder)) if (name.startsWith('memcalib.duckdb')) rmSync(join(this.folder, name));
    copyFileSync(join(this.folder, 'kept.duckdb'), join(this.folder, 'memcalib.duckdb'));
  }

  /** Writes a state's files and gives its config. */
  write(state: State): Config {
    for (const name of ['prompts', 'rows']) rmSync(join(this.folder, name), { recursive: true, force: true });
    mkdirSync(join(this.folder, 'prompts'));
    mkdirSync(join(this.folder, 'rows'));
    for (const [name, text] of Object.entries(state.prompts)) writeFileSync(join(this.folder, 'prompts', name), text);
    writeFileSync(join(this.folder, 'rows', state.rowFile), `${state.rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
    const role = (model: string) => ({ provider: 'mock', model, temperature: 0, seed: 0 });
    return Config.parse({
      name: 'staleness',
      sources: [{ name: 'demo', adapter: 'meddialog', path: join(this.folder, 'rows'), ...state.source }],
      promptsDir: join(this.folder, 'prompts'),
      providers: { mock: { baseUrl: this.url, timeoutSeconds: 20, ...state.provider } },
      models: {
        builder: { ...role('rehearsal'), ...state.builder },
        reviewerA: { ...role('rehearsal-a'), ...state.reviewerA },
        reviewerB: role('rehearsal-b'),
      },
      ...state.config,
    });
  }

  /** What the oracle is told of a state. */
  slowWorld(state: State): SlowWorld {
    const config = this.write(state);
    return { config, prompts: readPrompts({ config, file: 'config', baseDir: ROOT, projectFolder: '' }) };
  }

  /** Candidates of a state, read from its files alone. */
  async candidates(state: State): Promise<readonly Candidate[]> {
    const config = this.write(state);
    const { seed, screening } = config;
    const ingested = await ingestSources(config.sources, { baseDir: ROOT, sourcesDir: this.folder, seed, ...screening });
    return DOMAINS.flatMap((domain) => [...ingested.candidates(domain)].flat());
  }

  async store(): Promise<InProcess['store']> {
    this.open ??= await openInProcess(this.folder);
    return this.open.store;
  }

  async plan(state: State): Promise<Plan> {
    const store = await this.store();
    const { config, prompts } = this.slowWorld(state);
    const spec = { label: 'main', config, baseDir: ROOT, rehearsal: false, prompts };
    return (await readPlan(store, { spec, restratify: false, explain: null })).plan;
  }

  /** Starts a build and gives how it ended. */
  async drive(state: State, runId: string): Promise<string> {
    const config = this.write(state);
    await this.store();
    const end = await this.open?.drive(runId, 'main', config);
    return end?.kind === 'ended' ? end.verdict : JSON.stringify(end);
  }

  /** Plans, builds to the end and reads what was done. */
  async build(state: State, runId: string): Promise<Built> {
    const plan = await this.plan(state);
    const verdict = await this.drive(state, runId);
    if (verdict !== 'complete' && verdict !== 'dry') throw new Error(`the build ended ${verdict}`);
    return { plan, next: await this.plan(state), ...(await this.done(state, runId)) };
  }

  /** What a run did, read from the store. */
  async done(state: State, runId: string): Promise<Omit<Built, 'plan' | 'next'>> {
    const store = await this.store();
    const run = await store.run(runId);
    if (run === null) throw new Error(`no run ${runId}`);
    const config = this.write(state);
    const ids: string[] = [];
    for (const domain of DOMAINS)
      for (const item of await store.outcomesAt(run.orderId, run.pipelineHash, domain, 0, 1000)) ids.push(item.candidateId);
    const made = new Set<string>();
    for (const id of ids)
      for (const output of await store.lineage.stepOutputs(id)) if (output.runId === runId) made.add(`${id} ${output.step}`);
    const calls = await store.calls({ runId }, 100_000);
    const outcomes = await store.outcomes(run, ids);
    return {
      made,
      keys: new Set(calls.filter(({ step }) => step !== 'probe' && step !== 'canary').map(({ key }) => key)),
      outcomes: new Map(outcomes.map((outcome) => [outcome.candidateId, outcome])),
      kept: (await foldStored(store, run, config)).kept,
    };
  }

  async close(): Promise<void> {
    await this.open?.close();
    this.open = null;
  }
}
