import { rename, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError, EXIT } from '../cli-error.ts';

/** Writes a page whole or not at all; a place that cannot be written is one sentence. */
export async function writePage(file: string, html: string): Promise<void> {
  const path = resolve(file);
  try {
    await writeFile(`${path}.part`, html, { mode: 0o600 });
    await rename(`${path}.part`, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new CliError(`The page ${path} could not be written (${code}). Name another file with --html.`, EXIT.environment, {
      cause: error,
    });
  }
}
