import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whyText } from '../../../cli/commands/why-text.ts';
import { exportRelease } from '../../../cli/queries/export-release.ts';
import { foldOf } from '../../../cli/queries/fold-cache.ts';
import { runOfLabel } from '../../../cli/queries/run-of.ts';
import { readWhy } from '../../../cli/queries/why.ts';
import type { WhyReport } from '../../../cli/queries/why.ts';
import { STEPS } from '../../../schemas/steps.ts';
import { tellProject } from '../../support/told-project.ts';
import type { ToldProject } from '../../support/told-project.ts';

const folder = mkdtempSync(join(tmpdir(), 'memcalib-why-'));
let told: ToldProject;
let kept: readonly string[];

const why = (id: string, label = 'main'): Promise<WhyReport> => readWhy(told.project.store, { label, id });

async function idsOf(state: (id: string) => Promise<boolean>): Promise<readonly string[]> {
  const { run } = await runOfLabel(told.project.store, 'main');
  const ids: string[] = [];
  for (const domain of ['health', 'coding'] as const)
    for (const { candidate } of await told.project.store.candidates(run.orderId, domain, 0, 100))
      if (await state(candidate.id)) ids.push(candidate.id);
  return ids;
}

beforeAll(async () => {
  told = await tellProject(folder);
  await told.build('run-1');
  const { store } = told.project;
  kept = (await foldOf(store, await runOfLabel(store, 'main'))).kept;
  await exportRelease(store, { label: 'main', folder: join(folder, 'out'), allowUnknownLicence: false, partial: false, allowMixed: false });
}, 120_000);

