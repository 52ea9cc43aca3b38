import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diffPage } from '../../../cli/commands/diff-page.ts';
import { diffText } from '../../../cli/commands/diff-text.ts';
import { readDiff } from '../../../cli/queries/diff.ts';
import type { DiffReport } from '../../../cli/queries/diff.ts';
import { exportRelease } from '../../../cli/queries/export-release.ts';
import { readWhy } from '../../../cli/queries/why.ts';
import { tellProject } from '../../support/told-project.ts';
import type { ToldProject } from '../../support/told-project.ts';

const folder = mkdtempSync(join(tmpdir(), 'memcalib-diff-'));
let told: ToldProject;

const out = (name: string): string => join(folder, `out-${name}`);
const diff = (before: string, after: string, details = 5): Promise<DiffReport> => {
  const side = (name: string) => ({ name, path: name.startsWith('/') ? name : join(folder, 'nowhere', name) });
  return readDiff(told.project.store, { before: side(before), after: side(after), details });
};

async function exported(label: string): Promise<string> {
  await exportRelease(told.project.store, { label, folder: out(label), allowUnknownLicence: false, partial: false, allowMixed: false });
  return out(label);
}

/** What both ways of looking at the same data must agree on. */
const shared = ({ unchanged, changed, added, withdrawn, parts, levels, lengths, reasons }: DiffReport): unknown => ({
  unchanged,
  changed,
  added: added.map(({ id }) => id).toSorted(),
  withdrawn: withdrawn.map(({ id }) => id).toSorted(),
  parts,
  levels,
  lengths,
  reasons: reasons.filter(({ step }) => step !== 'eligibility'),
});

beforeAll(async () => {
  told = await tellProject(folder);
  await told.build('run-1');
  await told.build('run-b', 'b', { seed: 'in-process-2' });
}, 120_000);

afterAll(async () => {
  await told.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('diff', () => {
  test('a build against itself has nothing to tell', async () => {
    const report = await diff('main', 'run-1');
    expect(report).toMatchObject({ changed: [], added: [], withdrawn: [], parts: [], passToFail: [], failToPass: [] });
    expect(report.unchanged).toBe(report.before.examples);
    expect(diffText(report)).toContain('0 changed, 0 added, 0 withdrawn');
  });

  test('two builds add up: kept, changed, added, withdrawn; and the reverse is the mirror', async () => {
    const [there, back] = [await diff('main', 'b'), await diff('b', 'main')];
    expect(there.unchanged + there.changed.length + there.withdrawn.length).toBe(there.before.examples);
    expect(there.unchanged + there.changed.length + there.added.length).toBe(there.after.examples);
    expect(there.changed.length + there.added.length).toBeGreaterThan(0);
    expect(back.added.map(({ id }) => id)).toEqual(there.withdrawn.map(({ id }) => id));
    expect(back.levels.B.A).toBe(there.levels.A.B);
    expect(back.levels.none.A).toBe(there.levels.A.none);
    expect(back.passToFail).toEqual(there.failToPass);
    const sizes = there.changed.map(({ size }) => size);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(there.changed.filter(({ changes }) => changes !== null).length).toBe(Math.min(5, there.changed.length));
    for (const { id, elsewhere } of there.withdrawn) {
      const { fate } = await readWhy(told.project.store, { label: 'b', id });
      expect(fate.state).not.toBe('in_dataset');
      if (fate.reason !== null) expect(elsewhere?.reason).toBe(fate.reason);
    }
  });

  test('export folders and builds give the same comparison, and folders alone need no store', async () => {
    const [a, b] = [await exported('main'), await exported('b')];
    const builds = await diff('main', 'b');
    expect(shared(await diff(a, b))).toEqual(shared(builds));
    expect(shared(await diff('main', b))).toEqual(shared(builds));
    const alone = await readDiff(null, { before: { name: a, path: a }, after: { name: b, path: b }, details: 5 });
    expect(shared(alone)).toEqual(shared(builds));
    expect(alone.after.cost).toMatchObject({ of: 'ledger' });
  });

  test('the page is one file without script or request, and row text in it is data', async () => {
    const report = await diff('main', 'b');
    const first = report.changed[0];
    if (first?.changes === null || first === undefined) throw new Error('no change in detail');
    const [change] = first.changes;
    if (change === undefined) throw new Error('no change');
    const hostile = { ...change, before: '<script>alert(1)</script> "a" & b', after: `</div><img src=x onerror=alert(2)> 'c'` };
    const page = diffPage({
      ...report,
      changed: [
        { ...first, changes: [hostile] },
        { ...first, id: 'zz-smaller', size: 1 },
      ],
    });
    expect(page).not.toMatch(/<(?:script|img|iframe|link|object|embed)|<[^>]+\s(?:src|href|on\w+)=|url\(|@import/i);
    expect(page).toContain('&lt;');
    expect(page).toContain(`default-src 'none'`);
    expect(page.indexOf(first.id)).toBeLessThan(page.indexOf('zz-smaller'));
  });

  test('a name that is neither build nor folder is told with the nearest', async () => {
    await expect(diff('mian', 'b')).rejects.toThrow(
      /mian is neither a build label, a run id nor an export folder; did you mean main\? Labels here: b, main/,
    );
  });
});
