import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shortfallText } from '../../cli/commands/shortfall-text.ts';
import { exportRelease } from '../../cli/queries/export-release.ts';
import { readShortfall } from '../../cli/queries/shortfall.ts';
import { validateFolder } from '../../hub/read-export.ts';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import { demoConfig, openInProcess } from '../support/in-process-build.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'memcalib-dry-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a build whose general quota cannot be met ends dry with the exact shortfall per stratum, and exports a valid dataset', async () => {
  const server = await startRehearsalServer();
  const project = await openInProcess(join(folder, 'project'));
  try {
    const config = demoConfig(server.url, { target: { health: 2, general: 300, coding: 2 } });
    expect(await project.drive('run-1', 'main', config)).toMatchObject({ kind: 'ended', verdict: 'dry' });
    await project.store.putRunState({ runId: 'run-1', state: 'dry', reason: '', until: null, at: Date.now() });
    const short = await readShortfall(project.store, { label: 'main' });
    const out = join(folder, 'export');
    const report = await exportRelease(project.store, {
      label: 'main',
      folder: out,
      allowUnknownLicence: false,
      partial: false,
      allowMixed: false,
    });
    expect((await validateFolder(out, { mode: 'release' })).ok).toBe(true);
    expect(short.map((item) => item.domain)).toEqual(['general']);
    const [general] = short;
    // What is called kept is what the export holds.
    expect(general).toMatchObject({ target: 300, kept: report.domains['general'], missing: 300 - (report.domains['general'] ?? 0) });
    const gap = general?.strata.reduce((sum, item) => sum + item.missing, 0) ?? 0;
    expect(gap).toBeGreaterThanOrEqual(general?.missing ?? 0);
    for (const item of general?.strata ?? []) {
      expect(item.stratum).toMatch(/^general\/demo-\w+\/\w+\/(?:simple|medium|complex)$/);
      expect(item.missing).toBe(item.wanted - item.kept);
    }
    expect(shortfallText(short)).toMatch(
      /^general: \d+ of 300, \d+ missing; strata below their share:\nstratum +share of target +kept +missing\n(?:.*\n)+The sources ran dry: general \d+ of 300\. Add sources/,
    );
  } finally {
    await project.close();
    await server.close();
  }
});
