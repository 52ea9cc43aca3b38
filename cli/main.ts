import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { CliError, EXIT } from './cli-error.ts';
import { COMMANDS } from './commands/catalog.ts';
import type { CommandSpec } from './commands/catalog.ts';
import { packageRoot } from './package-root.ts';

function version(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string }).version;
}

function register(program: Command, spec: CommandSpec, onExit: (code: number) => void): void {
  const command = program.command(spec.usage).description(spec.summary);
  for (const [flags, text] of spec.options) command.option(flags, text);
  if (spec.takesConfig)
    command
      .option('--config <file>', 'config file (default: memcalib.config.ts here)')
      .option('--trust', 'run a config that lies outside this folder');
  command.action(async (...args: unknown[]) => {
    const options = command.opts<Record<string, unknown>>();
    const positional = command.args;
    void args;
    onExit(await (await spec.load())({ options, positional }));
  });
}

/** Runs the command line and returns the exit code; nothing heavy is loaded before a command is chosen. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = new Command('memcalib');
  program
    .description('Builds, audits and trains on benchmarks of calibrated memory use.')
    .version(version())
    .exitOverride()
    .showSuggestionAfterError();
  program.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'memcalib: ')) });
  for (const spec of COMMANDS) register(program, spec, (code) => (exitCode = code));
  try {
    await program.parseAsync([...argv]);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (error instanceof CliError) {
      process.stderr.write(`memcalib: ${error.message}\n`);
      return error.exitCode;
    }
    const coded = error instanceof Error && 'code' in error && typeof error.code === 'string' && error.name !== 'Error';
    process.stderr.write(
      coded
        ? `memcalib: ${(error as Error).message}\n`
        : `memcalib: internal error: ${error instanceof Error ? (process.env['MEMCALIB_DEBUG'] === '1' ? String(error.stack) : error.message) : String(error)}. Type the command again with MEMCALIB_DEBUG=1 to see where.\n`,
    );
    return coded ? EXIT.environment : EXIT.internal;
  }
}
