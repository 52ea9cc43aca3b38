import { open, mkdir, rename, rm, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileHashes } from './file-hashes.ts';
import { HubError } from './hub-error.ts';
import { createHubFetch, type Asked, type HubAccess } from './hub-fetch.ts';
import { sizeOf, type PinnedFile } from './pin.ts';
import { backoffMs, MAX_TRIES } from './retry-delay.ts';

/** Where one file comes from and goes to; `onBytes` hears of every byte that arrives (negative when a part is thrown away). */
export interface FileJob {
  readonly file: PinnedFile;
  readonly target: string;
  readonly asked: Asked;
  readonly access: HubAccess;
  readonly onBytes: (count: number) => void;
}

/** Name of the part of a file that has arrived so far. */
export function partOf(target: string): string {
  return `${target}.part`;
}

function changed({ asked, file }: FileJob): HubError {
  return new HubError(
    'changed_file',
    `Source ${asked.source}: ${file.path} of ${asked.repo} is not what it was at the pinned commit ${asked.revision}. Do not trust it: type \`memcalib sources pull ${asked.source} --revision main\` to pin anew, or ask the dataset's owner.`,
  );
}

/** An error of the disk in a sentence; others pass. */
function diskError(error: unknown, { asked }: FileJob): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'EFBIG') return error;
  return new HubError(
    'disk_full',
    `Source ${asked.source}: the disk is full. What was pulled is kept: free some space, then type \`memcalib sources pull ${asked.source}\`.`,
    { cause: error },
  );
}

/** Bytes of a reply; a connection that stays silent is given up. */
async function* bodyOf(response: Response, idleMs: number): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      let timeout: NodeJS.Timeout | undefined;
      const silence = new Promise<never>((_resolve, reject) => {
        timeout = setTimeout(() => reject(new Error('the connection fell silent')), idleMs);
      });
      const next = await Promise.race([reader.read(), silence]).finally(() => clearTimeout(timeout));
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** First byte of a partial reply; null when the server sends the whole file. */
function rangeStart(response: Response, job: FileJob): number | null {
  if (response.status !== 206) return null;
  const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '');
  if (match === null || (match[2] !== '*' && Number(match[2]) !== job.file.bytes)) throw changed(job);
  return Number(match[1]);
}

/** One connection: appends what comes to the part. Returns how far it got. */
async function receive(job: FileJob, part: string): Promise<number> {
  const { file, asked, access, onBytes } = job;
  let at = (await sizeOf(part)) ?? 0;
  if (at >= file.bytes && file.bytes > 0) return at;
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  const response = await createHubFetch(access, asked)(`${access.url}/datasets/${asked.repo}/resolve/${asked.revision}/${path}`, {
    headers: { 'accept-encoding': 'identity', ...(at > 0 && { range: `bytes=${at}-` }) },
  });
  const from = response.status === 416 ? 0 : (rangeStart(response, job) ?? 0);
  if (response.status === 416) throw changed(job);
  if (from !== at) {
    // The server ignored the range and sends all of it.
    onBytes(from - at);
    await truncate(part, from);
    at = from;
  }
  const handle = await open(part, 'a', 0o600);
  try {
    for await (const chunk of bodyOf(response, access.idleMs)) {
      at += chunk.length;
      if (at > file.bytes) throw changed(job);
      await handle.appendFile(chunk);
      onBytes(chunk.length);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return at;
}

async function receiveAll(job: FileJob, part: string): Promise<void> {
  let failedTries = 0;
  for (;;) {
    const before = (await sizeOf(part)) ?? 0;
    try {
      const at = await receive(job, part);
      if (at >= job.file.bytes) return;
    } catch (error) {
      const told = diskError(error, job);
      // What the file system refuses no new connection mends; broken connections come as errors of fetch.
      if (told instanceof HubError || (error instanceof Error && 'syscall' in error)) throw told;
    }
    const isFarther = ((await sizeOf(part)) ?? 0) > before;
    failedTries = isFarther ? 1 : failedTries + 1;
    if (failedTries >= MAX_TRIES)
      throw new HubError(
        'unreachable',
        `Source ${job.asked.source}: the connection breaks off again and again at ${job.file.path}. What was pulled is kept: type \`memcalib sources pull ${job.asked.source}\` later.`,
        { retryable: true },
      );
    await job.access.sleep(isFarther ? 0 : backoffMs(failedTries, job.file.path));
  }
}

/** Checks a whole part against the hub's record; gives its SHA-256, or null when it is not that file. */
export async function checkedSha256(path: string, file: PinnedFile): Promise<string | null> {
  if ((await sizeOf(path)) !== file.bytes) return null;
  const { sha256, gitOid } = await fileHashes(path, file.bytes);
  const isRight = file.sha256 !== null ? sha256 === file.sha256 : file.gitOid === null || gitOid === file.gitOid;
  return isRight ? sha256 : null;
}

/**
 * Fetches one file: goes on with the part that is there, checks the whole against the hub's record, and only then gives it its name.
 * A part that does not check is fetched once more from the start; a second failure is an error. Returns the SHA-256.
 */
export async function fetchFile(job: FileJob): Promise<string> {
  const { file, target, asked, onBytes } = job;
  const part = partOf(target);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const kept = await checkedSha256(target, file);
  if (kept !== null) return kept;
  for (const isLast of [false, true]) {
    await receiveAll(job, part);
    const sha256 = await checkedSha256(part, file);
    if (sha256 !== null) {
      await rename(part, target);
      return sha256;
    }
    onBytes(-file.bytes);
    await rm(part, { force: true });
    if (isLast) break;
  }
  throw new HubError(
    'wrong_hash',
    `Source ${asked.source}: ${file.path} of ${asked.repo} was fetched twice and does not hash to what the hub records; nothing of it was kept. Try again later, or another mirror in \`hub.url\`: type \`memcalib sources pull ${asked.source}\`.`,
  );
}
