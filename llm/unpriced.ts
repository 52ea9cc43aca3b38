import type { LedgerStore } from '../schemas/ledger.ts';
import { batchPrice, estimateTokens, worstMicroUsd } from './prices.ts';
import type { PriceOf } from './prices.ts';

/** What the calls of a scope whose cost nobody told cost at least: their input at its price; models without a price count nothing. */
export async function unpricedMicroUsd(
  ledger: Pick<LedgerStore, 'requests' | 'unpriced'>,
  priceOf: PriceOf,
  scope: Parameters<LedgerStore['spent']>[0],
): Promise<number> {
  let sum = 0;
  for (const { provider, model, batched, calls, keys } of await ledger.unpriced(scope)) {
    const told = priceOf(provider, model);
    const price = batched ? batchPrice(told) : told;
    if (price === null || keys.length === 0) continue;
    const sent = await ledger.requests([...new Set(keys)]);
    const known = keys.reduce((total, key) => {
      const texts = sent.get(key)?.messages.map((message) => message.content) ?? [];
      return total + (worstMicroUsd(price, estimateTokens(texts), 0) ?? 0);
    }, 0);
    sum += Math.ceil((known * calls) / keys.length);
  }
  return sum;
}
