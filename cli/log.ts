import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Operational messages of an owner; never row text, never secrets. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
}

/** Appends one line per message to a file that only its user can read. */
export function fileLogger(file: string): Logger {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const write = (level: string, message: string): void =>
    appendFileSync(file, `${new Date().toISOString()} ${level} ${message}\n`, { mode: 0o600 });
  return { info: (message) => write('info', message), warn: (message) => write('warn', message) };
}
