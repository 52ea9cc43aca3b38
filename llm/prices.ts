import type { TokenUsage } from '../schemas/ledger.ts';

/** Price of one model in US dollars per million tokens (which is micro-USD per token). */
export interface ModelPrice {
  readonly inputPerMillionUsd: number;
  /** Default: the price of fresh input. */
  readonly cachedInputPerMillionUsd?: number | undefined;
  readonly outputPerMillionUsd: number;
  readonly batchDiscount?: number | undefined;
}

const DEFAULT_BATCH_DISCOUNT = 0.5;

/** Looks a price up; null when nobody told it. */
export type PriceOf = (provider: string, model: string) => ModelPrice | null;

/** A price table by `provider/model` or by model alone; the longer name wins. */
export function priceBook(prices: Readonly<Record<string, ModelPrice>>): PriceOf {
  const own = (name: string): ModelPrice | null => (Object.hasOwn(prices, name) ? (prices[name] ?? null) : null);
  return (provider, model) => own(`${provider}/${model}`) ?? own(model);
}

/** Cost of a call in whole micro-USD, half up; null when price or usage is unknown, which is never zero. */
export function costMicroUsd(price: ModelPrice | null, usage: TokenUsage | null): number | null {
  if (price === null || usage === null) return null;
  const cachedPrice = price.cachedInputPerMillionUsd ?? price.inputPerMillionUsd;
  return Math.round(
    usage.freshInput * price.inputPerMillionUsd + usage.cachedInput * cachedPrice + usage.output * price.outputPerMillionUsd,
  );
}

/** What a model costs in a batch: every price less `batchDiscount` (default half). */
export function batchPrice(price: ModelPrice | null): ModelPrice | null {
  if (price === null) return null;
  const share = 1 - (price.batchDiscount ?? DEFAULT_BATCH_DISCOUNT);
  return {
    inputPerMillionUsd: price.inputPerMillionUsd * share,
    cachedInputPerMillionUsd: (price.cachedInputPerMillionUsd ?? price.inputPerMillionUsd) * share,
    outputPerMillionUsd: price.outputPerMillionUsd * share,
  };
}

/** The most a call can cost: every input token fresh, the reply as long as its cap. */
export function worstMicroUsd(price: ModelPrice | null, inputTokens: number, maxTokens: number): number | null {
  return price === null ? null : Math.ceil(inputTokens * price.inputPerMillionUsd + maxTokens * price.outputPerMillionUsd);
}

/** An upper estimate of the tokens of a text before a provider has counted them: one per three characters, one per non-ASCII one. */
export function estimateTokens(texts: readonly string[]): number {
  let ascii = 0;
  let other = 0;
  for (const text of texts) {
    const length = text.length;
    const bytes = Buffer.byteLength(text, 'utf8');
    if (bytes === length) ascii += length;
    else {
      const wide = Math.min(length, Math.ceil((bytes - length) / 2) + 1);
      other += wide;
      ascii += length - wide;
    }
  }
  return Math.ceil(ascii / 3) + other + 8 * texts.length;
}
