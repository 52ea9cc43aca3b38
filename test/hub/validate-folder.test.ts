import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validateFolder } from '../../hub/read-export.ts';
import { writeExport } from '../../hub/write-export.ts';
import { sampleParts } from '../support/sample-export.ts';
import { pythonMissing, sharedFile } from '../support/shared.ts';
import { corrupt, CORRUPTIONS } from './corruptions.ts';

const home = mkdtempSync(join(tmpdir(), 'memcalib-valid-'));
const valid = join(home, 'valid');
const copyOf = (at: number): string => join(home, `copy-${at}`);
const cases = CORRUPTIONS.map((corruption, at) => ({ ...corruption, folder: copyOf(at) }));

beforeAll(async () => {
  await writeExport(valid, sampleParts());
  for (const { folder, ...corruption } of cases) {
    cpSync(valid, folder, { recursive: true });
    corrupt(folder, corruption);
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('validateFolder', () => {
  test('accepts a valid export', async () => {
    const report = await validateFolder(valid, { mode: 'release' });
    expect(report.violations).toEqual([]);
    expect(report).toMatchObject({ ok: true, counts: { train: 4, test: 2, provenance: 6, rejected: 2 } });
  });

  test.each(cases)('refuses $what, naming $rule and $record', async ({ folder, rule, record }) => {
    const report = await validateFolder(folder, { mode: 'release' });
    expect(report.ok).toBe(false);
    expect(report.violations).toContainEqual(expect.objectContaining({ rule, record }));
  });
});

/** Runs the checker on many folders in one Python process: exit status and output per folder. */
const DRIVER = `
import contextlib, io, json, runpy, sys
found = {}
for folder in sys.argv[2:]:
    out, status = io.StringIO(), 0
    saved, sys.argv = sys.argv, ['check', folder]
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(saved[1], run_name='__main__')
    except SystemExit as end:
        status = end.code
    sys.argv = saved
    found[folder] = [status, out.getvalue()]
print(json.dumps(found))
`;

const checker = sharedFile('checks/validate_export.py');
const skipReason = checker.missing ?? pythonMissing();

describe.skipIf(skipReason !== null)(`the independent checker agrees${skipReason === null ? '' : ` (skipped: ${skipReason})`}`, () => {
  let found: Record<string, [number, string]> = {};
  beforeAll(() => {
    const folders = [valid, ...cases.map(({ folder }) => folder)];
    const { stdout } = spawnSync('python3', ['-c', DRIVER, checker.path, ...folders], { encoding: 'utf8' });
    found = JSON.parse(stdout) as typeof found;
  });

  test('on a valid export', () => {
    expect(found[valid]).toEqual([0, expect.stringContaining(' passed, 0 failed')]);
  });

  test.each(cases.filter(({ checkerRule }) => checkerRule !== null))('on $what', ({ folder, checkerRule }) => {
    expect(found[folder]).toEqual([1, expect.stringContaining(`${checkerRule}:`)]);
  });
});
