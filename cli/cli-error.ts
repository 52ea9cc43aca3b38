/**
 * Exit codes of every command (documented in docs/cli.md): 0 done; 1 a fault of ours; 2 the command line, config or a file it names is wrong;
 * 3 an import set records aside; 4 the environment is (Temporal, endpoint, key, disk, store held); 5 the build is paused;
 * 6 the sources ran dry, what is there is valid; 7 a dataset breaks a rule; 8 the build is not finished;
 * 9 a plan has work to do; 10 that work is expected to cost more than a cap.
 */
export const EXIT = {
  ok: 0,
  internal: 1,
  usage: 2,
  quarantined: 3,
  environment: 4,
  paused: 5,
  dry: 6,
  invalid: 7,
  unfinished: 8,
  work: 9,
  capped: 10,
} as const;

/** How an owner process tells the command that started it that another process holds the store; no command ends with it. */
export const STORE_IS_HELD = 75;

/** A problem told to a person: one sentence with what, where and what to type next, and the exit code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code = 'cli_error';
  readonly retryable = false;
  readonly exitCode: number;

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
