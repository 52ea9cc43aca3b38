const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'is not there. Correct the path, then type the command again.',
  EACCES: 'may not be used by this user. Change its permissions or name another, then type the command again.',
  EPERM: 'may not be used by this user. Change its permissions or name another, then type the command again.',
  EROFS: 'lies on a read-only disk. Name another folder, then type the command again.',
  EISDIR: 'is a folder where a file is needed. Correct the path, then type the command again.',
  ENOTDIR: 'lies under a file, not a folder. Correct the path, then type the command again.',
  ENOSPC: 'could not be written: the disk is full. Free some space (`df -h`), then type the command again; nothing is lost.',
  EDQUOT: 'could not be written: the disk quota is used up. Free some space, then type the command again; nothing is lost.',
  EFBIG: 'could not be written: it would be larger than the limit allows (`ulimit -f`). Raise it, then type the command again.',
  EADDRINUSE: 'is in use by another program. Name another with --port, or leave --port out.',
  EMFILE: 'could not be opened: too many files are open (`ulimit -n`). Raise the limit, then type the command again.',
};

/** Puts an error of the operating system into one sentence that names the file or port; null for any other error. */
export function systemSentence(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null;
  const { code, path, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  const sentence = SENTENCES[code ?? ''];
  if (sentence === undefined) return null;
  return `${path ?? (port === undefined ? 'A file' : `Port ${port}`)} ${sentence}`;
}
