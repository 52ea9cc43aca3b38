import { describe, expect, test, vi } from 'vitest';
import { foldStored } from '../../activities/fold-stored.ts';
import { keptFold } from '../../activities/kept-fold.ts';
import { createLaunchPlanner } from '../../activities/plan-launch.ts';
import type { RunContext } from '../../activities/run-context.ts';
import { Config } from '../../schemas/config.ts';
import type { Candidate } from '../../schemas/candidate.ts';
import { seededUniforms } from '../../schemas/hash.ts';
import { DOMAINS } from '../../schemas/levels.ts';
import type { Domain } from '../../schemas/levels.ts';
import type { OutcomeRow, Store } from '../../store/port.ts';
import type { ChunkRef } from '../../workflows/types.ts';
import { candidate } from '../store/made.ts';
import { tempStore } from '../store/samples.ts';
import { putOrder } from '../support/put-order.ts';

interface Scenario {
  readonly name: string;
  readonly chunkSize: number;
  readonly window: number;
  readonly target: number;
  readonly size: number;
  readonly yieldRate: number;
  readonly quota?: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'one by one, most rejected', chunkSize: 1, window: 1, target: 3, size: 30, yieldRate: 0.2 },
  { name: 'one by one, nothing accepted', chunkSize: 1, window: 1, target: 2, size: 12, yieldRate: 0 },
  { name: 'wide window', chunkSize: 7, window: 8, target: 12, size: 60, yieldRate: 0.5 },
  { name: 'chunk larger than the source', chunkSize: 100, window: 4, target: 5, size: 9, yieldRate: 0.9 },
  { name: 'exactly the target', chunkSize: 5, window: 2, target: 20, size: 20, yieldRate: 1 },
  { name: 'an empty domain', chunkSize: 5, window: 2, target: 4, size: 0, yieldRate: 1 },
  { name: 'a source with a quota', chunkSize: 4, window: 2, target: 8, size: 40, yieldRate: 0.6, quota: 3 },
];

async function fill(store: Store, size: number): Promise<void> {
  async function* candidates(): AsyncGenerator<ReturnType<typeof candidate>[]> {
    for (const [index, domain] of DOMAINS.entries()) {
      const made = Array.from({ length: size }, (_, position) => {
        const one = candidate(index * 1000 + position);
        return {
          ...one,
          domain,
          position,
          row: { ...one.row, domain, source: position % 2 === 0 ? 'even' : 'odd', sourceId: `${domain}:${position}` },
        };
      });
      if (made.length > 0) yield made;
    }
  }
  async function* none(): AsyncGenerator<[]> {
    yield [];
  }
  await putOrder(store, { id: 'order-1', createdAt: 1, facts: '{}' }, candidates(), none());
}

function context(scenario: Scenario, pipelineHash = 'p1'): RunContext {
  const { target, chunkSize, window, quota } = scenario;
  const source = (name: string): unknown => ({
    name,
    adapter: 'custom',
    path: 'x',
    ...(quota !== undefined && name === 'even' && { quota }),
  });
  const config = Config.parse({
    name: 'n',
    target: { health: target, general: target, coding: target },
    sources: [source('even'), source('odd')],
    construction: { chunkSize, window },
  });
  return { runId: 'run-1', orderId: 'order-1', pipelineHash, spec: { config } } as unknown as RunContext;
}

type Status = OutcomeRow['status'];

async function put(store: Store, chunk: ChunkRef, statusOf: (one: Candidate) => Status, pipelineHash = 'p1'): Promise<void> {
  const rows = await store.candidates('order-1', chunk.domain, Math.min(...chunk.positions), Math.max(...chunk.positions) + 1);
  const outcomes = rows
    .filter(({ candidate: one }) => chunk.positions.includes(one.position))
    .map(({ candidate: one, rowHash }): OutcomeRow => {
      const status = statusOf(one);
      const query = `Is the ${one.id.slice(0, 6)} of ${one.domain} at ${one.position} as good as the other one we saw?`;
      return {
        candidateId: one.id,
        pipelineHash,
        rowHash,
        status,
        step: 'screen',
        reason: status === 'accepted' ? '' : 'needs_review',
        detail: '',
        query: status === 'accepted' ? query : null,
        example: status === 'accepted' ? '{}' : null,
        callKeys: [],
        trail: [],
        runId: 'run-1',
        at: 1,
      };
    });
  await store.putOutcomes(outcomes);
}

