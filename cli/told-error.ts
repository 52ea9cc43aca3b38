import { CliError, EXIT } from './cli-error.ts';
import { systemSentence } from './system-error.ts';

/** Errors of the language itself; Node gives some of them a code too. */
const FAULTS: ReadonlySet<string> = new Set(['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'AssertionError']);

/** What a person reads of an error that has a sentence written for it, and the exit code; null for any other, which is a fault of ours. */
export function toldError(error: unknown): { readonly sentence: string; readonly exitCode: number } | null {
  if (error instanceof CliError) return { sentence: error.message, exitCode: error.exitCode };
  const system = systemSentence(error);
  if (system !== null) return { sentence: system, exitCode: EXIT.environment };
  const isOurs = error instanceof Error && 'code' in error && typeof error.code === 'string' && !FAULTS.has(error.name);
  return isOurs ? { sentence: error.message, exitCode: EXIT.environment } : null;
}
