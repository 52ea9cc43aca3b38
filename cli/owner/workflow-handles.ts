import { WorkflowNotFoundError } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import type { BuildProgress } from '../../workflows/types.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Engine } from './engine.ts';

/** What Temporal knows of the latest workflow of a label. */
export interface KnownWorkflow {
  readonly running: boolean;
  readonly runId: string;
}

/** Workflow id of a build: one per project and label. */
export function buildWorkflowId(projectId: string, label: string): string {
  return `memcalib-${projectId}-${label}`;
}

function handleOf(engine: Engine, label: string): WorkflowHandle {
  return engine.workflows.getHandle(buildWorkflowId(engine.projectId, label));
}

/** Looks the workflow of a label up; null when Temporal has none (never started, or its database was deleted). */
export async function describeBuild(engine: Engine, label: string): Promise<KnownWorkflow | null> {
  try {
    const description = await handleOf(engine, label).describe();
    const runId = description.memo?.['runId'];
    return { running: description.status.name === 'RUNNING', runId: typeof runId === 'string' ? runId : '' };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** Progress as the workflow tells it; null while it cannot be asked. */
export async function progressOf(engine: Engine, label: string): Promise<BuildProgress | null> {
  try {
    return await handleOf(engine, label).query<BuildProgress>('progress');
  } catch {
    return null;
  }
}

/** The innermost reason why a workflow ended without a result. */
export async function failureOf(engine: Engine, label: string): Promise<string> {
  try {
    await handleOf(engine, label).result();
    return 'its workflow ended without a recorded state; type `memcalib build` again';
  } catch (error) {
    const causes: string[] = [];
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) causes.push(cause.message);
    return causes.at(-1) ?? 'unknown';
  }
}

/** The handle of a running build; a sentence when none is under way. */
export async function runningBuild(engine: Engine, label: string): Promise<WorkflowHandle> {
  const workflow = await describeBuild(engine, label);
  if (workflow?.running !== true)
    throw new CliError(`No build labelled ${label} is under way. Type \`memcalib build\` to start or go on with one.`, EXIT.usage);
  return handleOf(engine, label);
}
