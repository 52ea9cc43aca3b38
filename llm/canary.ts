import { z } from 'zod';
import { canonicalJson } from '../schemas/hash.ts';
import type { CallRequest, ReplyValidator, Sampling } from '../schemas/ledger.ts';
import type { Role } from '../schemas/steps.ts';
import { callKey } from './key.ts';
import { parseReply } from './reply-parser.ts';

/** A role whose model is watched. */
export interface WatchedRole {
  readonly role: Role;
  readonly provider: string;
  readonly model: string;
  readonly sampling: Sampling;
}

const CANARY_TOKENS = 1024;
const QUESTION =
  'Reply with one JSON object and nothing else. Keys: "sum" = 17 + 25 (a number), "word" = the third word of "amber willow copper slate", ' +
  '"order" = the list ["pear","fig","apple"] sorted by alphabet, "capital" = the capital of Portugal, "rhyme" = "yes" if "cough" rhymes with "off", else "no".';
const AnyObject = z.record(z.string(), z.json());

/** The fixed question, asked anew each time: the sample index keeps an earlier reply from being served. */
export function canaryRequest(watched: WatchedRole, runId: string, sampleIndex: number): CallRequest {
  const content = {
    provider: watched.provider,
    model: watched.model,
    messages: [{ role: 'user' as const, content: QUESTION }],
    sampling: { ...watched.sampling, temperature: 0 },
    responseFormat: { type: 'text' as const },
    sampleIndex,
  };
  const { role } = watched;
  return {
    ...content,
    key: callKey(content),
    maxTokens: CANARY_TOKENS,
    runId,
    role,
    step: 'canary',
    partId: 'main',
    candidateId: '',
    turn: 'first',
  };
}

/** A canary reply counts when it is one JSON object. */
export const canaryValidator: ReplyValidator = (text) => {
  const parsed = parseReply(text, AnyObject);
  return parsed.ok ? { ok: true } : parsed;
};

/** The reply without what does not matter: key order, spaces, fences. */
export function canaryAnswer(text: string): string {
  const parsed = parseReply(text, AnyObject);
  return parsed.ok ? canonicalJson(parsed.value) : text;
}
