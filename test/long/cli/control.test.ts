import { afterAll, describe, expect, test } from 'vitest';
import { EXIT } from '../../../cli/cli-error.ts';
import type { ConfigInput } from '../../../schemas/config.ts';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportHashes, ledgerCounts } from '../../support/exports.ts';
import { askingServer, isAlive, makeProject, startRehearsal, until } from '../../support/project.ts';
import type { TestProject, TestRehearsal } from '../../support/project.ts';

const cleanUps: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}, 120_000);

const CONFIG: Partial<ConfigInput> = { target: { health: 2, general: 1, coding: 1 }, construction: { chunkSize: 4, window: 2 } };

async function slowServer(...args: readonly string[]): Promise<TestRehearsal> {
  const server = await startRehearsal('--latency', '80', ...args);
  cleanUps.push(() => server.stop());
  return server;
}

function project(server: TestRehearsal, more: Partial<ConfigInput> = {}): TestProject {
  const made = makeProject({ ...CONFIG, ...askingServer(server.url, 6), ...more });
  cleanUps.push(() => made.cleanUp());
  return made;
}

const stateOf = async (built: TestProject, label = 'main'): Promise<string> => {
  const { output } = await built.run('status', '--json', '--label', label);
  return (JSON.parse(output) as { state: string } | null)?.state ?? 'none';
};

/** Fault plan as a file. */
function faults(rules: readonly Readonly<Record<string, unknown>>[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-faults-'));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'faults.json');
  writeFileSync(file, JSON.stringify({ seed: 'control', rules }));
  return file;
}

describe('an owner that is ended', () => {
  test('ends soon although its endpoint is down and its calls would be tried for hours', { timeout: 200_000 }, async () => {
    const server = await slowServer();
    const built = project(server);
    const build = built.start('build', '--detach');
    await build.ended;
    await until('ten calls', async () => ((await server.calls()) > 10 ? true : null));
    await server.stop();
    const pid = built.owner()?.pid ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 5000));
    process.kill(pid, 'SIGTERM');
    await until('the end of the owner', () => (isAlive(pid) ? null : true), { withinMs: 20_000 });
    expect(await stateOf(built)).toBe('interrupted');
  });
});

describe('pause, resume and cancel, typed while a build runs', () => {
  test(
    'a pause stops the calls, a resume ends the build as if nothing had been, and nothing is asked twice',
    { timeout: 400_000 },
    async () => {
      const server = await slowServer();
      const smooth = project(server);
      const first = await smooth.run('build');
      expect(first.code, first.output).toBe(EXIT.ok);
      const wanted = await exportHashes(smooth);

      const paused = project(server);
      const before = await server.calls();
      const build = paused.start('build');
      await until('forty calls', async () => ((await server.calls()) > before + 40 ? true : null));
      const pause = await paused.run('pause');
      expect(pause, pause.output).toMatchObject({ code: EXIT.ok, output: expect.stringMatching(/Paused main: .*memcalib resume/) });
      const ended = await build.ended;
      expect(ended.code, ended.output).toBe(EXIT.paused);
      expect(await stateOf(paused)).toBe('paused');
      const still = await server.calls();
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(await server.calls(), 'calls while paused').toBe(still);
      const resumed = await paused.run('resume');
      expect(resumed.code, resumed.output).toBe(EXIT.ok);
      expect(await exportHashes(paused)).toEqual(wanted);
      await paused.endOwner('SIGTERM');
      const ledger = await ledgerCounts(paused);
      expect(ledger).toMatchObject({ unfinished: 0, duplicates: 0 });
      // A call that the pause kept off the wire has a key too, and need not have been made later.
      expect((await server.calls()) - before, 'calls the server saw').toBeLessThanOrEqual(ledger.keys);
    },
  );

  test('a cancel ends the build, keeps what it made, and the next build goes on from there', { timeout: 400_000 }, async () => {
    const server = await slowServer();
    const built = project(server);
    const build = built.start('build');
    await until('thirty calls', async () => ((await server.calls()) > 30 ? true : null));
    const cancel = await built.run('cancel');
    expect(cancel, cancel.output).toMatchObject({ code: EXIT.ok, output: expect.stringMatching(/Cancelled main/) });
    const ended = await build.ended;
    expect(ended.code, ended.output).toBe(EXIT.unfinished);
    expect(await stateOf(built)).toBe('cancelled');
    const again = await built.run('build');
    expect(again.code, again.output).toBe(EXIT.ok);
    await built.endOwner('SIGTERM');
    expect(await ledgerCounts(built)).toMatchObject({ duplicates: 0 });
  });
});

