import { ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import type { BuildProgress } from '../../workflows/types.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Engine } from './engine.ts';

/** What Temporal knows of the latest workflow of a label. */
export interface KnownWorkflow {
  readonly running: boolean;
  readonly runId: string;
}

/** Temporal does not answer: it is being started again, or its database lies on a full disk. */
export class TemporalSilentError extends CliError {}

/** Workflow id of a build: one per project and label. */
export function buildWorkflowId(projectId: string, label: string): string {
  return `memcalib-${projectId}-${label}`;
}

function handleOf(engine: Engine, label: string): WorkflowHandle {
  return engine.workflows.getHandle(buildWorkflowId(engine.projectId, label));
}

/** Looks the workflow of a label up; null when Temporal has none (never started, or its database was deleted); TemporalSilentError. */
export async function describeBuild(engine: Engine, label: string): Promise<KnownWorkflow | null> {
  try {
    const description = await handleOf(engine, label).describe();
    const runId = description.memo?.['runId'];
    return { running: description.status.name === 'RUNNING', runId: typeof runId === 'string' ? runId : '' };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    if (!(error instanceof ServiceError)) throw error;
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new TemporalSilentError(
      `The Temporal server does not answer (${cause.slice(0, 200)}). Nothing is lost: see to it that the disk is not full, then type the same command again.`,
      EXIT.environment,
      { cause: error },
    );
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

/** A silent server is asked again for so long before a person's word is given up. */
const PATIENCE_MS = 10_000;

async function describeOnceAnswered(engine: Engine, label: string): Promise<KnownWorkflow | null> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await describeBuild(engine, label);
    } catch (error) {
      if (!(error instanceof TemporalSilentError) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** The handle of a running build; a sentence when none is under way. */
export async function runningBuild(engine: Engine, label: string): Promise<WorkflowHandle> {
  const workflow = await describeOnceAnswered(engine, label);
  if (workflow?.running !== true)
    throw new CliError(`No build labelled ${label} is under way. Type \`memcalib build\` to start or go on with one.`, EXIT.usage);
  return handleOf(engine, label);
}
