import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNearQueries } from '../../activities/fold-stored.ts';
import { foldDomain } from '../../stages/acceptance.ts';
import { EDITS, withoutStep } from '../support/staleness/edits.ts';
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

/** Candidates of a state from scratch; all of them, or the ones named. */
async function slowly(project: StaleProject, state: State, ids: ReadonlySet<string> | null = null): Promise<Map<string, SlowEnd>> {
  const world: SlowWorld = project.slowWorld(state);
  const wanted = (await project.candidates(state)).filter(({ id }) => ids === null || ids.has(id));
  return new Map(wanted.map((candidate) => [candidate.id, slowRun(world, candidate)]));
}

beforeAll(async () => {
  server = await startReplyServer();
  base = newProject('base');
  const state = firstState();
  before = await slowly(base, state);
  first = await base.build(state, 'base');
  await base.close();
  base.keep();
});

afterAll(async () => {
  await base.close();
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

/** What an earlier build launched, and what the oracle made of it. */
interface Earlier {
  readonly built: Built;
  readonly ends: ReadonlyMap<string, SlowEnd>;
}

/** What must be decided and asked: what the oracle does now for launched candidates and did for none that an earlier build launched. */
function wanted(
  built: Built,
  now: ReadonlyMap<string, SlowEnd>,
  earlier: readonly Earlier[],
): { readonly made: Set<string>; readonly keys: Set<string> } {
  const made = new Set<string>();
  const keys = new Set<string>();
  const pasts = (id: string): readonly SlowEnd[] =>
    earlier.flatMap((past) => (past.built.outcomes.has(id) ? (past.ends.get(id) ?? []) : []));
  const known = new Set(earlier.flatMap((past) => [...past.built.outcomes.keys()].flatMap((id) => [...(past.ends.get(id)?.calls ?? [])])));
  for (const id of built.outcomes.keys()) {
    const end = now.get(id);
    for (const [step, from] of end?.decidedFrom ?? [])
      if (pasts(id).every((past) => past.decidedFrom.get(step) !== from)) made.add(`${id} ${step}`);
    for (const key of end?.calls ?? []) if (!known.has(key)) keys.add(key);
  }
  return { made, keys };
}

/** The fold over everything the oracle made, and over all it would make when that is not enough: what a clean build keeps. */
async function keptFromScratch(project: StaleProject, state: State, now: Map<string, SlowEnd>): Promise<readonly string[]> {
  const config = project.write(state);
  const store = await project.store();
  const run = await store.latestRun('main');
  const places = run === null ? [] : await store.outcomesAt(run.orderId, run.pipelineHash, 'health', 0, 1000);
  const fold = (): ReturnType<typeof foldDomain> => {
    const pages = places.map(({ position, candidateId, source }) => {
      const end = now.get(candidateId);
      const outcome = end === undefined || end.status === 'no_verdict' ? null : { status: end.status, query: end.query };
      return { position, candidateId, source, waived: false, outcome };
    });
    return foldDomain(pages, { total: config.target.health }, createNearQueries(config.screening.nearDuplicateJaccard));
  };
  const first = fold();
  if (first.met) return first.kept;
  const rest = new Set(places.map(({ candidateId }) => candidateId).filter((id) => !now.has(id)));
  for (const [id, end] of await slowly(project, state, rest)) now.set(id, end);
  return fold().kept;
}

const sorted = (items: Iterable<string>): readonly string[] => [...items].sort();

test('the first build is what the oracle makes from scratch', () => {
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

function line(name: string, built: Built, reserve: number): string {
  const beyond = reserve > 0 ? `  (${reserve} candidates never seen before)` : '';
  return `${name.padEnd(44)} decided ${String(built.made.size).padStart(3)}  calls ${String(built.keys.size).padStart(3)}  ${stepsOf(built.made).join(', ')}${beyond}\n`;
}

/** Plans and builds a state, prints its line, and holds it against the oracle and what was built before it. */
async function held(name: string, project: StaleProject, state: State, earlier: readonly Earlier[]): Promise<Built> {
  const built = await project.build(state, 'edit');
  const now = await slowly(project, state, new Set(built.outcomes.keys()));
  const { made, keys } = wanted(built, now, earlier);
  process.stdout.write(line(name, built, unseen(built, earlier).length));
  expect(sorted(built.made)).toEqual(sorted(made));
  expect(sorted(built.keys)).toEqual(sorted(keys));
  for (const [id, outcome] of built.outcomes) {
    const end = now.get(id);
    expect([id, outcome.status, outcome.example]).toEqual([id, end?.status, end?.example]);
  }
  expect(built.kept).toEqual(await keptFromScratch(project, state, now));
  const { lower, upper, refill } = built.plan.calls;
  expect(lower).toBeLessThanOrEqual(built.keys.size);
  expect(built.keys.size).toBeLessThanOrEqual(upper + refill);
  return built;
}

/** Candidates that no earlier build launched. */
function unseen(built: Built, earlier: readonly Earlier[]): readonly string[] {
  return [...built.outcomes.keys()].filter((id) => !earlier.some((past) => past.built.outcomes.has(id)));
}

test.each(EDITS.map((edit) => [edit.name, edit] as const))('%s: exactly what must be is decided and asked', async (name, edit) => {
  const state = firstState();
  // The same folder with the base's store put back: only the edit differs.
  const project = new StaleProject(base.folder, server.url);
  project.restore();
  const earlier: Earlier[] = [{ built: first, ends: before }];
  if (edit.before !== undefined) {
    const between = firstState();
    edit.before(between);
    const built = await project.build(between, 'between');
    earlier.push({ built, ends: await slowly(project, between, new Set(built.outcomes.keys())) });
  }
  edit.edit(state);
  const restore = edit.code?.();
  try {
    const built = await held(name, project, state, earlier);
    expect(built.next.verdict).toBe('nothing');
    if (edit.steps !== null) expect([stepsOf(built.made), unseen(built, earlier)]).toEqual([sorted(edit.steps), []]);
    if (edit.free === true) expect(built.keys.size).toBe(0);
  } finally {
    restore?.();
    await project.close();
  }
});

test('a new step: it alone is decided and asked, for the candidates that come to it', async () => {
  const project = newProject('new-step');
  const putBack = withoutStep('review-fidelity');
  const earlier: Earlier[] = [];
  try {
    const built = await project.build(firstState(), 'without');
    earlier.push({ built, ends: await slowly(project, firstState()) });
    expect(stepsOf(built.made)).not.toContain('review-fidelity');
  } finally {
    putBack();
  }
  const built = await held('new step', project, firstState(), earlier);
  expect(stepsOf(built.made)).toEqual(['review-fidelity']);
  await project.close();
});
