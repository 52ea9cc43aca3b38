import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Files of one commit by path; large ones are kept by SHA-256 as the hub does, small ones by git id. */
export interface MockCommit {
  readonly files: Readonly<Record<string, Buffer>>;
  /** Files of this size or more are "LFS". */
  readonly lfsFrom?: number;
}

export interface MockDataset {
  readonly commits: Record<string, MockCommit>;
  readonly refs: Record<string, string>;
  readonly gated?: boolean;
  /** What is served in place of a file's bytes, to plant damage. */
  readonly served?: Readonly<Record<string, Buffer>>;
}

/** One request as the mock saw it. */
export interface SeenRequest {
  readonly url: string;
  readonly path: string;
  readonly rangeFrom: number;
  readonly authorization: string | null;
  sentBytes: number;
}

/** What is done to a request instead of answering it; null answers. */
export type MockFault = (
  request: SeenRequest,
  earlier: number,
) => { readonly status: number; readonly headers?: Record<string, string> } | 'cut' | null;

export interface MockHub {
  readonly url: string;
  readonly datasets: Map<string, MockDataset>;
  readonly requests: SeenRequest[];
  fault: MockFault;
  /** Bytes sent at a time and the pause after each; 0 sends at once. */
  throttle: { readonly chunkBytes: number; readonly pauseMs: number };
  sentBytes(): number;
  close(): Promise<void>;
}

const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
const gitOid = (data: Buffer): string => createHash('sha1').update(`blob ${data.length}\0`).update(data).digest('hex');

/** A commit id for a set of files. */
export function commitOf(files: Readonly<Record<string, Buffer>>): string {
  return createHash('sha1')
    .update(
      Object.entries(files)
        .map(([path, data]) => `${path} ${sha256(data)}`)
        .join('\n'),
    )
    .digest('hex');
}

function json(response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, code: string): void {
  json(response, { error: code }, status, { 'x-error-code': code });
}

/** Entries of a tree with the hub's record of size and hash; a page holds two, so that links to the next one are followed. */
function sendTree(response: ServerResponse, hubUrl: string, url: URL, commit: MockCommit): void {
  const from = Number(url.searchParams.get('cursor') ?? '0');
  const entries = Object.entries(commit.files).map(([path, data]) => {
    const isLfs = data.length >= (commit.lfsFrom ?? 2000);
    return {
      type: 'file',
      path,
      size: data.length,
      oid: isLfs ? sha256(data).slice(0, 40) : gitOid(data),
      ...(isLfs && { lfs: { oid: sha256(data), size: data.length, pointerSize: 130 } }),
    };
  });
  const next = `${hubUrl}${url.pathname}?recursive=true&expand=false&cursor=${from + 2}`;
  json(response, entries.slice(from, from + 2), 200, from + 2 < entries.length ? { link: `<${next}>; rel="next"` } : {});
}

async function sendFile(hub: MockHub, response: ServerResponse, seen: SeenRequest, data: Buffer, cutAt: number | null): Promise<void> {
  const from = seen.rangeFrom;
  if (from > 0 && from >= data.length) {
    response.writeHead(416, { 'content-range': `bytes */${data.length}` }).end();
    return;
  }
  const rest = data.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    'content-length': String(rest.length),
    etag: `"${sha256(data)}"`,
    ...(from > 0 && { 'content-range': `bytes ${from}-${data.length - 1}/${data.length}` }),
  });
  const { chunkBytes, pauseMs } = hub.throttle;
  const step = chunkBytes > 0 ? chunkBytes : Math.max(1, rest.length);
  for (let at = 0; at < rest.length && !response.destroyed; at += step) {
    if (cutAt !== null && at >= cutAt) {
      // The connection ends after what was sent; destroyed, it could take sent bytes with it.
      response.socket?.end();
      return;
    }
    const chunk = rest.subarray(at, at + step);
    response.write(chunk);
    seen.sentBytes += chunk.length;
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    else if (cutAt !== null) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

async function answer(hub: MockHub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', hub.url);
  const range = /^bytes=(\d+)-/.exec(request.headers.range ?? '');
  const seen: SeenRequest = {
    url: request.url ?? '',
    path: '',
    rangeFrom: Number(range?.[1] ?? 0),
    authorization: request.headers.authorization ?? null,
    sentBytes: 0,
  };
  const fault = hub.fault(seen, hub.requests.filter((other) => other.url === seen.url).length);
  hub.requests.push(seen);
  if (fault !== null && fault !== 'cut') {
    response.writeHead(fault.status, fault.headers ?? {}).end('fault');
    return;
  }
  const api = /^\/api\/datasets\/([^/]+\/[^/]+)\/(revision|tree)\/([^/]+)/.exec(url.pathname);
  const file = /^\/datasets\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(url.pathname);
  const dataset = hub.datasets.get(api?.[1] ?? file?.[1] ?? '');
  // As the hub does: a repository that is not there and one that may not be seen answer alike.
  if (dataset === undefined) return refuse(response, seen.authorization === null ? 401 : 404, 'RepoNotFound');
  const revision = decodeURIComponent(api?.[3] ?? file?.[2] ?? '');
  const sha = dataset.refs[revision] ?? revision;
  const commit = dataset.commits[sha];
  if (commit === undefined) return refuse(response, 404, 'RevisionNotFound');
  if (api?.[2] === 'revision')
    return json(response, {
      _id: 'x',
      id: api[1],
      sha,
      private: false,
      downloads: 1,
      likes: 1,
      gated: dataset.gated === true ? 'auto' : false,
      lastModified: '2024-01-01T00:00:00.000Z',
    });
  if (api?.[2] === 'tree') return sendTree(response, hub.url, url, commit);
  if (dataset.gated === true) return refuse(response, seen.authorization === null ? 401 : 403, 'GatedRepo');
  const path = decodeURIComponent(file?.[3] ?? '');
  const data = dataset.served?.[path] ?? commit.files[path];
  if (data === undefined) return refuse(response, 404, 'EntryNotFound');
  (seen as { path: string }).path = path;
  await sendFile(hub, response, seen, data, fault === 'cut' ? Math.floor(data.length / 3) : null);
}

/** A hub on loopback with the routes that a pull asks: revision, tree (paged) and resolve (ranges). Everything asked is recorded. */
export async function startMockHub(datasets: Readonly<Record<string, MockDataset>>): Promise<MockHub> {
  const server = createServer((request, response) => {
    answer(hub, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hub: MockHub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    datasets: new Map(Object.entries(datasets)),
    requests: [],
    fault: () => null,
    throttle: { chunkBytes: 0, pauseMs: 0 },
    sentBytes: () => hub.requests.reduce((sum, seen) => sum + seen.sentBytes, 0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return hub;
}

/** A dataset with one commit on `main` (or on another ref). */
export function datasetOf(files: Readonly<Record<string, Buffer>>, ref = 'main'): MockDataset {
  const commit = commitOf(files);
  return { commits: { [commit]: { files } }, refs: { [ref]: commit } };
}