/** Verdicts that depend on the candidate only, so that every schedule must end with the same examples. */
function finish(store: Store, chunk: ChunkRef, yieldRate: number, pipelineHash = 'p1'): Promise<void> {
  return put(store, chunk, (one) => (seededUniforms('verdict', one.id)() < yieldRate ? 'accepted' : 'rejected'), pipelineHash);
}

describe('the launch planner', () => {
  test.each(SCENARIOS)('ends every build: $name', async (scenario) => {
    const { store } = await tempStore();
    await fill(store, scenario.size);
    const run = context(scenario);
    const planner = createLaunchPlanner({ store, contexts: { get: () => Promise.resolve(run) } });
    const uniform = seededUniforms('schedule', scenario.name);
    const inFlight: ChunkRef[] = [];
    const started = new Map<Domain, Set<number>>(DOMAINS.map((domain) => [domain, new Set<number>()]));
    for (let round = 0; ; round += 1) {
      expect(round).toBeLessThan(500);
      const plan = await planner.plan('run-1', inFlight);
      for (const chunk of plan.launch) {
        expect(chunk.positions.length).toBeLessThanOrEqual(scenario.chunkSize);
        for (const position of chunk.positions) {
          expect(started.get(chunk.domain)?.has(position)).toBe(false);
          started.get(chunk.domain)?.add(position);
        }
      }
      inFlight.push(...plan.launch);
      const open = DOMAINS.map((domain) => inFlight.filter((chunk) => chunk.domain === domain).flatMap((chunk) => chunk.positions));
      for (const positions of open)
        if (positions.length > 0)
          expect(Math.max(...positions) - Math.min(...positions)).toBeLessThan(scenario.chunkSize * scenario.window + scenario.chunkSize);
      const [done] = inFlight.splice(Math.floor(uniform() * inFlight.length), 1);
      if (done === undefined) {
        expect(plan.verdict).not.toBe('working');
        for (const domain of DOMAINS) expect(plan.accepted[domain]).toBeLessThanOrEqual(scenario.target);
        const full = DOMAINS.every((domain) => plan.accepted[domain] === scenario.target);
        expect(plan.verdict).toBe(full ? 'complete' : 'dry');
        return;
      }
      await finish(store, done, scenario.yieldRate);
    }
  });

  test('starts reopened candidates that hold back enough accepted ones, and none behind the cut-off', async () => {
    const { store } = await tempStore();
    await fill(store, 12);
    const run = context({ name: 'reopened', chunkSize: 4, window: 3, target: 2, size: 12, yieldRate: 1 });
    const planner = createLaunchPlanner({ store, contexts: { get: () => Promise.resolve(run) } });
    const open = new Set([0, 5]);
    for (const domain of DOMAINS) {
      const chunk = { domain, positions: [0, 1, 2, 3, 4, 5, 6] };
      await put(store, chunk, ({ position }) => (domain === 'health' && open.has(position) ? 'failed' : 'accepted'));
    }
    expect(await planner.plan('run-1', [])).toMatchObject({ launch: [], verdict: 'stuck' });
    await put(store, { domain: 'health', positions: [...open] }, () => 'retry');
    for (const fresh of [planner, createLaunchPlanner({ store, contexts: { get: () => Promise.resolve(run) } })])
      expect(await fresh.plan('run-1', [])).toMatchObject({ launch: [{ domain: 'health', positions: [0] }], verdict: 'working' });
    await put(store, { domain: 'health', positions: [0] }, () => 'rejected');
    expect(await planner.plan('run-1', [])).toMatchObject({ launch: [], verdict: 'complete', accepted: { health: 2 } });
  });
});

