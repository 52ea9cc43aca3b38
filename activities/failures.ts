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

/** Codes of failures that no retry mends: the workflow is told at once. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'source_missing',
  'source_columns',
  'source_empty',
  'config_error',
  'prompt_error',
  'licence_missing',
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
