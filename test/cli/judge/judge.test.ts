import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/cli-error.ts';
import { startRehearsalServer } from '../../../llm/rehearsal/server.ts';
import { demoConfig, writeConfig } from '../../support/demo-config.ts';
import { rolloutLine, writeRollout } from '../../support/rollout-lines.ts';
import { runCommand } from '../../support/run-command.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const PROGRAM = resolve(import.meta.dirname, '..', '..', '..', 'bin', 'memcalib.js');
const folder = tempFolders();
const lines = (count: number): unknown[] => Array.from({ length: count }, (_, at) => rolloutLine(at));

/** A project whose judge is a rehearsal server of the test. */
function withServer(url: string): string {
  const cwd = folder();
  const model = { provider: 'here', model: 'rehearsal', temperature: 0, seed: 0 };
  const provider = { baseUrl: url, structuredOutput: 'json_schema', concurrency: 8, startConcurrency: 8 };
  writeConfig(
    cwd,
    demoConfig({ providers: { here: provider }, models: { builder: model, reviewerA: model, reviewerB: model, judge: model } }),
  );
  return cwd;
}

interface Report {
  readonly out: string;
  readonly responses: number;
  readonly calls: number;
  readonly statuses: Readonly<Record<string, number>>;
}

const judge = async (cwd: string, ...more: string[]): Promise<Report> => {
  const end = await runCommand(['judge', 'rollout-0001.jsonl', '--config', 'memcalib.config.json', '--json', ...more], cwd);
  expect(end.code, end.stderr).toBe(EXIT.ok);
  return JSON.parse(end.stdout) as Report;
};

describe('memcalib judge', () => {
  it(
    'judges a rollout with the rehearsal model, and the second time asks nothing and writes the same bytes',
    { timeout: 60_000 },
    async () => {
      const cwd = folder();
      writeConfig(cwd, demoConfig());
      writeRollout(join(cwd, 'rollout-0001.jsonl'), [...lines(30), rolloutLine(30, { model_response: '' })], true);
      const first = await judge(cwd);
      expect(first.responses).toBe(31);
      expect(first.calls).toBeGreaterThanOrEqual(30);
      expect(first.statuses['gen_empty']).toBe(1);
      const bytes = readFileSync(first.out, 'utf8');
      const entries = bytes
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(entries.map((entry) => entry['response_id'])).toEqual(
        [...lines(31)].map((line) => (line as { response_id: string }).response_id),
      );
      expect(Object.keys(entries[0] ?? {})).toEqual(['response_id', 'rollout_digest', 'levels', 'over_use', 'under_use']);
      const second = await judge(cwd, '--out', 'again.jsonl');
      expect(second.calls).toBe(0);
      expect(readFileSync(second.out, 'utf8')).toBe(bytes);
      const calls = await runCommand(['calls', '--step', 'judge', '--config', 'memcalib.config.json'], cwd);
      expect(calls.stdout).toContain('judge');
      expect((await runCommand(['cost', '--config', 'memcalib.config.json'], cwd)).stdout).toMatch(/judge +\d+/);
    },
  );

  it('goes on after kill -9 and pays twice only what was not yet written', { timeout: 60_000 }, async () => {
    const server = await startRehearsalServer({ latencyMs: 60 });
    try {
      const straight = withServer(server.url);
      writeRollout(join(straight, 'rollout-0001.jsonl'), lines(48));
      const wanted = readFileSync((await judge(straight)).out, 'utf8');
      const paid = server.stats().calls;
      const cwd = withServer(server.url);
      writeRollout(join(cwd, 'rollout-0001.jsonl'), lines(48));
      const child = spawn(process.execPath, [PROGRAM, 'judge', 'rollout-0001.jsonl', '--config', 'memcalib.config.json'], { cwd });
      const ended = new Promise((done) => child.once('exit', done));
      while (server.stats().calls < paid + 30) await new Promise((done) => setTimeout(done, 5));
      child.kill('SIGKILL');
      await ended;
      expect(existsSync(join(cwd, 'rollout-0001.judgments.jsonl'))).toBe(false);
      expect(readFileSync((await judge(cwd)).out, 'utf8')).toBe(wanted);
      // 8 on the wire and at most as many whose commit was under way.
      expect(server.stats().calls - paid).toBeLessThanOrEqual(paid + 16);
    } finally {
      await server.close();
    }
  });

  const bad = (change: Record<string, unknown>): unknown[] => [rolloutLine(0), rolloutLine(1, change)];
  it.each<[string, readonly unknown[], RegExp]>([
    ['line 2 that is no JSON', [rolloutLine(0), '{"response_id": '], /line 2 is no JSON/],
    ['a missing field', bad({ model_response: undefined }), /line 2, field model_response: /],
    [
      'an atom of no level',
      bad({ atomic_rubrics: [{ ...rolloutLine(0).atomic_rubrics[0], u_star: 'D' }] }),
      /line 2, field atomic_rubrics\.0\.u_star/,
    ],
    [
      'an atom twice',
      bad({ atomic_rubrics: [rolloutLine(0).atomic_rubrics[0], rolloutLine(0).atomic_rubrics[0]] }),
      /an atom_id stands twice/,
    ],
    ['a response twice', bad({ response_id: 's0001-p000-g0' }), /lines 1 and 2 are the same response s0001-p000-g0/],
    ['another rollout', bad({ rollout_digest: `sha256:${'b'.repeat(64)}` }), /line 2 belongs to another rollout/],
    ['an unknown finish', bad({ finish: 'error' }), /line 2, field finish/],
    ['a list for a line', ['[]'], /line 1, field/],
    ['nothing', [], /holds no line/],
  ])('refuses %s in one sentence before anything is asked', async (_, rows, words) => {
    const cwd = folder();
    writeConfig(cwd, demoConfig());
    writeRollout(join(cwd, 'r.jsonl'), rows);
    const end = await runCommand(['judge', 'r.jsonl', '--config', 'memcalib.config.json'], cwd);
    expect(end).toMatchObject({ code: EXIT.usage, stdout: '' });
    expect(end.stderr).toMatch(words);
    expect(end.stderr.trim().split('\n')).toHaveLength(1);
    expect(existsSync(join(cwd, '.memcalib'))).toBe(false);
  });

  it.each<[string, (file: string) => void, RegExp]>([
    ['a flipped byte', (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('quiet', 'quieT')), /its digest differs/],
    [
      'bytes that are no text',
      (file) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([0xff])])),
      /no UTF-8|not UTF-8/,
    ],
    ['a damaged manifest', (file) => writeFileSync(file.replace('.jsonl', '.json'), '{'), /manifest r\.json is damaged/],
  ])('refuses %s', async (_, harm, words) => {
    const cwd = folder();
    writeConfig(cwd, demoConfig());
    writeRollout(join(cwd, 'r.jsonl'), lines(3), true);
    harm(join(cwd, 'r.jsonl'));
    const end = await runCommand(['judge', 'r.jsonl', '--config', 'memcalib.config.json'], cwd);
    expect(end).toMatchObject({ code: EXIT.usage, stdout: '' });
    expect(end.stderr).toMatch(words);
  });

  it('refuses a file that is not there and an --out that is the rollout', async () => {
    const cwd = folder();
    writeConfig(cwd, demoConfig());
    const given = ['--config', 'memcalib.config.json'];
    expect((await runCommand(['judge', 'no.jsonl', ...given], cwd)).stderr).toMatch(/no\.jsonl is not there/);
    expect((await runCommand(['judge', 'r.jsonl', '--out', 'r.jsonl', ...given], cwd)).stderr).toMatch(/--out names the rollout itself/);
  });
});
