import type { CallOutcome, CallRequest, LedgerStore, ModelClient, ReplyValidator } from '../schemas/ledger.ts';
import { ModelClientError } from './client-error.ts';
import { nextAttempt } from './next-attempt.ts';
import { StoredCalls } from './stored-calls.ts';

/** The reason under which a ledger-only client stops where a real one would send. */
export const WOULD_SEND = 'would_send';

/**
 * A model client that asks nobody: it serves what a real one would serve from the ledger, and where that one would send it
 * tells `onSend` and pauses. So the pipeline's own code can be run to find out what it would still have to ask.
 */
export function createLedgerOnlyClient(ledger: LedgerStore, onSend: (request: CallRequest) => void): ModelClient {
  const stored = new StoredCalls(ledger);
  const call = async (request: CallRequest, validate: ReplyValidator): Promise<CallOutcome> => {
    const known = await stored.take(request.key);
    const next = nextAttempt(known.attempts, known.series, request.maxTokens);
    if (next.kind === 'failed') return next;
    if (next.kind === 'send') {
      onSend(request);
      return { kind: 'paused', reason: WOULD_SEND, until: null };
    }
    if (known.answer === null)
      throw new ModelClientError(
        'reply_missing',
        `The ledger holds no reply for call ${request.key} attempt ${next.attempt}; put back a copy of the project folder, then type: memcalib plan.`,
      );
    const verdict = validate(known.answer);
    if (verdict.ok) return { kind: 'reply', text: known.answer, attempt: next.attempt, served: 'ledger' };
    return { kind: 'invalid', class: verdict.class, text: known.answer, rule: verdict.rule, path: verdict.path, served: 'ledger' };
  };
  return { prefetch: (keys) => stored.prefetch(keys), call };
}
