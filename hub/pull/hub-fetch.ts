import { HubError } from './hub-error.ts';
import { backoffMs, MAX_LIMIT_WAIT_MS, MAX_TRIES, MAX_TRIES_WITHOUT_HOST, retryAfterMs } from './retry-delay.ts';

/** What the fetch of a hub needs from outside. */
export interface HubAccess {
  readonly url: string;
  /** Sent to the hub's own host only, never to where it redirects. */
  readonly token: string | null;
  /** Name of the environment variable the token stands in, for sentences. */
  readonly tokenEnv: string;
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
  /** Time without a byte after which a connection is given up. */
  readonly idleMs: number;
}

/** Who is asked for, so that a refusal can name it. */
export interface Asked {
  readonly source: string;
  readonly repo: string;
  readonly revision: string;
}

const MAX_REDIRECTS = 5;
const FILE_HOSTS = /(?:^|\.)(?:huggingface\.co|hf\.co)$/;

/** A redirect may lead to the hub itself or to Hugging Face's file hosts, and never from TLS to plain HTTP. */
function checkRedirect(from: URL, to: URL, hub: URL): void {
  const isKnown = to.host === hub.host || FILE_HOSTS.test(to.hostname);
  if (isKnown && !(from.protocol === 'https:' && to.protocol !== 'https:')) return;
  throw new HubError(
    'redirect_refused',
    `${hub.host} redirects to ${to.protocol}//${to.host}, which is no host of the hub: nothing was fetched from there. Check \`hub.url\` in memcalib.config.ts.`,
  );
}

/** The sentence for a reply that no retry mends. */
function refusalOf(response: Response, access: HubAccess, asked: Asked): HubError {
  const code = response.headers.get('x-error-code') ?? '';
  const { source, repo, revision } = asked;
  const page = `${access.url}/datasets/${repo}`;
  const again = `type \`memcalib sources pull ${source}\``;
  if (code === 'GatedRepo')
    return new HubError(
      'gated',
      `Source ${source}: ${repo} is gated. ${access.token === null ? `Ask for access at ${page}, put your token into ${access.tokenEnv}` : `The account of ${access.tokenEnv} has no access yet: ask for it at ${page}`}, then ${again}.`,
    );
  if (code === 'RevisionNotFound' || (response.status === 404 && code === '' && revision !== 'main'))
    return new HubError('missing_revision', `Source ${source}: ${repo} has no revision ${revision}. Correct it, then ${again}.`);
  if (code === 'EntryNotFound')
    return new HubError(
      'missing_file',
      `Source ${source}: a file that ${repo} lists is not there any more at ${revision}; ${again} again.`,
    );
  if (response.status === 401 && access.token !== null && code !== 'RepoNotFound')
    return new HubError('bad_token', `${access.url} does not take the token in ${access.tokenEnv}. Correct it, then ${again}.`);
  if (response.status === 401 || response.status === 403 || response.status === 404)
    return new HubError(
      'missing_repo',
      `Source ${source}: there is no dataset ${repo} at ${access.url}${access.token === null ? `, or it is private and ${access.tokenEnv} is not set` : ''}. Correct \`hub.repo\` in memcalib.config.ts, then ${again}.`,
    );
  return new HubError('refused', `Source ${source}: ${access.url} refused ${repo} (HTTP ${response.status}). Try again later: ${again}.`);
}

async function follow(first: string, init: RequestInit, access: HubAccess, asked: Asked, signal: AbortSignal): Promise<Response> {
  const hub = new URL(access.url);
  let url = new URL(first);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const headers = new Headers(init.headers);
    headers.delete('authorization');
    if (access.token !== null && url.host === hub.host) headers.set('authorization', `Bearer ${access.token}`);
    const response = await fetch(url, { ...init, headers, signal, redirect: 'manual' });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    const next = new URL(location, url);
    checkRedirect(url, next, hub);
    url = next;
  }
  throw new HubError('redirect_refused', `${access.url} redirects in circles for ${asked.repo}; try again later.`);
}

/** Whether no server was reached at all: a wrong address or no network, which a minute of waiting seldom mends. */
function isNobodyThere(failure: HubError): boolean {
  const cause = failure.cause instanceof Error ? failure.cause.cause : null;
  if (!(cause instanceof Error)) return false;
  return cause.message === 'bad port' || ('code' in cause && (cause.code === 'ECONNREFUSED' || cause.code === 'ENOTFOUND'));
}

/** Fetches with the hub's rules: known hosts only, waits and tries again on 429, 5xx and broken connections; every other refusal is a HubError. */
export function createHubFetch(access: HubAccess, asked: Asked): typeof fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    let failedTries = 0;
    let waitedMs = 0;
    for (;;) {
      const timer = new AbortController();
      const timeout = setTimeout(() => timer.abort(new Error('no answer')), access.idleMs);
      let failure: HubError;
      let waitMs: number | null = null;
      try {
        const response = await follow(url, init, access, asked, timer.signal);
        if (response.ok || response.status === 416) return response;
        if (response.status !== 429 && response.status < 500) throw refusalOf(response, access, asked);
        await response.body?.cancel();
        waitMs = retryAfterMs(response.headers.get('retry-after'), access.now());
        failure = new HubError(
          response.status === 429 ? 'rate_limited' : 'server_error',
          `Source ${asked.source}: ${access.url} answers HTTP ${response.status} again and again. What was pulled is kept: type \`memcalib sources pull ${asked.source}\` later.`,
          { retryable: true },
        );
      } catch (error) {
        if (error instanceof HubError) throw error;
        failure = new HubError(
          'unreachable',
          `Source ${asked.source}: ${access.url} cannot be reached. What was pulled is kept: check the network or \`hub.url\`, then type \`memcalib sources pull ${asked.source}\`.`,
          { cause: error, retryable: true },
        );
      } finally {
        clearTimeout(timeout);
      }
      const isLimit = failure.code === 'rate_limited';
      if (!isLimit) failedTries += 1;
      const pauseMs = waitMs ?? backoffMs(Math.max(1, failedTries), url);
      waitedMs += isLimit ? pauseMs : 0;
      if (failedTries >= (isNobodyThere(failure) ? MAX_TRIES_WITHOUT_HOST : MAX_TRIES) || waitedMs > MAX_LIMIT_WAIT_MS) throw failure;
      await access.sleep(pauseMs);
    }
  };
}
