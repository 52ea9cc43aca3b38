import { ApplicationFailure } from '@temporalio/common';

/** Anything of ours that failed: a code, and whether trying again can help. */
interface CodedError {
  readonly code: string;
  readonly message: string;
  readonly retryable?: boolean;
}

function isCoded(error: unknown): error is CodedError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** Codes of errors that no retry mends and that do not say so themselves (by `retryable: false`). */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'bad_url',
  'credentials_in_url',
  'plain_http',
  'quota_contradiction',
  'stratum_without_weight',
  'too_many_source_atoms',
  'unknown_provider',
  'workpiece_inconsistent',
]);

/** Final for the request that met it, but mended from outside without a new request: such an activity waits and tries again. */
const WAITS: ReadonlySet<string> = new Set(['disk_full']);

/** Whether an error says that the disk is full; then work pauses instead of failing. */
export function isDiskFull(error: unknown): boolean {
  return isCoded(error) && error.code === 'disk_full';
}

/**
 * The one place where errors become Temporal failures. Each family decides itself what is `retryable`; final ones end the activity at once
 * and keep their code as type. The cause stays in this process: a history carries our sentence, never the text of a row.
 */
export function toFailure(error: unknown): Error {
  if (!isCoded(error)) return error instanceof Error ? error : new Error(String(error));
  const nonRetryable = (error.retryable === false || FINAL_CODES.has(error.code)) && !WAITS.has(error.code);
  return ApplicationFailure.create({ message: error.message, type: error.code, nonRetryable });
}
