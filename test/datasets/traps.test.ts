import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ingestSources } from '../support/ingest-rows.ts';
import { SourceConfig } from '../../schemas/config.ts';
import { DOMAINS } from '../../schemas/levels.ts';
import { sharedFile } from '../support/shared.ts';
import { CODING_TRAPS } from '../support/traps/coding.ts';
import { GENERAL_TRAPS } from '../support/traps/general.ts';
import { HEALTH_TRAPS } from '../support/traps/health.ts';
import type { Trap } from '../support/traps/trap.ts';

const TRAPS = [...HEALTH_TRAPS, ...GENERAL_TRAPS, ...CODING_TRAPS];
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'memcalib-traps-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function source(name: string, { adapter, rows, extra = {} }: Pick<Trap, 'adapter' | 'rows' | 'extra'>): SourceConfig {
  writeFileSync(join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return { ...SourceConfig.parse({ name, adapter, path: `${name}.jsonl` }), ...extra };
}

describe('every trap seen in real rows', () => {
  it.each(TRAPS.map((trap) => ({ ...trap, title: `${trap.adapter}: ${trap.name}` })))('$title', async (trap) => {
    const sources = [source('first', trap), ...(trap.beside === undefined ? [] : [source('second', trap.beside)])];
    const result = await ingestSources(sources, {
      baseDir: folder,
      sourcesDir: folder,
      seed: 'traps',
      nearDuplicateJaccard: 0.8,
      minQualityScore: 0,
      identifiers: 'mask',
    });
    const rejections = [...result.rejections()].flat().map((item) => item.reason);
    expect(rejections.sort()).toEqual([...trap.reasons].sort());
    const kept = DOMAINS.flatMap((domain) => [...result.candidates(domain)].flat()).map((candidate) => candidate.row);
    for (const item of result.facts.sources)
      expect(item.rowsRead).toBe(item.merged + item.candidates + Object.values(item.rejected).reduce((sum, count) => sum + count, 0));
    for (const pattern of trap.kept?.has ?? [])
      expect(
        kept.some((row) => pattern.test(JSON.stringify(row))),
        `${String(pattern)} in ${JSON.stringify(kept)}`,
      ).toBe(true);
    for (const pattern of trap.kept?.hasNot ?? []) expect(kept.filter((row) => pattern.test(JSON.stringify(row)))).toEqual([]);
    if (trap.kept !== undefined) expect(kept.length).toBeGreaterThan(0);
  });
});

/** Clauses of the paragraphs "traps" of a page, parentheses kept whole. */
function clausesOf(page: string): readonly string[] {
  return [...page.matchAll(/\* traps[^:]*: ?((?:.|\n(?! ?\*|\n|#))*)/g)].flatMap((match) =>
    (match[1] ?? '')
      .replace(/\s+/g, ' ')
      .replace(/\([^()]*\)/g, (part) => part.replaceAll(';', ','))
      .split(';')
      .map((clause) => clause.trim()),
  );
}

const readme = sharedFile('data/README.md');
describe.skipIf(readme.missing !== null)(
  `the notes on the real rows${readme.missing === null ? '' : ` (skipped: ${readme.missing})`}`,
  () => {
    const pages = [
      readme.path,
      ...['healthcaremagic', 'magicoder', 'ultrachat'].map((name) => join(dirname(readme.path), 'sources', name, 'SCHEMA.md')),
    ];
    const clauses =
      readme.missing === null ? pages.filter((page) => existsSync(page)).flatMap((page) => clausesOf(readFileSync(page, 'utf8'))) : [];

    it('were found', () => expect(clauses.length).toBeGreaterThan(45));
    it.each(clauses)('name the trap "%s", and a test does too', (clause) => {
      const plain = clause.replaceAll('**', '');
      expect(
        TRAPS.filter((trap) => plain.includes(trap.clause) || (trap.clause.endsWith('.') && plain === trap.clause)).length,
      ).toBeGreaterThanOrEqual(1);
    });
  },
);
