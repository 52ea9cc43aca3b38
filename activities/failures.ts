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

/** The one place where errors become Temporal failures: final ones are non-retryable and keep their code as type. */
export function toFailure(error: unknown): Error {
  if (!isCoded(error)) return error instanceof Error ? error : new Error(String(error));
  const nonRetryable = error.retryable === false || FINAL_CODES.has(error.code);
  return ApplicationFailure.create({
    message: error.message,
    type: error.code,
    nonRetryable,
    ...(error instanceof Error && { cause: error }),
  });
}
