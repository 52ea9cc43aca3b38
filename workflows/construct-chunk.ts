import { upsertSearchAttributes } from '@temporalio/workflow';
import { STAGES } from '../schemas/steps.ts';
import { construction } from './proxies.ts';
import type { ChunkInput, ChunkResult } from './types.ts';

/** Takes the candidates of one chunk through the six stages; a paused stage ends the chunk, and a later chunk goes on from the store. Candidates that wait for a batch do not hold the others back. */
export async function constructChunk(input: ChunkInput): Promise<ChunkResult> {
  let failed = 0;
  let batched = 0;
  for (const stage of STAGES) {
    if (input.searchable) upsertSearchAttributes({ MemcalibStage: [stage] });
    const result = await construction.runStage({ runId: input.runId, chunk: input.chunk, stage });
    if (result.kind === 'paused') return result;
    failed += result.failed;
    // Each stage counts all that wait so far: the last count holds.
    batched = result.batched ?? 0;
    if (result.alive === 0) break;
  }
  return { kind: 'done', failed, batched };
}
