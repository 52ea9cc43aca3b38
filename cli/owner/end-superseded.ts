import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import type { Store } from '../../store/port.ts';
import { latestRunFact } from '../queries/latest-run.ts';

async function terminate(client: Client, workflowId: string, runId: string | null): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    const description = await handle.describe();
    if (description.status.name !== 'RUNNING' || (runId !== null && description.memo?.['runId'] !== runId)) return;
    const children = (description.raw.pendingChildren ?? []).flatMap((child) => child.workflowId ?? []);
    await handle.terminate('another build came in its place');
    await Promise.all(children.map((child) => terminate(client, child, null)));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Ends workflows whose runs the store knows as cancelled while no owner lived. Call it before the worker polls, so that none goes on. */
export async function endSuperseded(
  client: Client,
  store: Store,
  builds: readonly { readonly label: string; readonly workflowId: string }[],
): Promise<void> {
  for (const { label, workflowId } of builds) {
    const runId = await store.fact(latestRunFact(label));
    if (runId !== null && (await store.runState(runId))?.state === 'cancelled') await terminate(client, workflowId, runId);
  }
}
