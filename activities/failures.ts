import { ApplicationFailure, CancelledFailure, TemporalFailure } from '@temporalio/common';

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

/** So often an activity may meet an error without a code (a fault of ours, most likely) before it ends for good. */
export const MOST_UNKNOWN_ERRORS = 5;

/** Where an error without a code was thrown: its kind and the file of ours. Its message may quote a row, so it goes nowhere. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frame = /\(?([^\s()]+\.[cm]?[jt]s:\d+):\d+\)?$/m.exec(error.stack ?? '')?.[1] ?? '';
  const file = frame
    .replace(/^file:\/\//, '')
    .split('/')
    .slice(-2)
    .join('/');
  return file === '' ? error.name : `${error.name} in ${file}`;
}

/** An error nobody named: tried again while that can be bad luck, then final, with a sentence that says where it arose. */
function unknownFailure(error: unknown, times: number): ApplicationFailure {
  const isFinal = times >= MOST_UNKNOWN_ERRORS;
  const place = placeOf(error);
  const message = isFinal
    ? `An unexpected error (${place}) came back ${times} times; what is stored is kept. Type \`memcalib build\` to try once more, and report it with this line if it stays.`
    : `An unexpected error (${place}); trying again.`;
  return ApplicationFailure.create({ message, type: 'unexpected', nonRetryable: isFinal });
}

/**
 * The one place where errors become Temporal failures. Each family decides itself what is `retryable`; final ones end the activity at once
 * and keep their code as type. The cause stays in this process: a history carries our sentence, never the text of a row.
 * `times` counts the errors without a code this piece of work has met, this one included.
 */
export function toFailure(error: unknown, times = 1): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (!isCoded(error)) return unknownFailure(error, times);
  const nonRetryable = (error.retryable === false || FINAL_CODES.has(error.code)) && !WAITS.has(error.code);
  return ApplicationFailure.create({ message: error.message, type: error.code, nonRetryable });
}

/** Whether an error carries no code of ours or of the system. */
export function isUnknown(error: unknown): boolean {
  return !(error instanceof TemporalFailure) && !isCoded(error);
}
