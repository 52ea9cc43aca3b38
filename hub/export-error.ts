export type ExportErrorCode = 'missing' | 'not_a_folder' | 'not_an_export' | 'read_only' | 'disk_full' | 'invalid' | 'io';

/** An export folder that could not be read or written; the message says where and what to type next. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
  readonly code: ExportErrorCode;

  constructor(code: ExportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const SYSTEM_CODES: Readonly<Record<string, ExportErrorCode>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'disk_full',
  EACCES: 'read_only',
  EPERM: 'read_only',
  EROFS: 'read_only',
  ENOTDIR: 'not_a_folder',
  EEXIST: 'not_a_folder',
  ENOENT: 'missing',
};

const SENTENCES: Readonly<Record<ExportErrorCode, (folder: string) => string>> = {
  missing: (folder) => `There is no folder to hold ${folder}; make it, or name another with --out.`,
  not_a_folder: (folder) => `${folder} or a folder above it is a file; name another folder with --out.`,
  not_an_export: (folder) =>
    `${folder} holds files that are no export of MemCalib, so nothing was written there; name another folder with --out.`,
  read_only: (folder) => `${folder} cannot be written (read-only or not yours); name another folder with --out.`,
  disk_full: (folder) =>
    `The disk is full: ${folder} was not written and an earlier export there is untouched; free some space and type the same command again.`,
  invalid: (folder) => `${folder} breaks the rules of a dataset.`,
  io: (folder) => `${folder} could not be written; nothing half-written is left; type the same command again.`,
};

/** Puts a file system error into a sentence about the folder; errors that are ours or come from elsewhere pass unchanged. */
export function exportErrorOf(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || error instanceof ExportError || !('code' in error) || !('syscall' in error)) return error;
  const code = SYSTEM_CODES[String(error.code)] ?? 'io';
  return new ExportError(code, SENTENCES[code](folder), { cause: error });
}

/** The refusal to write over something that is no export. */
export function notAnExport(folder: string): ExportError {
  return new ExportError('not_an_export', SENTENCES.not_an_export(folder));
}
