import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it, vi } from 'vitest';
import { makeMany } from '../../bench/ingest/make-many.mjs';
import { ensureOrder } from '../../activities/ensure-order.ts';
import { Config } from '../../schemas/config.ts';
import { seededUniforms } from '../../schemas/hash.ts';
import { DOMAINS } from '../../schemas/levels.ts';
import { openStore } from '../../store/open.ts';
import type { DuckDbStore } from '../../store/duckdb-store.ts';
import { tempFolders } from '../support/temp-folder.ts';

vi.setConfig({ testTimeout: 120_000 });
const folder = tempFolders();
const PARTS = 4;

interface Line {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
}

/** Rows with near-duplicates (by `makeMany`), and some that repeat the id or the question of another, dealt out to four files a domain. */
function writeParts(at: string): void {
  makeMany(at, 330);
  const next = seededUniforms('parts');
  for (const domain of DOMAINS) {
    const lines = readFileSync(join(at, `${domain}-row.jsonl`), 'utf8')
      .trim()
      .split('\n');
    const rows = lines.map((line) => JSON.parse(line) as Line);
    const repeated = rows.flatMap((row, n) => [
      ...(n % 9 === 0 ? [{ ...row, id: `again-${row.id}` }] : []),
      ...(n % 13 === 0 ? [{ ...row, question: rows[(n + 7) % rows.length]?.question ?? '' }] : []),
    ]);
    const parts = Array.from({ length: PARTS }, (): string[] => []);
    for (const row of [...rows, ...repeated]) parts[Math.floor(next() * PARTS)]?.push(JSON.stringify(row));
    parts.forEach((part, n) => writeFileSync(join(at, `${domain}-part${n}.jsonl`), `${part.join('\n')}\n`));
    rmSync(join(at, `${domain}-row.jsonl`));
  }
}

const config = (at: string, parts: readonly number[]): Config =>
  Config.parse({
    name: 'again',
    target: { health: 4, general: 4, coding: 4 },
    projectDir: join(at, 'project'),
    sources: DOMAINS.map((domain) => ({
      name: `again-${domain}`,
      adapter: 'custom',
      path: parts.map((part) => join(at, `${domain}-part${part}.jsonl`)),
      domain,
      licence: 'CC0-1.0',
      columns: { id: 'id', question: 'question', answer: 'answer' },
    })),
  });

/** All that is stored of an order, as one text. */
async function bytesOf(store: DuckDbStore, id: string): Promise<string> {
  const all: unknown[] = [];
  for (const domain of DOMAINS) all.push(await store.candidates(id, domain, 0, 10_000));
  for await (const page of store.rowRejections(id)) all.push(page);
  return JSON.stringify(all);
}

const lineCount = (at: string, parts: readonly number[]): number =>
  parts
    .flatMap((part) =>
      DOMAINS.map(
        (domain) =>
          readFileSync(join(at, `${domain}-part${part}.jsonl`), 'utf8')
            .trim()
            .split('\n').length,
      ),
    )
    .reduce((a, b) => a + b, 0);

/** Takes from a store what it knows of screened files and of near-duplicates; rows stay as old as they are. */
async function forgetScreening(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run('DELETE FROM screened_units; DELETE FROM order_clusters;');
  connection.closeSync();
  instance.closeSync();
}

it('orders rows of added, changed and removed files as an ingest of all files would, and reads no file again that did not change', async () => {
  const at = folder();
  writeParts(at);
  const file = join(at, 'kept.duckdb');
  const seen = new Set<number>();
  let nears = 0;
  let elders = 0;
  for (const parts of [[0, 1], [0, 1, 2], [0, 2], [3], [0, 1, 2, 3]]) {
    const whole = join(at, `${parts.join('-')}.duckdb`);
    if (seen.size > 0) {
      copyFileSync(file, whole);
      await forgetScreening(whole);
    }
    const store = await openStore(file);
    const { id, facts, rows } = await ensureOrder({ store, clock: () => 1 }, { config: config(at, parts), baseDir: at });
    expect(rows, parts.join()).toEqual({
      read: lineCount(
        at,
        parts.filter((part) => !seen.has(part)),
      ),
      known: lineCount(
        at,
        parts.filter((part) => seen.has(part)),
      ),
    });
    for (const part of parts) seen.add(part);

    const anew = await openStore(whole);
    const read = await ensureOrder({ store: anew, clock: () => 1 }, { config: config(at, parts), baseDir: at });
    expect(read.rows.known).toBe(0);
    expect(facts).toEqual(read.facts);
    expect(id).toBe(read.id);
    expect((await bytesOf(store, id)) === (await bytesOf(anew, read.id))).toBe(true);
    nears += facts.sources.reduce((sum, { rejected }) => sum + (rejected['near_duplicate'] ?? 0), 0);
    elders += facts.elders?.count ?? 0;
    await Promise.all([store.close(), anew.close()]);
  }
  expect(nears).toBeGreaterThan(25);
  expect(elders).toBeGreaterThan(0);
});

it('orders rows as if all had come at once after --restratify, byte for byte', async () => {
  const at = folder();
  writeParts(at);
  const store = await openStore(join(at, 'kept.duckdb'));
  const ensure = (parts: readonly number[], restratify = false) =>
    ensureOrder({ store, clock: () => 1 }, { config: config(at, parts), baseDir: at }, { restratify });
  for (const parts of [[0], [0, 3], [0, 1, 3], [0, 1, 2, 3]]) await ensure(parts);
  const { id, facts, rows } = await ensure([0, 1, 2, 3], true);
  expect(rows.read).toBe(0);
  const fresh = await openStore(join(at, 'fresh.duckdb'));
  const anew = await ensureOrder({ store: fresh, clock: () => 1 }, { config: config(at, [0, 1, 2, 3]), baseDir: at });
  const { displaced, ...others } = facts;
  expect(displaced).toBeGreaterThan(0);
  expect(others).toEqual(anew.facts);
  expect(id).toBe(anew.id);
  expect((await bytesOf(store, id)) === (await bytesOf(fresh, anew.id))).toBe(true);
  await Promise.all([store.close(), fresh.close()]);
});

it('reads everything again under other rules, and a file whose content changed', async () => {
  const at = folder();
  writeParts(at);
  const store = await openStore(join(at, 'kept.duckdb'));
  const ensure = (change: Partial<Config['screening']> = {}) => {
    const base = config(at, [0, 1]);
    return ensureOrder({ store, clock: () => 1 }, { config: { ...base, screening: { ...base.screening, ...change } }, baseDir: at });
  };
  const all = lineCount(at, [0, 1]);
  expect((await ensure()).rows).toEqual({ read: all, known: 0 });
  expect((await ensure()).rows).toEqual({ read: 0, known: 0 });
  for (const change of [{ minQualityScore: 70 }, { nearDuplicateJaccard: 0.7 }, { identifiers: 'reject' as const }])
    expect((await ensure(change)).rows, JSON.stringify(change)).toEqual({ read: all, known: 0 });
  const file = join(at, 'health-part1.jsonl');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  writeFileSync(file, `${lines.slice(1).join('\n')}\n`);
  expect((await ensure()).rows).toEqual({ read: lines.length - 1, known: all - lines.length });
  await store.close();
});
