import { readFileSync } from 'node:fs';
import { CliError, EXIT } from './cli-error.ts';

/** Reads a JSON file that a person wrote; a slip in it is named with file and place. */
export function parseJsonFile(file: string): unknown {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(
      `${file} is no JSON (${error instanceof Error ? error.message : String(error)}). Mend it, then type the command again.`,
      EXIT.usage,
      { cause: error },
    );
  }
}
