import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportRelease } from '../../cli/queries/export-release.ts';
import { ingestSources, type IngestResult } from '../support/ingest-rows.ts';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import type { Candidate } from '../../schemas/candidate.ts';
import { SourceConfig } from '../../schemas/config.ts';
import { DOMAINS } from '../../schemas/levels.ts';
import { demoConfig, openInProcess, type InProcess } from '../support/in-process-build.ts';
import { plant, PLANTED_KINDS, type Planted } from '../support/planted-identifiers.ts';

const EACH = 20;
const DEMO = resolve(import.meta.dirname, '../../datasets/demo/rows');
const DEMO_FILES = {
  meddialog: 'meddialog.jsonl',
  healthcaremagic: 'healthcaremagic.jsonl',
  ultrachat: 'ultrachat.json',
  magicoder: 'magicoder.csv',
  stackexchange: 'stackexchange.jsonl',
} as const;

let folder = '';
let rows: readonly { readonly id: string; readonly domain: string; readonly planted: readonly Planted[] }[] = [];
const sources = (): SourceConfig[] =>
  DOMAINS.map((domain) =>
    SourceConfig.parse({
      name: `planted-${domain}`,
      adapter: 'custom',
      domain,
      path: join(folder, `${domain}.jsonl`),
      licence: 'CC0-1.0',
      columns: { id: 'id', question: 'q', answer: 'a' },
    }),
  );

function ingest(from: readonly SourceConfig[], baseDir: string): Promise<IngestResult> {
  return ingestSources(from, {
    baseDir,
    sourcesDir: join(folder, 'none'),
    seed: 'planted',
    nearDuplicateJaccard: 0.8,
    minQualityScore: 0,
    identifiers: 'mask',
  });
}

const all = (result: IngestResult): readonly Candidate[] => DOMAINS.flatMap((domain) => [...result.candidates(domain)].flat());

/** Takes demo rows that pass screening and plants identifiers into question and answer: every kind in every domain. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'memcalib-planted-'));
  const demo = Object.entries(DEMO_FILES).map(([adapter, path]) =>
    SourceConfig.parse({ name: adapter, adapter, path, licence: 'CC0-1.0' }),
  );
  const carriers = all(await ingest(demo, DEMO));
  const queue = Array.from({ length: EACH * PLANTED_KINDS.length }, (_item, at) =>
    plant(PLANTED_KINDS[at % PLANTED_KINDS.length] ?? 'email', Math.floor(at / PLANTED_KINDS.length)),
  );
  const perRow = Math.ceil(queue.length / carriers.length);
  // Interleaved by domain, so that each kind meets all three.
  const byDomain = DOMAINS.map((domain) => carriers.filter((item) => item.domain === domain));
  const mixed = Array.from({ length: Math.max(...byDomain.map((list) => list.length)) }, (_item, at) =>
    byDomain.flatMap((list) => list[at] ?? []),
  ).flat();
  const made = mixed.map((item, at) => ({ item, planted: queue.slice(at * perRow, (at + 1) * perRow) }));
  rows = made.filter(({ planted }) => planted.length > 0).map(({ item, planted }) => ({ id: item.id, domain: item.domain, planted }));
  for (const domain of DOMAINS) {
    const lines = made
      .filter(({ item, planted }) => item.domain === domain && planted.length > 0)
      .map(({ item, planted }) => {
        const before = planted.filter(({ at }) => at === 'before').map(({ sentence }) => `${sentence} `);
        // A signature stands last, as in letters.
        const after = planted
          .filter(({ at }) => at === 'after')
          .sort((a, b) => Number(a.kind === 'signature name') - Number(b.kind === 'signature name'))
          .map(({ sentence }) => (sentence.startsWith('\n') ? sentence : ` ${sentence}`));
        const plain = planted.filter(({ kind }) => !kind.endsWith('name')).map(({ sentence }) => ` ${sentence}`);
        return JSON.stringify({
          id: item.id,
          q: `${before.join('')}${item.row.question}${after.join('')}`,
          a: `${item.row.answer}${plain.join('')}`,
        });
      });
    writeFileSync(join(folder, `${domain}.jsonl`), `${lines.join('\n')}\n`);
  }
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Digits or letters only, so that another spacing of a number does not hide it. */
const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const holds = (text: string, { value }: Planted): boolean => text.includes(value) || bare(text).includes(bare(value));

