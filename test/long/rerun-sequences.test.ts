import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportRelease } from '../../cli/queries/export-release.ts';
import { createNearQueries } from '../../activities/fold-stored.ts';
import { seededUniforms } from '../../schemas/hash.ts';
import { foldDomain } from '../../stages/acceptance.ts';
import type { CallLine } from '../../store/port.ts';
import { compileChild, start } from '../store/processes.ts';
import { EXACT_FILES } from '../support/exports.ts';
import { slowRun } from '../support/staleness/oracle.ts';
import { startReplyServer } from '../support/staleness/reply-server.ts';
import type { ReplyServer } from '../support/staleness/reply-server.ts';
import { brokenBounds, drawTurns } from '../support/staleness/sequence.ts';
import type { Turn } from '../support/staleness/sequence.ts';
import { StaleProject } from '../support/staleness/world.ts';
import type { State } from '../support/staleness/world.ts';

const SEEDS = (process.env['MEMCALIB_SEQUENCES'] ?? 'd,e').split(',');
const TURNS = 6;

const root = mkdtempSync(join(tmpdir(), 'memcalib-sequences-'));
let server: ReplyServer;
let child = { script: '', remove: (): Promise<void> => Promise.resolve() };

beforeAll(async () => {
  server = await startReplyServer(15);
  child = await compileChild(join(import.meta.dirname, '../support/staleness/build-child.ts'));
});
afterAll(async () => {
  await server.close();
  await child.remove();
  rmSync(root, { recursive: true, force: true });
});

/** Builds in a process of its own and kills it after so many calls; gives its last word, or none. */
async function buildApart(project: StaleProject, turn: Turn, runId: string): Promise<string> {
  const file = join(project.folder, 'state.json');
  writeFileSync(file, JSON.stringify(turn.state));
  const build = start(process.execPath, [child.script, project.folder, server.url, runId, file]);
  let calls = 0;
  server.onCall = () => {
    calls += 1;
    if (calls === turn.killAfter) build.process.kill('SIGKILL');
  };
  const lines = await build.ended;
  server.onCall = () => undefined;
  return lines.at(-1) ?? 'killed';
}

/** What the oracle makes of every candidate of a state: the keys it needs up to the cut-off of a clean build, and all it could ask. */
async function oracle(
  project: StaleProject,
  state: State,
): Promise<{ readonly needed: Set<string>; readonly all: Set<string>; readonly beyond: Set<string> }> {
  const world = project.slowWorld(state);
  const candidates = await project.candidates(state);
  const ends = candidates.map((candidate) => ({ candidate, end: slowRun(world, candidate) }));
  const places = ends.map(({ candidate, end }) => ({
    position: candidate.position,
    candidateId: candidate.id,
    source: candidate.row.source,
    waived: false,
    outcome: end.status === 'no_verdict' ? null : { status: end.status, query: end.query },
  }));
  const near = createNearQueries(world.config.screening.nearDuplicateJaccard);
  const fold = foldDomain(places, { total: world.config.target.health }, near);
  const cutOff = fold.met ? Math.max(...Object.values(fold.cutoffs)) : candidates.length;
  const keysOf = (to: number): Set<string> =>
    new Set(ends.filter(({ candidate }) => candidate.position <= to).flatMap(({ end }) => [...end.calls]));
  const beyond = new Set(candidates.filter(({ position }) => position > cutOff).map(({ id }) => id));
  return { needed: keysOf(cutOff), all: keysOf(candidates.length), beyond };
}

async function callsSince(project: StaleProject, callNo: number): Promise<readonly CallLine[]> {
  const store = await project.store();
  const lines = await store.calls({}, 100_000);
  return lines.filter((line) => line.callNo > callNo && line.step !== 'probe' && line.step !== 'canary');
}

async function exportedBytes(project: StaleProject, name: string): Promise<readonly string[]> {
  const folder = join(project.folder, name);
  await exportRelease(await project.store(), { label: 'main', folder, allowUnknownLicence: true, partial: true, allowMixed: false });
  return EXACT_FILES.map((file) => readFileSync(join(folder, file), 'utf8'));
}

const minus = (keys: Iterable<string>, known: ReadonlySet<string>): readonly string[] =>
  [...new Set(keys)].filter((key) => !known.has(key)).sort();