describe('failed candidates', () => {
  /** Refusals end a candidate at once; so many calls of the step are refused: most of what the first chunks ask, so that the fold meets one, and fewer than the 20 that pause a step. */
  const REFUSED = 14;

  /** A build that is held back by refused candidates. */
  async function stuckBuild(): Promise<{
    readonly server: TestRehearsal;
    readonly built: TestProject;
    readonly first: Awaited<ReturnType<TestProject['run']>>;
  }> {
    const calls = Array.from({ length: REFUSED }, (_, at) => at + 1);
    const server = await slowServer('--faults', faults([{ fault: 'refusal', calls, tasks: ['derive'] }]));
    const built = project(server);
    const first = await built.run('build');
    expect(first.code, first.output).toBe(EXIT.paused);
    return { server, built, first };
  }

  test('retry --failed asks exactly the failed ones again', { timeout: 400_000 }, async () => {
    const { server, built, first } = await stuckBuild();
    expect(first.output).toMatch(/retry --failed/);
    const before = await server.calls();
    const retry = await built.run('retry', '--failed');
    expect(retry, retry.output).toMatchObject({
      code: EXIT.ok,
      output: expect.stringMatching(/Reopened (\d+) candidates? \(\1 calls? will be made again\)/),
    });
    const last = await built.run('build');
    expect(last.code, last.output).toBe(EXIT.ok);
    expect(await server.calls()).toBeGreaterThan(before);
    await built.endOwner('SIGTERM');
    expect(await ledgerCounts(built)).toMatchObject({ duplicates: 0, unfinished: 0 });
  });

  test('waive --failed goes on without them, and why says so', { timeout: 400_000 }, async () => {
    const { built } = await stuckBuild();
    const waive = await built.run('waive', '--failed');
    expect(waive, waive.output).toMatchObject({ code: EXIT.ok, output: expect.stringMatching(/Waived \d+ candidates?/) });
    const last = await built.run('build');
    expect(last.code, last.output).toBe(EXIT.ok);
    const { output } = await built.run('calls', '--class', 'refused', '--json');
    const [line] = JSON.parse(output) as { candidateId: string }[];
    const why = await built.run('why', line?.candidateId ?? '', '--not');
    expect(why.output).toMatch(/waived[\s\S]*failed at derive \(refused/);
  });
});

test(
  'two labels over one ledger: what both need is paid once, and diff tells what the other wording did',
  { timeout: 400_000 },
  async () => {
    const server = await slowServer();
    const built = project(server);
    const first = await built.run('build');
    expect(first.code, first.output).toBe(EXIT.ok);
    const paid = await server.calls();
    const same = await built.run('build', '--label', 'same');
    expect(same.code, same.output).toBe(EXIT.ok);
    expect(await server.calls(), 'the same work under another label').toBe(paid);
    built.writeConfig({ ...CONFIG, ...askingServer(server.url, 6), seed: 'test-2' });
    const other = await built.run('build', '--label', 'b');
    expect(other.code, other.output).toBe(EXIT.ok);
    const cost = await server.calls();
    expect(cost - paid, 'screen, derive and atomize do not depend on the seed').toBeLessThan(paid);
    const nothing = await built.run('diff', 'main', 'same', '--json');
    expect(JSON.parse(nothing.output)).toMatchObject({ changed: [], added: [], withdrawn: [] });
    const page = join(built.folder, 'diff.html');
    const diff = await built.run('diff', 'main', 'b', '--html', page);
    expect(diff.code, diff.output).toBe(EXIT.ok);
    expect(diff.output).toMatch(/distractors|added|withdrawn/);
    const history = await built.run('history');
    expect(history.output).toMatch(/seed "test-1" -> "test-2"|first of its label/);
  },
);
