/** Why a source cannot be read at all; single bad rows are no error but rejections. */
export const READ_ERROR_CODES = [
  'missing_file',
  'unreadable_file',
  'unsupported_format',
  'empty_source',
  'no_location',
  'not_pulled',
  'changed_file',
] as const;
export type ReadErrorCode = (typeof READ_ERROR_CODES)[number];

/** A source that cannot be read; the message names the source or file and what to do. */
export class SourceReadError extends Error {
  override readonly name = 'SourceReadError';
  readonly code: ReadErrorCode;
  readonly file: string;
  readonly retryable = false;

  constructor(code: ReadErrorCode, file: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.file = file;
  }
}
