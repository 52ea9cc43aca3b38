import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import type { Logger } from '../log.ts';

/** Started and cancel-requested, in temporal.api.enums.v1.PendingActivityState. */
const LEFT_BEHIND: ReadonlySet<number> = new Set([2, 3]);

async function releaseOf(client: Client, workflowId: string): Promise<readonly string[]> {
  const { namespace } = client.options;
  const description = await client.workflow.getHandle(workflowId).describe();
  if (description.status.name !== 'RUNNING') return [];
  await client.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId, runId: description.runId } });
  for (const { activityId, state } of description.raw.pendingActivities ?? []) {
    if (typeof activityId !== 'string' || !LEFT_BEHIND.has(Number(state))) continue;
    await client.activity.fail({ workflowId, activityId }, new Error('the owner that ran this ended; it is run again'));
  }
  return (description.raw.pendingChildren ?? []).flatMap((child) => (typeof child.workflowId === 'string' ? [child.workflowId] : []));
}

/**
 * A project has one owner, so what Temporal holds as started when an owner starts was left by a dead one. It is failed at once and
 * thereby retried in a second, instead of after its heartbeat or start-to-close timeout. Call it before the worker polls.
 */
export async function releaseOrphans(client: Client, workflowIds: readonly string[], log: Logger): Promise<void> {
  const release = async (workflowId: string): Promise<void> => {
    try {
      await Promise.all((await releaseOf(client, workflowId)).map(release));
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) log.warn(`${workflowId}: left-over work waits for its timeout (${String(error)})`);
    }
  };
  await Promise.all(workflowIds.map(release));
}
