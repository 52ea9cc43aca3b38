import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNearQueries } from '../../activities/fold-stored.ts';
import { foldDomain } from '../../stages/acceptance.ts';
import { EDITS } from '../support/staleness/edits.ts';
import { slowRun } from '../support/staleness/oracle.ts';
import type { SlowEnd, SlowWorld } from '../support/staleness/oracle.ts';
import { startReplyServer } from '../support/staleness/reply-server.ts';
import { firstState, StaleProject } from '../support/staleness/world.ts';
import type { Built, State } from '../support/staleness/world.ts';

const root = mkdtempSync(join(tmpdir(), 'memcalib-stale-'));
let server: Awaited<ReturnType<typeof startReplyServer>>;
let base: StaleProject;
let before: ReadonlyMap<string, SlowEnd>;
let first: Built;

function newProject(name: string): StaleProject {
  return new StaleProject(mkdtempSync(join(root, `${name}-`)), server.url);
}

/** Every candidate of a state from scratch, whatever a build would launch. */
async function slowAll(project: StaleProject, state: State): Promise<ReadonlyMap<string, SlowEnd>> {
  const world: SlowWorld = project.slowWorld(state);
  return new Map((await project.candidates(state)).map((candidate) => [candidate.id, slowRun(world, candidate)]));
}

beforeAll(async () => {
  server = await startReplyServer();
  base = newProject('base');
  const state = firstState();
  before = await slowAll(base, state);
  first = await base.build(state, 'base');
  await base.close();
  base.keep();
});

afterAll(async () => {
  await base.close();
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

/** What must be decided and asked: what the oracle does now for launched candidates and did not do before for candidates launched then. */
function wanted(built: Built, now: ReadonlyMap<string, SlowEnd>): { readonly made: Set<string>; readonly keys: Set<string> } {
  const made = new Set<string>();
  const keys = new Set<string>();
  const known = new Set([...first.outcomes.keys()].flatMap((id) => [...(before.get(id)?.calls ?? [])]));
  for (const id of built.outcomes.keys()) {
    const old = first.outcomes.has(id) ? before.get(id) : undefined;
    const end = now.get(id);
    for (const [step, from] of end?.decidedFrom ?? []) if (old?.decidedFrom.get(step) !== from) made.add(`${id} ${step}`);
    for (const key of end?.calls ?? []) if (!known.has(key)) keys.add(key);
  }
  return { made, keys };
}

async function keptFromScratch(
  project: StaleProject,
  state: State,
  now: ReadonlyMap<string, SlowEnd>,
  built: Built,
): Promise<readonly string[]> {
  const config = project.write(state);
  const store = await project.store();
  const run = await store.latestRun('main');
  const places = run === null ? [] : await store.outcomesAt(run.orderId, run.pipelineHash, 'health', 0, 1000);
  const pages = places.map(({ position, candidateId, source }) => {
    const end = now.get(candidateId);
    const outcome = end === undefined || end.status === 'no_verdict' ? null : { status: end.status, query: end.query };
    return { position, candidateId, source, waived: false, outcome };
  });
  expect(built.outcomes.size).toBeGreaterThan(0);
  return foldDomain(pages, { total: config.target.health }, createNearQueries(config.screening.nearDuplicateJaccard)).kept;
}

const sorted = (items: Iterable<string>): readonly string[] => [...items].sort();

test('the first build is what the oracle makes from scratch', () => {
  const { made, keys } = wanted({ ...first, outcomes: first.outcomes }, before);
  expect([made.size, keys.size]).toEqual([0, 0]);
  const calls = new Set([...first.outcomes.keys()].flatMap((id) => [...(before.get(id)?.calls ?? [])]));
  expect(sorted(first.keys)).toEqual(sorted(calls));
  expect(first.kept.length).toBe(4);
});

test('the table has at least forty edits, no two of one name', () => {
  expect(EDITS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(EDITS.map(({ name }) => name)).size).toBe(EDITS.length);
});

function stepsOf(made: Iterable<string>): readonly string[] {
  return sorted(new Set([...made].map((item) => item.split(' ')[1] ?? '')));
}

test.each(EDITS.map((edit) => [edit.name, edit] as const))('%s: exactly what must be is decided and asked', async (name, edit) => {
  const state = firstState();
  edit.edit(state);
  // The same folder with the base's store put back: only the edit differs.
  const project = new StaleProject(base.folder, server.url);
  project.restore();
  const restore = edit.code?.();
  try {
    const now = await slowAll(project, state);
    const built = await project.build(state, 'edit');
    const { made, keys } = wanted(built, now);
    process.stdout.write(
      `${name.padEnd(44)} decided ${String(built.made.size).padStart(3)}  calls ${String(built.keys.size).padStart(3)}  ${stepsOf(built.made).join(', ')}\n`,
    );
    expect(sorted(built.made)).toEqual(sorted(made));
    expect(sorted(built.keys)).toEqual(sorted(keys));
    // Candidates the base never launched are reserve within the launch bound or refills: the oracle's sets above hold for them too.
    const redone = [...built.made].filter((item) => first.outcomes.has(item.split(' ')[0] ?? ''));
    if (edit.steps !== null) expect(stepsOf(redone)).toEqual(sorted(edit.steps));
    const isSame = [...built.outcomes.keys()].every((id) => first.outcomes.has(id));
    if (edit.free === true && isSame) expect(built.keys.size).toBe(0);
    for (const [id, outcome] of built.outcomes) {
      const end = now.get(id);
      expect([id, outcome.status, outcome.example]).toEqual([id, end?.status, end?.example]);
    }
    expect(built.kept).toEqual(await keptFromScratch(project, state, now, built));
    const { lower, upper, refill } = built.plan.calls;
    expect(lower).toBeLessThanOrEqual(built.keys.size);
    expect(built.keys.size).toBeLessThanOrEqual(upper + refill);
    expect(built.next.verdict).toBe('nothing');
  } finally {
    restore?.();
    await project.close();
  }
});
