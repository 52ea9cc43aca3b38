import { parseArgs } from 'node:util';
import { CliError, EXIT } from './cli/cli-error.ts';
import { runOwner } from './cli/owner/owner-process.ts';

/** Entry of an owner process: `node dist/worker.js --project FOLDER --command TEXT [--keep]`. */
async function start(): Promise<void> {
  const { values } = parseArgs({
    options: { project: { type: 'string' }, command: { type: 'string' }, keep: { type: 'boolean', default: false } },
  });
  if (values.project === undefined)
    throw new CliError('worker.js needs --project FOLDER; it is started by `memcalib up` or `memcalib build`.', EXIT.usage);
  await runOwner({ projectFolder: values.project, command: values.command ?? 'worker', keep: values.keep, env: process.env });
}

start().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof CliError ? error.exitCode : EXIT.environment);
  },
);
