/** What can go wrong with a store, as codes that callers branch on. */
export type StoreErrorCode =
  | 'network_file_system'
  | 'read_only_folder'
  | 'missing_file'
  | 'locked'
  | 'already_open'
  | 'disk_full'
  | 'corrupt_file'
  | 'corrupt_body'
  | 'schema_newer'
  | 'schema_older'
  | 'read_only'
  | 'unknown_attempt'
  | 'attempt_taken'
  | 'bad_value'
  | 'invalidated'
  | 'closed'
  | 'failed';

/** Codes after which the same request may succeed later without a person changing anything. */
const RETRYABLE: ReadonlySet<StoreErrorCode> = new Set(['locked']);

/** The one error family of the store: `code` for programs, `message` (what, where, next command) for people. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  readonly retryable: boolean;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreError';
    this.code = code;
    this.retryable = RETRYABLE.has(code);
  }
}

const DISK_FULL = /no space left|file too large|disk quota|ENOSPC|EFBIG|EDQUOT|max_temp_directory_size/i;
const LOCKED = /could not set lock|conflicting lock|being used by another process/i;
const CORRUPT =
  /not a valid duckdb database file|corrupt|checksum|failure while replaying wal|serialization error|could not read enough bytes/i;
const REFUSED = /permission denied|read-only file system|operation not permitted|EACCES|EROFS|EPERM/i;

/** Turns what DuckDB or the file system threw into a StoreError about `file`; a StoreError passes unchanged. */
export function storeErrorFrom(cause: unknown, file: string): StoreError {
  if (cause instanceof StoreError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (DISK_FULL.test(text)) {
    return new StoreError(
      'disk_full',
      `The disk that holds ${file} is full; free some space there (\`df -h\`), then repeat the command.`,
      cause,
    );
  }
  if (LOCKED.test(text)) return lockedError(text, file, cause);
  if (/different configuration/i.test(text)) return alreadyOpenError(file, cause);
  if (/database has been invalidated/i.test(text)) {
    return new StoreError(
      'invalidated',
      `${file} was closed by an earlier fatal error; end the owner (its pid stands in owner.json beside it), then type \`memcalib build\` again; what was committed is there.`,
      cause,
    );
  }
  if (CORRUPT.test(text)) {
    return new StoreError(
      'corrupt_file',
      `${file} is damaged or no MemCalib store (${firstLine(text)}); put back a copy of the project folder, then type \`memcalib status\`.`,
      cause,
    );
  }
  if (REFUSED.test(text)) return readOnlyFolderError(file, cause);
  return new StoreError(
    'failed',
    `The store ${file} refused an operation (${firstLine(text)}); type \`memcalib status\` to see where the run stands.`,
    cause,
  );
}

/** The folder of the store cannot be written by this user. */
export function readOnlyFolderError(file: string, cause?: unknown): StoreError {
  return new StoreError(
    'read_only_folder',
    `${file} cannot be written by this user; make its folder writable (\`chmod u+w\`) or set projectDir in memcalib.config.ts to another folder.`,
    cause,
  );
}

/** A second store on one file in one process would not see what the first one knows. */
export function alreadyOpenError(file: string, cause?: unknown): StoreError {
  return new StoreError(
    'already_open',
    `${file} is open in this process already; pass the open store on instead of opening it again (\`memcalib status\`).`,
    cause,
  );
}

function lockedError(text: string, file: string, cause: unknown): StoreError {
  const pid = /PID (\d+)/i.exec(text)?.[1];
  const holder = pid === undefined ? 'another process' : `process ${pid}`;
  const next = pid === undefined ? '`memcalib status`' : `\`memcalib status\`, or \`ps -p ${pid}\` to see what it is`;
  return new StoreError('locked', `${file} is held by ${holder}; wait until it ends, or type ${next}.`, cause);
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? text).slice(0, 300);
}
