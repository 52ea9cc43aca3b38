import type { BatchRow } from '../../schemas/batch.ts';
import type { BatchCancelled } from './transport.ts';

const usd = (microUsd: number): string => `$${(microUsd / 1e6).toFixed(microUsd < 10_000 ? 4 : 2)}`;

/** What a person reads of a batch whose run was cancelled: what is paid, what is not, and what becomes of its answers. */
export function cancelSentence(batch: BatchRow, result: BatchCancelled): string {
  if (result.kind === 'with_person')
    return `Batch ${batch.id} lies in ${result.where}: tell whoever answers it. Answers put beside it still count at the next \`memcalib build\`.`;
  const { done } = result;
  if (result.kind === 'over')
    return `Batch ${batch.id} had ended at ${batch.provider} already: its answers are kept at the next \`memcalib build\`.`;
  const worst = Object.values(batch.worstMicroUsd).reduce((sum, microUsd) => sum + microUsd, 0);
  const left = Math.max(0, batch.requests - (done ?? 0));
  const share = worst === 0 ? '' : ` (up to ${usd(Math.ceil((worst * left) / Math.max(1, batch.requests)))})`;
  const asked = `Batch ${batch.id}: ${batch.provider} was asked to cancel it.`;
  const unless = 'save what ends before the provider stops';
  if (done === 0) return `${asked} None of its ${batch.requests} requests was done: they${share} stay unpaid, ${unless}.`;
  if (done === null)
    return `${asked} What was done by then is billed, and kept at the next \`memcalib build\`; the rest${share} stays unpaid.`;
  return `${asked} ${done} of ${batch.requests} requests were done and are billed, and kept at the next \`memcalib build\`; the other ${left}${share} stay unpaid, ${unless}.`;
}

/** What a person reads of a batch that could not be cancelled. */
export function stillOutSentence(batch: BatchRow, why: string): string {
  const where = batch.remoteId === null ? '' : ` (${batch.remoteId.slice(0, 100)})`;
  return `Batch ${batch.id} could not be cancelled: ${why}. It goes on and is billed: cancel it at ${batch.provider}${where}, or type \`memcalib build\` to use its answers.`;
}
