import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HubAccess } from '../../hub/pull/hub-fetch.ts';
import { pullFromFolder } from '../../hub/pull/pull-folder.ts';
import { pullSource, type PullOptions, type PullProgress } from '../../hub/pull/pull-source.ts';
import { Pin, pulledPaths } from '../../hub/pull/pin.ts';
import { verifySource } from '../../hub/pull/verify-source.ts';
import { locateSource } from '../../hub/locate-source.ts';
import { SourceConfig } from '../../schemas/config.ts';
import { commitOf, datasetOf, startMockHub, type MockHub } from '../support/mock-hub.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const bytes = (seed: string, length: number): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; at * 32 < length; at += 1) parts.push(createHash('sha256').update(`${seed}${at}`).digest());
  return Buffer.concat(parts).subarray(0, length);
};
const FILES = {
  'README.md': Buffer.from('# card'),
  'data/train-00000-of-00002.parquet': bytes('a', 300_000),
  'data/train-00001-of-00002.parquet': bytes('b', 200_000),
  'data/train_small.jsonl': Buffer.from('{"patient_message":"a"}\n'),
  'data/validation-00000-of-00001.parquet': bytes('c', 100_000),
};
const WANTED = ['data/train-00000-of-00002.parquet', 'data/train-00001-of-00002.parquet', 'data/train_small.jsonl'];
const source = (change: Record<string, unknown> = {}): SourceConfig =>
  SourceConfig.parse({ name: 'med', adapter: 'meddialog', hub: { repo: 'OpenMed/MedDialog' }, ...change });

let hub: MockHub;
let waits: number[];
beforeEach(async () => {
  hub = await startMockHub({ 'OpenMed/MedDialog': datasetOf(FILES) });
  waits = [];
});
afterEach(() => hub.close());

function options(
  sourcesDir: string,
  change: Partial<Omit<PullOptions, 'access'>> & { readonly access?: Partial<HubAccess> } = {},
): PullOptions {
  const access: HubAccess = {
    url: hub.url,
    token: null,
    tokenEnv: 'HF_TOKEN',
    sleep: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    now: Date.now,
    idleMs: 5000,
    ...change.access,
  };
  return { parallel: 2, ...change, sourcesDir, access };
}

const pulled = (dir: string, path: string): Buffer => readFileSync(join(pulledPaths(dir, 'med').files, path));
const fileRequests = (): readonly string[] =>
  hub.requests.filter((seen) => seen.path !== '').map((seen) => `${seen.path}@${seen.rangeFrom}`);
const messageOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error && 'code' in error ? `${String(error.code)}: ${error.message}` : String(error)),
  );

