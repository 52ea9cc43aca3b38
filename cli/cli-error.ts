/** Exit codes of every command (documented in docs/cli.md). */
export const EXIT = { ok: 0, internal: 1, usage: 2, quarantined: 3, environment: 4, paused: 5, dry: 6, invalid: 7, unfinished: 8 } as const;

/** A problem told to a person: one sentence with what, where and what to type next, and the exit code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code = 'cli_error';
  readonly exitCode: number;

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
