import { afterAll, expect, test } from 'vitest';
import { seededUniforms } from '../../schemas/hash.ts';
import { exportHashes, ledgerCounts } from '../support/exports.ts';
import { killNow, makeProject, until } from '../support/project.ts';
import type { Running, TestProject } from '../support/project.ts';

const KILLS = 12;
const VICTIMS = ['owner', 'temporal', 'rehearsal'] as const;
type Victim = (typeof VICTIMS)[number];

const projects: TestProject[] = [];
afterAll(async () => {
  for (const project of projects) await project.cleanUp();
}, 60_000);

function project(): TestProject {
  const made = makeProject({ target: { health: 14, general: 13, coding: 13 }, construction: { chunkSize: 8, window: 2 } });
  projects.push(made);
  return made;
}

function pidOf(project: TestProject, victim: Victim): number | null {
  const owner = project.owner();
  if (owner === null) return null;
  return victim === 'owner' ? owner.pid : victim === 'temporal' ? owner.temporalPid : owner.rehearsalPid;
}

/** A build that runs; the same command again when the last one was ended by a kill. */
async function keepBuilding(project: TestProject, last: Running | null): Promise<Running> {
  if (last !== null && last.child.exitCode === null) return last;
  if (last !== null) await last.ended;
  return project.start('build');
}

test(`${KILLS} random kill -9 of the owner, the Temporal server and the rehearsal model leave a byte-equal export`, async () => {
  const smooth = project();
  const { code, output } = await smooth.run('build');
  expect([0, 6], output).toContain(code);
  const wanted = await exportHashes(smooth);
  await smooth.endOwner('SIGTERM');

  const rough = project();
  const draw = seededUniforms('kill-series-1');
  const killed: Record<Victim, number> = { owner: 0, temporal: 0, rehearsal: 0 };
  let build: Running | null = null;
  for (let kill = 0; kill < KILLS; kill += 1) {
    build = await keepBuilding(rough, build);
    const victim = VICTIMS[Math.floor(draw() * VICTIMS.length)] ?? 'owner';
    const running = build;
    const pid = await until(`a ${victim} to kill`, () => pidOf(rough, victim) ?? (running.child.exitCode === null ? null : 0));
    await new Promise((resolve) => setTimeout(resolve, draw() * 1500));
    if (pid === 0) continue;
    killNow(pid);
    killed[victim] += 1;
    if (victim === 'owner') await build.ended;
  }
  if (build !== null && build.child.exitCode === null) await build.ended;
  const last = await rough.run('build');
  expect(last.code, last.output).toBe(code);
  expect(await exportHashes(rough)).toEqual(wanted);
  await rough.endOwner('SIGTERM');

  const ledger = await ledgerCounts(rough);
  const repaid = ledger.attempts - ledger.keys;
  const facts = `kills ${JSON.stringify(killed)}: ${ledger.attempts} attempts for ${ledger.keys} keys, ${repaid} repeated, ${ledger.unfinished} without completion, ${ledger.duplicates} paid twice`;
  process.stdout.write(`${facts}\n`);
  expect(ledger.duplicates, facts).toBe(0);
  expect(killed.owner + killed.temporal + killed.rehearsal, facts).toBeGreaterThanOrEqual(KILLS / 2);
});
