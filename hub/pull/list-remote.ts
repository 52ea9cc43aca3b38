import { HubApiError, InvalidApiResponseFormatError, datasetInfo, listFiles } from '@huggingface/hub';
import type { SourceConfig } from '../../schemas/config.ts';
import { HubError } from './hub-error.ts';
import { createHubFetch, type HubAccess } from './hub-fetch.ts';
import { checkPath, includeOf, isIncluded, nothingMatches } from './include.ts';
import type { Pin, PinnedFile } from './pin.ts';

const COMMIT = /^[0-9a-f]{40}$/;

function badReply(source: string, url: string, cause: unknown): HubError {
  return new HubError(
    'bad_reply',
    `Source ${source}: what ${url} answered is no reply of a hub. Check \`hub.url\` in memcalib.config.ts.`,
    {
      cause,
    },
  );
}

/** Errors of the library and of JSON become ours; what our fetch refused passes. */
async function asking<Value>(source: string, access: HubAccess, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HubError) throw error;
    if (error instanceof HubApiError || error instanceof InvalidApiResponseFormatError || error instanceof SyntaxError)
      throw badReply(source, access.url, error);
    if (error instanceof TypeError) throw badReply(source, access.url, error);
    throw error;
  }
}

/** The commit that a branch, tag or commit stands for now. */
export async function resolveCommit(source: SourceConfig, repo: string, revision: string, access: HubAccess): Promise<string> {
  return asking(source.name, access, async () => {
    const { sha } = await datasetInfo({
      name: repo,
      revision,
      hubUrl: access.url,
      additionalFields: ['sha'],
      fetch: createHubFetch(access, { source: source.name, repo, revision }),
    });
    if (typeof sha !== 'string' || !COMMIT.test(sha)) throw badReply(source.name, access.url, null);
    return sha;
  });
}

/** The files of a commit that a source needs, with the hub's own record of size and hash, by path. */
export async function listPinned(
  source: SourceConfig,
  repo: string,
  asked: string,
  commit: string,
  access: HubAccess,
): Promise<Pin['files']> {
  const include = includeOf(source);
  return asking(source.name, access, async () => {
    const files: PinnedFile[] = [];
    const present: string[] = [];
    const listed = listFiles({
      repo: { type: 'dataset', name: repo },
      revision: commit,
      recursive: true,
      hubUrl: access.url,
      fetch: createHubFetch(access, { source: source.name, repo, revision: asked }),
    });
    for await (const entry of listed) {
      if (entry.type !== 'file') continue;
      present.push(entry.path);
      if (!isIncluded(entry.path, include)) continue;
      checkPath(entry.path, source.name);
      const sha256 = entry.lfs?.oid ?? null;
      files.push({ path: entry.path, bytes: entry.lfs?.size ?? entry.size, sha256, gitOid: sha256 === null ? (entry.oid ?? null) : null });
    }
    if (files.length === 0) throw nothingMatches(source, `${repo} at ${asked}`, include, present);
    return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  });
}
