import { upsertSearchAttributes } from '@temporalio/workflow';
import { STAGES } from '../schemas/steps.ts';
import { construction } from './proxies.ts';
import type { ChunkInput, ChunkResult } from './types.ts';

/** Takes the candidates of one chunk through the six stages; a paused stage ends the chunk, and a later chunk goes on from the store. */
export async function constructChunk(input: ChunkInput): Promise<ChunkResult> {
  let failed = 0;
  for (const stage of STAGES) {
    if (input.searchable) upsertSearchAttributes({ MemcalibStage: [stage] });
    const result = await construction.runStage({ runId: input.runId, chunk: input.chunk, stage });
    if (result.kind === 'paused') return result;
    failed += result.failed;
    if (result.alive === 0) break;
  }
  return { kind: 'done', failed };
}