/** Builds to the end, one chunk after another, and gives the positions started per domain. */
async function buildOut(store: Store, scenario: Scenario, pipelineHash: string): Promise<ReadonlyMap<Domain, readonly number[]>> {
  const run = context(scenario, pipelineHash);
  const planner = createLaunchPlanner({ store, contexts: { get: () => Promise.resolve(run) } });
  const started = new Map<Domain, number[]>(DOMAINS.map((domain) => [domain, []]));
  const inFlight: ChunkRef[] = [];
  for (;;) {
    const plan = await planner.plan('run-1', inFlight);
    inFlight.push(...plan.launch);
    for (const chunk of plan.launch) started.get(chunk.domain)?.push(...chunk.positions);
    const done = inFlight.shift();
    if (done === undefined) {
      expect(plan.verdict).toBe('complete');
      return started;
    }
    await finish(store, done, scenario.yieldRate, pipelineHash);
  }
}

const REBUILT: Scenario = { name: 'rebuilt', chunkSize: 5, window: 2, target: 3, size: 20, yieldRate: 0.5 };

test('a rebuild whose verdicts repeat starts no candidate that the fold does not come to', async () => {
  const { store } = await tempStore();
  await fill(store, REBUILT.size);
  const before = await buildOut(store, REBUILT, 'p1');
  const after = await buildOut(store, REBUILT, 'p2');
  for (const domain of DOMAINS) {
    const first = before.get(domain) ?? [];
    const again = after.get(domain) ?? [];
    expect(again.every((position) => first.includes(position))).toBe(true);
    let accepted = 0;
    const rows = await store.candidates('order-1', domain, 0, REBUILT.size);
    const cutOff = rows.findIndex(({ candidate: one }) => {
      if (seededUniforms('verdict', one.id)() < REBUILT.yieldRate) accepted += 1;
      return accepted === REBUILT.target;
    });
    expect(again.length).toBe(cutOff + 1);
  }
});

test('a candidate that is open again before accepted ones that are enough is started, and nothing else', async () => {
  const { store } = await tempStore();
  await fill(store, REBUILT.size);
  await buildOut(store, REBUILT, 'p1');
  const [first] = await store.candidates('order-1', 'health', 0, 1);
  if (first === undefined) throw new Error('no candidate');
  const outcome = (await store.outcomesAt('order-1', 'p1', 'health', 0, 1))[0]?.outcome;
  if (outcome === null || outcome === undefined) throw new Error('no outcome');
  await store.putOutcomes([{ ...outcome, status: 'retry', query: null, example: null, callKeys: [], trail: [] }]);
  const run = context(REBUILT);
  const planner = createLaunchPlanner({ store, contexts: { get: () => Promise.resolve(run) } });
  expect((await planner.plan('run-1', [])).launch).toEqual([{ domain: 'health', positions: [0] }]);
});

test('a build that finds everything decided ends by the fold that was kept, and counts as the exact one does', async () => {
  const { store } = await tempStore();
  await fill(store, REBUILT.size);
  await buildOut(store, REBUILT, 'p1');
  const pages = vi.spyOn(store, 'outcomesAt');
  const run = context(REBUILT);
  const exact = await foldStored(store, run, run.spec.config);
  pages.mockClear();
  const planner = createLaunchPlanner({ store, contexts: { get: () => Promise.resolve(run) } });
  const plan = await planner.plan('run-1', []);
  expect(plan).toMatchObject({ launch: [], verdict: 'complete' });
  for (const domain of DOMAINS) expect(plan.accepted[domain]).toBe(exact.domains[domain].kept.length);
  expect(pages).not.toHaveBeenCalled();
  expect(await keptFold(store, run, run.spec.config)).toEqual(exact);
  const more = context({ ...REBUILT, target: REBUILT.target + 1 });
  expect(await keptFold(store, more, more.spec.config)).toBeNull();
});
