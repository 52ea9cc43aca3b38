import type { CallClass, CallName } from '../schemas/ledger.ts';

const WATCHED = 20;
const NO_REPLY: ReadonlySet<CallClass> = new Set(['rate_limited', 'quota_exhausted', 'no_credit', 'network', 'timeout', 'server_error']);

/** Watches the first replies of every step of a run: when 20 came and none could be used, something general is wrong. */
export class FirstReplies {
  readonly #seen = new Map<string, { replies: number; usable: number }>();

  /** Counts one fresh reply; returns a sentence with an excerpt of it when the run must pause, else null. */
  observe(request: CallName, callClass: CallClass, text: string | null, why: string): string | null {
    if (NO_REPLY.has(callClass)) return null;
    const name = JSON.stringify([request.runId, request.step, request.provider, request.model]);
    const seen = this.#seen.get(name) ?? { replies: 0, usable: 0 };
    this.#seen.set(name, seen);
    seen.replies++;
    if (callClass === 'ok') seen.usable++;
    if (seen.usable > 0 || seen.replies < WATCHED) return null;
    this.#seen.delete(name);
    const excerpt = text === null ? 'It had no content.' : `It begins: ${text.slice(0, 300)}`;
    return `None of the first ${seen.replies} replies of ${request.model} to step ${request.step} could be used (last: ${callClass}, ${why}; call ${request.key.slice(0, 16)}). ${excerpt}`;
  }
}
