import { hashOf } from '../schemas/hash.ts';
import type { CallContent } from '../schemas/ledger.ts';

/** Ledger key of a call: 64 hexadecimal digits over what decides the reply. Token cap, run, step and part are not in it. */
export function callKey(content: CallContent): string {
  const { provider, model, messages, sampling, responseFormat, sampleIndex } = content;
  return hashOf({ provider, model, messages, sampling, responseFormat, sampleIndex });
}