describe(`${EACH * PLANTED_KINDS.length} planted identifiers of ${PLANTED_KINDS.length} kinds in rows of three domains`, () => {
  it('are planted in all three domains, every kind', () => {
    expect(rows.flatMap((row) => row.planted)).toHaveLength(EACH * PLANTED_KINDS.length);
    for (const kind of PLANTED_KINDS)
      expect(new Set(rows.filter((row) => row.planted.some((item) => item.kind === kind)).map((row) => row.domain)).size, kind).toBe(3);
  });

  it('are masked: recall at least 0.98 for the kinds with a pattern, and every name with its cue', async () => {
    const candidates = new Map(all(await ingest(sources(), folder)).map((item) => [item.row.sourceId.split(':').at(-1), item]));
    const missed: string[] = [];
    let seen = 0;
    for (const row of rows) {
      const candidate = candidates.get(row.id);
      expect(candidate, `row ${row.id} fell out`).toBeDefined();
      const text = JSON.stringify([candidate?.row.question, candidate?.row.answer, candidate?.row.context]);
      for (const item of row.planted) {
        seen += 1;
        if (holds(text, item)) missed.push(`${row.domain} ${item.kind}: ${item.sentence}`);
      }
    }
    expect(seen).toBe(EACH * PLANTED_KINDS.length);
    const ofPattern = missed.filter((line) => !line.includes(' name:'));
    expect(1 - ofPattern.length / (EACH * 8), missed.join('\n')).toBeGreaterThanOrEqual(0.98);
    expect(missed).toEqual([]);
  });

  it('stand in no prompt, no reply, no error and no export of a build', { timeout: 240_000 }, async () => {
    const server = await startRehearsalServer();
    const at = join(folder, 'project');
    let project: InProcess | null = null;
    try {
      project = await openInProcess(at);
      const config = {
        ...demoConfig(server.url, { sources: sources().map(({ revision: _revision, ...source }) => source) }),
        screening: { nearDuplicateJaccard: 0.8, minQualityScore: 0, identifiers: 'mask' as const },
      };
      expect((await project.drive('run-1', 'main', config)).kind).toBe('ended');
      const keys = new Set<string>();
      for (let before = 2_147_483_647; ;) {
        const page = await project.store.calls({ beforeCallNo: before }, 500);
        for (const line of page) keys.add(line.key);
        if (page.length < 500) break;
        before = page.at(-1)?.callNo ?? 0;
      }
      expect(keys.size).toBeGreaterThan(200);
      const planted = rows.flatMap((row) => row.planted);
      const leaks: string[] = [];
      for (const key of keys) {
        const text = JSON.stringify(await project.store.callTexts(key));
        const folded = bare(text);
        for (const item of planted)
          if (text.includes(item.value) || folded.includes(bare(item.value))) leaks.push(`call ${key.slice(0, 8)}: ${item.kind}`);
      }
      expect(leaks).toEqual([]);
      const out = join(folder, 'export');
      const report = await exportRelease(project.store, {
        label: 'main',
        folder: out,
        allowUnknownLicence: false,
        partial: true,
        allowMixed: false,
      });
      expect(report.train + report.test).toBeGreaterThan(20);
      for (const file of readdirSync(out)) {
        const text = readFileSync(join(out, file), 'utf8');
        expect(planted.filter((item) => text.includes(item.value)).map((item) => `${file}: ${item.kind}`)).toEqual([]);
      }
    } finally {
      await project?.close();
      await server.close();
    }
  });
});
