import { z } from 'zod';
import type { TokenUsage } from '../schemas/ledger.ts';

/** What a counter can hold; anything else (negative, a text, 1e300) is no count, and no reason to throw a paid reply away. */
const tokens = z.number().nonnegative().max(2_147_483_647).nullish().catch(null);
const name = z.string().nullish().catch(null);

const Message = z.object({
  content: z.union([z.string(), z.array(z.object({ type: z.string().nullish(), text: z.string().nullish() }))]).nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
});

/** A chat completion as received: only the fields we use, each allowed to be missing. */
export const CompletionBody = z.object({
  model: name,
  system_fingerprint: name,
  choices: z.array(z.object({ finish_reason: z.string().nullish(), message: Message.nullish(), error: z.unknown().optional() })),
  usage: z
    .object({
      prompt_tokens: tokens,
      completion_tokens: tokens,
      prompt_tokens_details: z.object({ cached_tokens: tokens }).nullish().catch(null),
      prompt_cache_hit_tokens: tokens,
    })
    .nullish()
    .catch(null),
});
export type CompletionBody = z.infer<typeof CompletionBody>;

/** Tokens of a completion with cached input set apart; null when the provider told none. */
export function usageOf(body: CompletionBody): TokenUsage | null {
  const usage = body.usage;
  if (usage?.prompt_tokens == null || usage.completion_tokens == null) return null;
  const cachedInput = Math.min(usage.prompt_tokens, usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0);
  return { freshInput: usage.prompt_tokens - cachedInput, cachedInput, output: usage.completion_tokens };
}

/**
 * The assistant's words: `content`, or, when that is blank, a `reasoning_content` that is itself one JSON object
 * (some servers' reasoning parsers put the whole answer there). Null when there is neither.
 */
export function contentOf(choice: CompletionBody['choices'][number]): string | null {
  const content = choice.message?.content;
  const text = typeof content === 'string' ? content : (content?.map((part) => part.text ?? '').join('') ?? '');
  if (text.trim() !== '') return text;
  const reasoning = (choice.message?.reasoning_content ?? choice.message?.reasoning ?? '').trim();
  return /^(```[a-z]*\s*)?\{[\s\S]*\}(\s*```)?$/i.test(reasoning) ? reasoning : null;
}

/** Lone halves of characters become U+FFFD: no store takes them, and no reply means them. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
