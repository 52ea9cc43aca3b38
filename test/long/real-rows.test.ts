import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { StatusReport } from '../../cli/queries/status.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const shared = process.env['MEMCALIB_SHARED'] ?? resolve(ROOT, '../shared');
const folder = mkdtempSync(join(tmpdir(), 'memcalib-real-'));
const env = { ...process.env, MEMCALIB_REAL_PROJECT: join(folder, 'project'), MEMCALIB_SHARED: shared };

function memcalib(...args: readonly string[]): string {
  return execFileSync(process.execPath, [join(ROOT, 'bin/memcalib.js'), ...args, '--config', 'test/real/memcalib.config.ts'], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The rows are internal test material that lies beside a checkout, never in it. */
const reason = existsSync(join(shared, 'data/sources'))
  ? null
  : `the real sample rows are not at ${join(shared, 'data/sources')}; set MEMCALIB_SHARED to the shared folder`;

describe.skipIf(reason !== null)(`the real sample rows${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
  test('become at least 60 valid examples with the books of every source balanced', () => {
    memcalib('build');
    const report = JSON.parse(memcalib('status', '--json')) as StatusReport;
    expect(report.state).toBe('completed');
    expect(report.books.filter((line) => line.imbalance !== null)).toEqual([]);
    expect(new Set(report.books.map((line) => line.source)).size).toBe(7);
    for (const line of report.books) expect(line.pending).toBe(0);
    const output = join(folder, 'export');
    expect(
      spawnSync(process.execPath, [join(ROOT, 'bin/memcalib.js'), 'export', output, '--config', 'test/real/memcalib.config.ts'], {
        cwd: ROOT,
        env,
        encoding: 'utf8',
      }).stderr,
    ).toMatch(/licence/);
    memcalib('export', output, '--allow-unknown-licence');
    const records = ['train', 'test'].flatMap((split) =>
      readFileSync(join(output, `${split}.jsonl`), 'utf8')
        .trim()
        .split('\n'),
    );
    expect(records.length).toBeGreaterThanOrEqual(60);
    expect(readFileSync(join(output, 'README.md'), 'utf8')).toMatch(/unknown/);
    const checker = join(shared, 'checks/validate_export.py');
    if (existsSync(checker)) expect(execFileSync('python3', [checker, output], { encoding: 'utf8' })).toMatch(/ passed, 0 failed\n$/);
  });
});