describe('a pull', () => {
  it('brings the files that are needed, checked and pinned to the commit, and asks nothing the second time', async () => {
    const dir = folder();
    const seen: PullProgress[] = [];
    const report = await pullSource(source(), options(dir, { onProgress: (progress) => void seen.push(progress) }));
    expect(report).toMatchObject({
      commit: commitOf(FILES),
      asked: 'main',
      files: 3,
      bytes: 500_024,
      fetchedBytes: 500_024,
      fetchedFiles: 3,
    });
    for (const path of WANTED) expect(pulled(dir, path).equals(FILES[path as keyof typeof FILES])).toBe(true);
    expect(existsSync(join(pulledPaths(dir, 'med').files, 'README.md'))).toBe(false);
    expect(seen.at(-1)).toMatchObject({ doneBytes: 500_024, totalBytes: 500_024, doneFiles: 3, totalFiles: 3 });
    const asked = hub.requests.length;
    expect(await pullSource(source(), options(dir))).toMatchObject({ fetchedBytes: 0, fetchedFiles: 0 });
    expect(hub.requests.length).toBe(asked);
    expect(await verifySource(dir, 'med')).toMatchObject({ files: 3, problems: [] });
  });

  it('goes on by range where a connection broke, and fetches finished files no second time', async () => {
    const dir = folder();
    hub.throttle = { chunkBytes: 20_000, pauseMs: 0 };
    hub.fault = (seen, earlier) => (seen.url.includes('train-0000') && earlier < 2 ? 'cut' : null);
    await pullSource(source(), options(dir));
    expect(pulled(dir, WANTED[0] ?? '').equals(FILES['data/train-00000-of-00002.parquet'])).toBe(true);
    expect(fileRequests().filter((item) => item.endsWith('@0'))).toHaveLength(3);
    expect(fileRequests().length).toBeGreaterThan(5);
    expect(hub.sentBytes()).toBe(500_024);
  });

  it('starts a file anew where the server ignores the range', async () => {
    const dir = folder();
    const part = join(pulledPaths(dir, 'med').files, `${WANTED[0]}.part`);
    hub.fault = (seen) => {
      (seen as { rangeFrom: number }).rangeFrom = 0;
      return null;
    };
    mkdirSync(join(part, '..'), { recursive: true });
    writeFileSync(part, FILES['data/train-00000-of-00002.parquet'].subarray(0, 1000));
    await pullSource(source(), options(dir));
    expect(pulled(dir, WANTED[0] ?? '').equals(FILES['data/train-00000-of-00002.parquet'])).toBe(true);
  });

  it.each<[string, number, Record<string, string>, number]>([
    ['429 with Retry-After in seconds', 429, { 'retry-after': '7' }, 7000],
    ['429 with a long Retry-After', 429, { 'retry-after': '240' }, 240_000],
    ['500', 500, {}, 500],
    ['503 with Retry-After', 503, { 'retry-after': '3' }, 3000],
  ])('waits through a burst of %s', async (_name, status, headers, waitMs) => {
    hub.fault = (_seen, earlier) => (earlier < 3 ? { status, headers } : null);
    const dir = folder();
    await pullSource(source(), options(dir));
    expect((await verifySource(dir, 'med')).problems).toEqual([]);
    expect(waits.length).toBeGreaterThanOrEqual(9);
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(waitMs);
    if (headers['retry-after'] !== undefined) expect(new Set(waits.filter((ms) => ms > 0))).toEqual(new Set([waitMs]));
  });

  it('gives up after eight failed tries with what it has kept', async () => {
    hub.fault = (seen) => (seen.url.includes('train-00001') ? { status: 502 } : null);
    const dir = folder();
    expect(await messageOf(pullSource(source(), options(dir)))).toMatch(
      /^server_error: .*What was pulled is kept: type `memcalib sources pull med` later/,
    );
    hub.fault = () => null;
    const before = hub.sentBytes();
    await pullSource(source(), options(dir));
    expect(hub.sentBytes() - before).toBeLessThanOrEqual(500_024 - 300_000);
  });

  it('refuses a file that does not hash to the record, after a second try, and keeps nothing of it', async () => {
    const served = { 'data/train-00001-of-00002.parquet': bytes('x', 200_000) };
    hub.datasets.set('OpenMed/MedDialog', { ...datasetOf(FILES), served });
    const dir = folder();
    expect(await messageOf(pullSource(source(), options(dir)))).toMatch(/^wrong_hash: .*train-00001.*does not hash/);
    expect(fileRequests().filter((item) => item.includes('train-00001'))).toHaveLength(2);
    expect(existsSync(join(pulledPaths(dir, 'med').files, WANTED[1] ?? ''))).toBe(false);
    expect(existsSync(join(pulledPaths(dir, 'med').files, `${WANTED[1]}.part`))).toBe(false);
  });

  it('refuses a small file that does not match its git id', async () => {
    hub.datasets.set('OpenMed/MedDialog', {
      ...datasetOf(FILES),
      served: { 'data/train_small.jsonl': Buffer.from('{"patient_message":"b"}\n') },
    });
    expect(await messageOf(pullSource(source(), options(folder())))).toMatch(/^wrong_hash: .*train_small/);
  });

  it('refuses a server that sends more than the record says', async () => {
    hub.datasets.set('OpenMed/MedDialog', { ...datasetOf(FILES), served: { 'data/train_small.jsonl': bytes('long', 900) } });
    expect(await messageOf(pullSource(source(), options(folder())))).toMatch(/^changed_file: /);
  });
});

