import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Operational messages of an owner; never row text, never secrets. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
}

/**
 * Appends one line per message to a file that only its user can read. It never throws: a full disk or a folder that somebody
 * deleted costs the line, not the work that wanted to say something.
 */
export function fileLogger(file: string): Logger {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const write = (level: string, message: string): void => {
    try {
      appendFileSync(file, `${new Date().toISOString()} ${level} ${message}\n`, { mode: 0o600 });
    } catch {
      // Nowhere is left to say it.
    }
  };
  return { info: (message) => write('info', message), warn: (message) => write('warn', message) };
}
