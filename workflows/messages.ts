import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { BuildProgress } from './types.ts';

/** The gate was opened: stop waiting and go on. */
export const resumeSignal = defineSignal('resume');

/** The gate was closed by a person; running activities see it in the store, the workflow stops launching. */
export const pauseSignal = defineSignal<[string]>('pause');

/** Counts and state of a build, without touching the store. */
export const progressQuery = defineQuery<BuildProgress>('progress');
