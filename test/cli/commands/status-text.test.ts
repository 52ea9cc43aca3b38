import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { specFact } from '../../../activities/read-spec.ts';
import { statusText } from '../../../cli/commands/status-text.ts';
import { readPrompts } from '../../../cli/prompt-files.ts';
import { latestRunFact } from '../../../cli/queries/latest-run.ts';
import type { StatusReport } from '../../../cli/queries/status.ts';
import type { BookLine } from '../../../stages/books.ts';
import { Config } from '../../../schemas/config.ts';
import type { RunStateRow } from '../../../store/port.ts';
import { openStore } from '../../../store/open.ts';
import { demoConfig, writeConfig } from '../../support/demo-config.ts';
import { runCommand } from '../../support/run-command.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();
const ROOT = resolve(import.meta.dirname, '../../..');
const NONE = { health: 0, general: 0, coding: 0 };

function report(over: Partial<StatusReport>): StatusReport {
  const calls = { total: 12, microUsd: 0, unknownCost: 0, ofThisRun: 12, microUsdOfThisRun: 0, unknownOfThisRun: 0 };
  const base = { label: 'main', runId: 'r1', pipelineHash: 'p', state: 'running', reason: '', until: null, rehearsal: true } as const;
  return { ...base, target: NONE, accepted: NONE, candidates: NONE, rowRejections: [], pipelines: [], books: [], calls, ...over };
}

const FAILED: BookLine = {
  step: 'screen',
  source: 's',
  in: 1,
  accepted: 0,
  rejected: {},
  failed: { timeout: 1 },
  pending: 0,
  imbalance: null,
};

describe('what a person reads of a build that stopped', () => {
  it.each<[string, Partial<StatusReport>, string, string]>([
    [
      'failed',
      { state: 'failed', reason: 'its workflow ended' },
      'build main (run r1): failed: its workflow ended',
      'next: memcalib build',
    ],
    ['interrupted', { state: 'interrupted' }, 'build main (run r1): interrupted', 'next: memcalib build'],
    [
      'cancelled',
      { state: 'cancelled', reason: 'cancelled by a person' },
      'build main (run r1): cancelled: cancelled by a person',
      'next: memcalib build',
    ],
    ['paused', { state: 'paused', reason: 'budget' }, 'build main (run r1): paused: budget', 'next: memcalib resume'],
    [
      'paused on failed candidates',
      { state: 'paused', books: [FAILED] },
      'build main (run r1): paused',
      'next: memcalib retry --failed   (or: memcalib waive --failed)',
    ],
    [
      'paused until a time',
      { state: 'paused', reason: 'quota', until: 0 },
      'paused until 1970-01-01T00:00:00.000Z: quota',
      'next: memcalib resume',
    ],
    ['waiting for a batch', { state: 'waiting', reason: '3 requests lie in x' }, 'waiting: 3 requests lie in x', 'next: memcalib build'],
    ['another label', { state: 'failed', label: 'b' }, 'build b (run r1): failed', 'next: memcalib build --label b'],
    ['completed', { state: 'completed' }, 'build main (run r1): completed', 'next: memcalib export'],
  ])('%s', (_, over, head, next) => {
    const lines = statusText(report(over), '').split('\n');
    expect(lines[0]).toContain(head);
    expect(lines.at(-1)).toBe(next);
  });

  it.each<[RunStateRow['state'], string, string]>([
    ['failed', 'its workflow ended without a word', 'failed: its workflow ended without a word'],
    ['running', '', 'interrupted'],
    ['completed', '', 'completed'],
  ])('`memcalib status` of a build last known as %s, without an owner', async (state, reason, said) => {
    const cwd = folder();
    const input = demoConfig({ projectDir: 'project' });
    writeConfig(cwd, input);
    const config = Config.parse(input);
    const prompts = readPrompts({ file: join(ROOT, 'x'), baseDir: ROOT, projectFolder: '', config });
    const spec = { runId: 'r1', label: 'main', config, baseDir: cwd, rehearsal: true, prompts, startedAt: 0 };
    const store = await openStore(join(cwd, 'project', 'memcalib.duckdb'));
    await store.putFact(specFact('r1'), JSON.stringify(spec));
    await store.putFact(latestRunFact('main'), 'r1');
    await store.putRunState({ runId: 'r1', state, reason, until: null, at: 1 });
    await store.close();
    const { code, stdout } = await runCommand(['status', '--config', 'memcalib.config.json'], cwd);
    expect(code, stdout).toBe(0);
    expect(stdout.split('\n')[0]).toBe(`build main (run r1): ${said}`);
  });
});