afterAll(async () => {
  await told.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('why, after one build', () => {
  test('an example names its row, nine steps with versions and calls, both reviewers, and the export it is in', async () => {
    const [id = ''] = kept;
    const report = await why(id);
    expect(report.fate.state).toBe('in_dataset');
    expect(report.source).toMatchObject({ license: 'CC0-1.0', revision: 'local', position: expect.any(Number) });
    expect(report.steps.map(({ step }) => step)).toEqual([...STEPS]);
    for (const step of report.steps) {
      expect(step.stepVersion).toMatch(/^[0-9a-f]{64}$/);
      expect(step.reused).toBe(false);
      expect(step.calls.every((call) => call.attempts.at(-1) === 'ok')).toBe(true);
    }
    const asked = await told.project.store.outcomes((await runOfLabel(told.project.store, 'main')).run, [id]);
    expect(new Set(report.steps.flatMap((step) => step.calls.map(({ key }) => key)))).toEqual(new Set(asked[0]?.callKeys));
    expect(report.reviews).toHaveLength(4);
    expect(report.reviews.every(({ verdict }) => verdict === 'approves')).toBe(true);
    expect(report.releases).toMatchObject([{ folder: join(folder, 'out') }]);
    expect(whyText(report, false)).toContain('review-calibration');
  });

  test('a source id and the beginning of an id name the same example', async () => {
    const [id = ''] = kept;
    const report = await why(id);
    expect((await why(report.source.sourceId)).id).toBe(id);
    expect((await why(id.slice(0, 10))).id).toBe(id);
  });

  test('an atom says which step wrote it, and a source atom where the row says so', async () => {
    const [id = ''] = kept;
    const [outcome] = await told.project.store.outcomes((await runOfLabel(told.project.store, 'main')).run, [id]);
    const { record } = JSON.parse(outcome?.example ?? '{}') as {
      record: { memories: { atom_id: string; text: string; u_star: string }[] };
    };
    const origins = new Map<string, string>();
    for (const atom of record.memories) {
      const report = await why(`${id}/${atom.atom_id}`);
      expect(report.atom).toMatchObject({ text: atom.text, level: atom.u_star });
      if (report.atom?.origin === 'source') expect(report.atom.evidence.length).toBeGreaterThan(0);
      origins.set(report.atom?.origin ?? '', report.atom?.writtenBy ?? '');
    }
    expect(Object.fromEntries(origins)).toEqual({
      source: 'atomize',
      'hard distractor': 'hard-distractor',
      'auxiliary distractor': 'auxiliary-distractors',
    });
    await expect(why(`${id}/b99.a1`)).rejects.toThrow(/has no atom b99\.a1\. Type `memcalib show/);
  });

  test('a row that did not make it says where it fell or waits, and what would bring it in', async () => {
    const rest = await idsOf((id) => Promise.resolve(!kept.includes(id)));
    const reports = await Promise.all(rest.map((id) => why(id)));
    expect(reports.length).toBeGreaterThan(0);
    for (const { fate } of reports) expect(fate.next).not.toBe('');
    const rejected = reports.find(({ fate }) => fate.state === 'rejected');
    expect(rejected?.steps.at(-1)).toMatchObject({ step: rejected?.fate.step, verdict: 'rejected', reason: rejected?.fate.reason });
    const waiting = reports.filter(({ fate }) => fate.state === 'reserve' || fate.state === 'not_launched');
    expect(waiting.length).toBeGreaterThan(0);
    for (const { fate } of waiting) expect(fate.next).toMatch(/Raise target\.(health|coding)/);
  });

  test('a row that screening set aside names file, row and reason', async () => {
    const pages = told.project.store.rowRejections((await runOfLabel(told.project.store, 'main')).run.orderId);
    for await (const page of pages) {
      for (const rejection of page) {
        const report = await why(rejection.sourceId);
        expect(report.fate).toMatchObject({ state: 'set_aside', reason: rejection.reason });
        expect(report.fate.sentence).toContain(`${rejection.origin.file} row ${rejection.origin.row}`);
      }
    }
  });

  test('an unknown id is one sentence with the nearest ids', async () => {
    const [id = ''] = kept;
    const typo = `${id.slice(0, 14)}zz`;
    await expect(why(typo)).rejects.toThrow(new RegExp(`no example, atom or source row ${typo}; nearest are ${id}`));
    await expect(why('')).rejects.toThrow(/no example/);
  });
});

describe('why, after edits', () => {
  test('a prompt edit says what was made again and why, and what was reused', { timeout: 60_000 }, async () => {
    told.editPrompt('rubrics', (text) => `${text}\nKeep every criterion short.\n`);
    await told.build('run-2');
    const { store } = told.project;
    const [id = ''] = (await foldOf(store, await runOfLabel(store, 'main'))).kept;
    const report = await why(id);
    const stepOf = (name: string) => report.steps.find(({ step }) => step === name);
    expect(stepOf('hard-distractor')).toMatchObject({
      reused: true,
      because: expect.stringMatching(/^reused: same version and same input as in run run-1/),
    });
    expect(stepOf('rubrics')).toMatchObject({ reused: false, because: expect.stringMatching(/its prompt changed \(\d lines?\)/) });
    expect(report.earlier.map(({ step }) => step)).toContain('rubrics');
  });

  test(
    'a withdrawn row withdraws its example, a changed licence shows, and both go back when the sources do',
    { timeout: 60_000 },
    async () => {
      const { store } = told.project;
      const before = await foldOf(store, await runOfLabel(store, 'main'));
      const health = before.domains.health.kept[0] ?? '';
      const coding = before.domains.coding.kept[0] ?? '';
      const { source } = await why(health);
      const calls = told.server.stats().calls;
      let removed = '';
      told.editRows('meddialog', (lines) => {
        removed = lines[source.row - 1] ?? '';
        return lines.filter((line) => line !== removed);
      });
      const sources = (licence: string) =>
        (['meddialog', 'apps'] as const).map((adapter) => ({
          name: `demo-${adapter}`,
          adapter,
          path: join(folder, `${adapter}.jsonl`),
          licence: adapter === 'apps' ? licence : 'CC0-1.0',
        }));
      await told.build('run-3', 'main', { sources: sources('CC-BY-4.0') });
      const gone = await why(health);
      expect(gone.fate).toMatchObject({ state: 'withdrawn', next: expect.stringContaining('is not asked again') });
      const after = await foldOf(store, await runOfLabel(store, 'main'));
      expect(after.kept).not.toContain(health);
      const changed = await why(coding);
      expect(changed.source.license).toBe('CC-BY-4.0');
      expect(changed.source.changes.at(-1)?.fields).toContainEqual({ field: 'sourceLicense', before: 'CC0-1.0', after: 'CC-BY-4.0' });
      const out = join(folder, 'out-3');
      await exportRelease(store, { label: 'main', folder: out, allowUnknownLicence: false, partial: false, allowMixed: false });
      expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('CC-BY-4.0');
      expect(readFileSync(join(out, 'train.jsonl'), 'utf8') + readFileSync(join(out, 'test.jsonl'), 'utf8')).not.toContain(health);
      const refill = told.server.stats().calls - calls;

      told.editRows('meddialog', (lines) => [...lines.slice(0, source.row - 1), removed, ...lines.slice(source.row - 1)]);
      await told.build('run-4', 'main', { sources: sources('CC0-1.0') });
      expect(told.server.stats().calls - calls, 'putting rows and licence back asks nothing').toBe(refill);
      expect((await foldOf(store, await runOfLabel(store, 'main'))).kept).toEqual(before.kept);
      expect((await why(coding)).source.license).toBe('CC0-1.0');
      const back = join(folder, 'out-4');
      await exportRelease(store, { label: 'main', folder: back, allowUnknownLicence: false, partial: false, allowMixed: false });
      expect(readFileSync(join(back, 'README.md'), 'utf8')).not.toContain('CC-BY-4.0');
    },
  );
});
