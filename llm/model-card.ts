import { z } from 'zod';

const count = z.number().positive().nullish();

const Card = z.object({
  id: z.string(),
  max_model_len: count,
  context_length: count,
  context_window: count,
  meta: z.object({ n_ctx: count, n_ctx_train: count }).nullish(),
});

/** The model list as endpoints send it, with the places where some tell the context length. */
export const ModelCard = z.object({ data: z.array(Card) });

/** Context length in tokens as vLLM, OpenRouter, Groq or llama.cpp tell it (the served one before the trained one); null where it is not told. */
export function contextLengthOf(card: z.infer<typeof Card>): number | null {
  return card.max_model_len ?? card.context_length ?? card.context_window ?? card.meta?.n_ctx ?? card.meta?.n_ctx_train ?? null;
}
