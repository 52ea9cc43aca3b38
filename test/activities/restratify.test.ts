import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeMany } from '../../bench/ingest/make-many.mjs';
import { ensureOrder } from '../../activities/ensure-order.ts';
import { orderNotes } from '../../activities/plan/order-notes.ts';
import { Config } from '../../schemas/config.ts';
import type { DuckDbStore } from '../../store/duckdb-store.ts';
import { openStore } from '../../store/open.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

interface Line {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
}

const write = (file: string, rows: readonly Line[]): void => writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

/** `old.jsonl` with short answers; `new.jsonl` with near-duplicates of some of its questions and long answers, and with rows of its own. */
function writeRows(at: string): void {
  makeMany(at, 90);
  const rows = readFileSync(join(at, 'health-row.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const own = rows.slice(0, 12);
  mkdirSync(join(at, 'rows'));
  write(
    join(at, 'rows', 'old.jsonl'),
    own.map((row) => ({ ...row, answer: row.answer.split('. ').slice(0, 2).join('. ') })),
  );
  const better = own.slice(0, 5).map((row) => ({ ...row, id: `better-${row.id}`, question: `${row.question} Thanks a lot.` }));
  write(join(at, 'rows', 'new.jsonl'), [...better, ...rows.slice(20, 26)]);
}

const configOf = (at: string, files: readonly string[]): Config =>
  Config.parse({
    name: 'ages',
    target: { health: 4, general: 0, coding: 0 },
    projectDir: join(at, 'project'),
    sources: [
      {
        name: 'rows',
        adapter: 'custom',
        path: files.map((file) => join(at, 'rows', file)),
        domain: 'health',
        licence: 'CC0-1.0',
        columns: { id: 'id', question: 'question', answer: 'answer' },
      },
    ],
  });

async function idsOf(store: DuckDbStore, orderId: string): Promise<readonly string[]> {
  return (await store.candidates(orderId, 'health', 0, 1000)).map(({ candidate }) => candidate.row.sourceId).sort();
}

it('lets a row that came later take the place of an older near-duplicate only when asked to, and says how many would', async () => {
  const at = folder();
  writeRows(at);
  const store = await openStore(join(at, 'kept.duckdb'));
  const ensure = (files: readonly string[], restratify = false) =>
    ensureOrder({ store, clock: () => 1 }, { config: configOf(at, files), baseDir: at }, { restratify });
  const first = await ensure(['old.jsonl']);
  const old = await idsOf(store, first.id);
  expect(first.facts.elders).toBeUndefined();

  const added = await ensure(['old.jsonl', 'new.jsonl']);
  const together = await idsOf(store, added.id);
  expect(together.filter((id) => !old.includes(id)).every((id) => !id.includes('better'))).toBe(true);
  expect(old.every((id) => together.includes(id))).toBe(true);
  expect(added.facts.elders?.count).toBe(5);
  expect(orderNotes({ order: added, before: null })[0]).toMatch(/^5 rows stay although .* `memcalib plan --restratify`/);

  // Typed again, nothing moves: the stored order still holds.
  expect(await ensure(['old.jsonl', 'new.jsonl'])).toMatchObject({ id: added.id, rows: { read: 0, known: 0 } });

  const moved = await ensure(['old.jsonl', 'new.jsonl'], true);
  const now = await idsOf(store, moved.id);
  expect(moved.facts).toMatchObject({ displaced: 5 });
  expect(moved.facts.elders).toBeUndefined();
  expect(now.filter((id) => id.includes('better'))).toHaveLength(5);
  expect(now).toHaveLength(together.length);
  expect(together.filter((id) => !now.includes(id))).toHaveLength(5);
  expect(orderNotes({ order: moved, before: null })).toEqual([
    '5 rows that came later take the places of older near-duplicates that score lower',
  ]);

  // What the build that follows finds.
  expect((await ensure(['old.jsonl', 'new.jsonl'])).id).toBe(moved.id);

  // A project that had all files from the start has the same order.
  const fresh = await openStore(join(at, 'fresh.duckdb'));
  expect((await ensureOrder({ store: fresh, clock: () => 1 }, { config: configOf(at, ['old.jsonl', 'new.jsonl']), baseDir: at })).id).toBe(
    moved.id,
  );
  await Promise.all([store.close(), fresh.close()]);
});

it('keeps the order of a file set that was taken away and put back, and the ages of rows of a file that grew', async () => {
  const at = folder();
  writeRows(at);
  const store = await openStore(join(at, 'kept.duckdb'));
  const ensure = (files: readonly string[]) => ensureOrder({ store, clock: () => 1 }, { config: configOf(at, files), baseDir: at });
  await ensure(['old.jsonl']);
  const added = await ensure(['old.jsonl', 'new.jsonl']);
  await ensure(['new.jsonl']);
  expect((await ensure(['old.jsonl', 'new.jsonl'])).id).toBe(added.id);

  const lines = (file: string): string => readFileSync(join(at, 'rows', file), 'utf8');
  writeFileSync(join(at, 'rows', 'old.jsonl'), lines('old.jsonl') + lines('new.jsonl'));
  const grown = await ensure(['old.jsonl']);
  expect(grown.rows.known).toBe(0);
  expect(await idsOf(store, grown.id)).toEqual(await idsOf(store, added.id));
  await store.close();
});
