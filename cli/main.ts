import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { EXIT } from './cli-error.ts';
import { COMMANDS } from './commands/catalog.ts';
import type { CommandSpec, Invocation } from './commands/catalog.ts';
import { completeCommands, takenFlags } from './commands/told-commands.ts';
import { packageRoot } from './package-root.ts';
import { toldError } from './told-error.ts';

function version(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string }).version;
}

function register(program: Command, spec: CommandSpec, onStart: (invocation: Invocation) => void, onExit: (code: number) => void): void {
  const command = program.command(spec.usage).description(spec.summary);
  for (const [flags, text] of spec.options) command.option(flags, text);
  if (spec.takesConfig)
    command
      .option('--config <file>', 'config file (default: memcalib.config.ts here)')
      .option('--trust', 'run a config that lies outside this folder');
  command.action(async () => {
    const invocation = { options: command.opts<Record<string, unknown>>(), positional: command.args, takenFlags: takenFlags(COMMANDS) };
    onStart(invocation);
    onExit(await (await spec.load())(invocation));
  });
}

/** Runs the command line and returns the exit code; nothing heavy is loaded before a command is chosen. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  let invocation: Invocation = { options: {}, positional: [] };
  const complain = (sentence: string): void => void process.stderr.write(`memcalib: ${completeCommands(sentence, invocation)}\n`);
  const program = new Command('memcalib');
  program
    .description('Builds, audits and trains on benchmarks of calibrated memory use.')
    .version(version())
    .exitOverride()
    .showSuggestionAfterError();
  program.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'memcalib: ')) });
  for (const spec of COMMANDS)
    register(
      program,
      spec,
      (started) => (invocation = started),
      (code) => (exitCode = code),
    );
  try {
    await program.parseAsync([...argv]);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const told = toldError(error);
    const fault = (): string =>
      error instanceof Error ? (process.env['MEMCALIB_DEBUG'] === '1' ? String(error.stack) : error.message) : String(error);
    complain(told?.sentence ?? `internal error: ${fault()}. Type the command again with MEMCALIB_DEBUG=1 to see where.`);
    return told?.exitCode ?? EXIT.internal;
  }
}