describe('refusals of the hub', () => {
  it.each<[string, () => void, Partial<HubAccess>, Record<string, unknown>, RegExp]>([
    [
      'a gated dataset without a token',
      () => hub.datasets.set('OpenMed/MedDialog', { ...datasetOf(FILES), gated: true }),
      {},
      {},
      /^gated: .*Ask for access at .*\/datasets\/OpenMed\/MedDialog, put your token into HF_TOKEN/,
    ],
    [
      'a gated dataset with a token that has no access',
      () => hub.datasets.set('OpenMed/MedDialog', { ...datasetOf(FILES), gated: true }),
      { token: 'hf_x' },
      {},
      /^gated: .*The account of HF_TOKEN has no access yet/,
    ],
    [
      'a dataset that is not there, without a token',
      () => undefined,
      {},
      { hub: { repo: 'a/none' } },
      /^missing_repo: .*no dataset a\/none at .*or it is private and HF_TOKEN is not set/,
    ],
    [
      'a dataset that is not there, with a token',
      () => undefined,
      { token: 'hf_x' },
      { hub: { repo: 'a/none' } },
      /^missing_repo: (?!.*private)/,
    ],
    [
      'a revision that is not there',
      () => undefined,
      {},
      { hub: { repo: 'OpenMed/MedDialog', revision: 'v9' } },
      /^missing_revision: .*has no revision v9/,
    ],
    [
      'patterns that match nothing',
      () => undefined,
      {},
      { hub: { repo: 'OpenMed/MedDialog', include: ['x/*.csv'] } },
      /^nothing_matches: .*It holds data\/train-00000/,
    ],
    [
      'a host that is no hub',
      () => (hub.fault = () => ({ status: 200, headers: { 'content-type': 'text/html' } })),
      {},
      {},
      /^bad_reply: .*is no reply of a hub/,
    ],
    [
      'a redirect to another host',
      () => (hub.fault = () => ({ status: 302, headers: { location: 'http://127.0.0.2:9/x' } })),
      {},
      {},
      /^redirect_refused: .*nothing was fetched/,
    ],
    ['nothing that answers', () => undefined, { url: 'http://127.0.0.1:9' }, {}, /^unreachable: .*cannot be reached/],
  ])('%s', async (_name, arrange, access, change, expected) => {
    arrange();
    expect(await messageOf(pullSource(source(change), options(folder(), { access })))).toMatch(expected);
  });

  it('sends the token to the hub and nowhere into the project', async () => {
    const dir = folder();
    await pullSource(source(), options(dir, { access: { token: 'mirror-secret' } }));
    expect(new Set(hub.requests.map((seen) => seen.authorization))).toEqual(new Set(['Bearer mirror-secret']));
    expect(readFileSync(pulledPaths(dir, 'med').pin, 'utf8')).not.toContain('secret');
  });

  it('refuses a listed path that leaves the folder', async () => {
    hub.datasets.set('OpenMed/MedDialog', datasetOf({ 'data/train/../../../../x.jsonl': Buffer.from('{}') }));
    expect(await messageOf(pullSource(source({ hub: { repo: 'OpenMed/MedDialog', include: ['**'] } }), options(folder())))).toMatch(
      /^unsafe_path: /,
    );
  });
});

describe('disk', () => {
  it('is looked at before the first byte', async () => {
    const dir = folder();
    expect(await messageOf(pullSource(source(), options(dir, { freeBytes: () => Promise.resolve(1000) })))).toMatch(
      /^disk_full: .*are free at/,
    );
    expect(fileRequests()).toEqual([]);
  });

  it.skipIf(!existsSync('/dev/full'))('that fills in mid-pull keeps what is there, and the next pull ends it', async () => {
    const dir = folder();
    const part = join(pulledPaths(dir, 'med').files, `${WANTED[1]}.part`);
    mkdirSync(join(part, '..'), { recursive: true });
    symlinkSync('/dev/full', part);
    expect(await messageOf(pullSource(source(), options(dir, { parallel: 1 })))).toMatch(
      /^disk_full: .*the disk is full. What was pulled is kept/,
    );
    rmSync(part);
    await pullSource(source(), options(dir));
    expect((await verifySource(dir, 'med')).problems).toEqual([]);
    expect(fileRequests().filter((item) => item.includes('train-00000'))).toHaveLength(1);
  });
});

