import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { BuildActivities } from './types.ts';

/** Bookkeeping: short, retried until the store is there again. */
export const bookkeeping = proxyActivities<Pick<BuildActivities, 'planLaunch' | 'recordState' | 'checkGate'>>({
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** Reading and ordering sources: long, heartbeating, resumed from scratch when the owner dies. */
export const ingest = proxyActivities<Pick<BuildActivities, 'prepareBuild'>>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** One stage of one chunk: long, heartbeating; a retry skips what is stored, and a cancel waits until the calls in flight have landed. */
export const construction = proxyActivities<Pick<BuildActivities, 'runStage'>>({
  startToCloseTimeout: '7 days',
  heartbeatTimeout: '30 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** Sending, looking at and reading batches: as long as their files are large; safe to repeat, since a batch is stored before it leaves. */
export const batching = proxyActivities<Pick<BuildActivities, 'tendBatches'>>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '2 minutes',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});