/** Figures of a sequence, added up over its turns. */
interface Sums {
  /** Keys with a reply, and keys sent with or without one. */
  readonly answered: Set<string>;
  readonly sent: Set<string>;
  calls: number;
  minimum: number;
  reserve: number;
  inFlight: number;
  unpriced: number;
  kills: number;
}

/** One turn: plan, build or be killed, and hold what was asked against oracle and plan. */
async function take(project: StaleProject, turn: Turn, runId: string, sums: Sums): Promise<void> {
  const plan = await project.plan(turn.state);
  const wanted = await oracle(project, turn.state);
  const last = Math.max(-1, ...(await (await project.store()).calls({}, 1)).map(({ callNo }) => callNo));
  await project.close();
  const word = await buildApart(project, turn, runId);
  const lines = await callsSince(project, last);
  const sent = new Set(lines.map(({ key }) => key));
  const open = lines.filter((line) => line.class === null).length;
  const isEnded = word === 'complete' || word === 'dry';
  const context = `${turn.name} (${word})`;
  // Nothing is asked that is known, and nothing that the state does not call for.
  expect(minus(sent, new Set(minus(wanted.all, sums.answered))), context).toEqual([]);
  if (isEnded) expect(minus(minus(wanted.needed, sums.answered), sent), context).toEqual([]);
  const fresh = new Set(minus(sent, sums.sent));
  const reserve = minus(fresh, wanted.needed).length;
  // Reserve: never further behind the cut-off than the launch rule reaches.
  const { chunkSize, window } = project.write(turn.state).construction;
  const reserved = new Set(lines.map(({ candidateId }) => candidateId).filter((id) => wanted.beyond.has(id)));
  expect(reserved.size, context).toBeLessThanOrEqual(chunkSize * window);
  const microUsd = lines.reduce((sum, line) => sum + (line.costMicroUsd ?? 0), 0);
  const unpriced = lines.filter((line) => line.class !== null && line.costMicroUsd === null).length;
  expect(brokenBounds(plan, { logicalCalls: sent.size, microUsd, unpriced, isEnded }), context).toEqual([]);
  if (isEnded) expect((await project.plan(turn.state)).verdict, context).toBe('nothing');
  sums.calls += lines.length;
  sums.reserve += reserve;
  sums.minimum += fresh.size - reserve;
  sums.inFlight += open;
  sums.unpriced += unpriced;
  sums.kills += word === 'killed' ? 1 : 0;
  for (const { key, class: outcome } of lines) {
    sums.sent.add(key);
    if (outcome !== null) sums.answered.add(key);
  }
  const bounds = `${plan.calls.lower}-${plan.calls.upper}+${plan.calls.refill}`;
  process.stdout.write(
    `  ${context.padEnd(58)} ${String(sent.size).padStart(3)} calls (plan ${bounds}), ${reserve} reserve, ${open} in flight at the kill\n`,
  );
}

test.each(SEEDS)(
  'sequence %s of edits, reverts and kills ends with the bytes of a clean build and pays for nothing twice',
  async (seed) => {
    const project = new StaleProject(mkdtempSync(join(root, `${seed}-`)), server.url);
    const turns = drawTurns(seededUniforms('rerun-sequences', seed), TURNS);
    const sums: Sums = { answered: new Set(), sent: new Set(), calls: 0, minimum: 0, reserve: 0, inFlight: 0, unpriced: 0, kills: 0 };
    let runId = 'run-0';
    for (const [index, turn] of turns.entries()) {
      if (turn.name !== 'go on') runId = `run-${index}`;
      await take(project, turn, runId, sums);
    }
    const { calls, minimum, reserve, inFlight, kills, unpriced } = sums;
    process.stdout.write(
      `sequence ${seed}: ${turns.length} builds, ${kills} killed; ${calls} calls = the oracle's minimum of ${minimum} + ${reserve} reserve + ${calls - minimum - reserve} again (${inFlight} in flight at kills; ${unpriced} without a price)\n`,
    );
    expect(calls).toBeLessThanOrEqual(minimum + reserve + inFlight);
    const last = turns.at(-1);
    if (last === undefined) throw new Error('no turns');
    const rough = await exportedBytes(project, 'rough');
    await project.close();
    const clean = new StaleProject(mkdtempSync(join(root, `${seed}-clean-`)), server.url);
    await clean.drive(last.state, 'clean');
    expect(rough).toEqual(await exportedBytes(clean, 'clean'));
    await clean.close();
  },
);