describe('the pin', () => {
  const NEXT = { ...FILES, 'data/train-00001-of-00002.parquet': bytes('new', 150_000) };
  const move = (): string => {
    const commit = commitOf(NEXT);
    hub.datasets.set('OpenMed/MedDialog', {
      commits: { [commitOf(FILES)]: { files: FILES }, [commit]: { files: NEXT } },
      refs: { main: commit },
    });
    return commit;
  };

  it('holds when the branch moves in mid-pull and after it; --revision moves on, and equal files are not fetched again', async () => {
    const dir = folder();
    hub.fault = (seen) => (seen.url.includes('train-00001') ? { status: 403, headers: { 'x-error-code': 'Other' } } : null);
    await messageOf(pullSource(source(), options(dir, { parallel: 1 })));
    hub.fault = () => null;
    const moved = move();
    expect(await pullSource(source(), options(dir))).toMatchObject({ commit: commitOf(FILES) });
    expect(pulled(dir, WANTED[1] ?? '')).toHaveLength(200_000);
    const before = hub.sentBytes();
    expect(await pullSource(source(), options(dir, { revision: 'main' }))).toMatchObject({
      commit: moved,
      fetchedFiles: 1,
      fetchedBytes: 150_000,
    });
    expect(hub.sentBytes() - before).toBe(150_000);
    expect((await verifySource(dir, 'med')).problems).toEqual([]);
  });

  it('is an error when the same commit lists another hash', async () => {
    const dir = folder();
    hub.fault = (seen) => (seen.url.includes('train-00001') ? { status: 403, headers: { 'x-error-code': 'Other' } } : null);
    await messageOf(pullSource(source(), options(dir, { parallel: 1 })));
    hub.fault = () => null;
    hub.datasets.set('OpenMed/MedDialog', { commits: { [commitOf(FILES)]: { files: NEXT } }, refs: { main: commitOf(FILES) } });
    expect(await messageOf(pullSource(source(), options(dir)))).toMatch(/^changed_file: .*A commit does not change/);
  });

  it('follows a revision set in the config', async () => {
    const dir = folder();
    await pullSource(source(), options(dir));
    const moved = move();
    expect(await pullSource(source({ hub: { repo: 'OpenMed/MedDialog', revision: moved } }), options(dir))).toMatchObject({
      commit: moved,
      asked: moved,
    });
  });

  it('names every file that verify finds harmed, and a build does not read it', async () => {
    const dir = folder();
    await pullSource(source(), options(dir));
    writeFileSync(join(pulledPaths(dir, 'med').files, WANTED[0] ?? ''), bytes('z', 300_000));
    writeFileSync(join(pulledPaths(dir, 'med').files, WANTED[1] ?? ''), bytes('b', 10));
    expect((await verifySource(dir, 'med')).problems.map((problem) => problem.what)).toEqual(['hash', 'size']);
    expect(await messageOf(locateSource(source(), dir, dir))).toMatch(/^not_pulled: .*in part only: type `memcalib sources pull med`/);
  });

  it('is read by a build: names in the dataset, the commit as revision', async () => {
    const dir = folder();
    expect(await messageOf(locateSource(source(), dir, dir))).toMatch(/^not_pulled: .*type `memcalib sources pull med`/);
    await pullSource(source(), options(dir));
    const located = await locateSource(source(), dir, dir);
    expect(located.source.revision).toBe(commitOf(FILES));
    expect(located.files.map((file) => file.name)).toEqual(WANTED);
    expect(Pin.parse(JSON.parse(readFileSync(pulledPaths(dir, 'med').pin, 'utf8'))).files.every((file) => file.sha256 !== null)).toBe(true);
  });

  it('refuses a second pull of the same source while one runs', async () => {
    const dir = folder();
    hub.throttle = { chunkBytes: 20_000, pauseMs: 5 };
    const first = pullSource(source(), options(dir));
    await new Promise((resolve) => setTimeout(resolve, 30));
    writeFileSync(pulledPaths(dir, 'med').lock, String(process.ppid));
    expect(await messageOf(pullSource(source(), options(dir)))).toMatch(/^busy: Source med is being pulled by process/);
    await first;
  });
});

describe('--from', () => {
  function mirror(): string {
    const from = folder();
    for (const [path, data] of Object.entries(FILES)) {
      mkdirSync(join(from, 'med', path, '..'), { recursive: true });
      writeFileSync(join(from, 'med', path), data);
    }
    return from;
  }

  it('takes the same files from a folder without asking the hub, pinned by content', async () => {
    const [dir, from] = [folder(), mirror()];
    const report = await pullFromFolder(source(), from, { sourcesDir: dir, isOnly: true });
    expect(report.commit).toMatch(/^local-[0-9a-f]{16}$/);
    expect(await pullFromFolder(source(), join(from, 'med'), { sourcesDir: dir, isOnly: true })).toMatchObject({
      commit: report.commit,
      fetchedFiles: 0,
    });
    expect((await locateSource(source(), dir, dir)).files.map((file) => file.name)).toEqual(WANTED);
    expect(hub.requests).toEqual([]);
  });

  it('takes the commit of a snapshot folder of the hub cache', async () => {
    const from = folder();
    const snapshot = join(from, 'snapshots', 'a'.repeat(40));
    mkdirSync(snapshot, { recursive: true });
    writeFileSync(join(snapshot, 'train.jsonl'), '{}\n');
    expect((await pullFromFolder(source(), snapshot, { sourcesDir: folder(), isOnly: true })).commit).toBe('a'.repeat(40));
  });

  it('says which folders it looked for', async () => {
    expect(await messageOf(pullFromFolder(source(), folder(), { sourcesDir: folder(), isOnly: false }))).toMatch(
      /^missing_repo: .*holds no folder med or OpenMed\/MedDialog/,
    );
  });
});
