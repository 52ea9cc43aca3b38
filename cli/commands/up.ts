import { attach } from '../attach.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { runOwner } from '../owner/owner-process.ts';
import type { Invocation } from './catalog.ts';
import { configFlag, configOf, say } from './options.ts';

/** `memcalib up`: this process becomes the owner and stays until it is ended. */
export async function runUp(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const other = attach(loaded.projectFolder);
  if (other !== null) {
    throw new CliError(
      `This project already has an owner: pid ${other.owner.pid} (\`${other.owner.command}\`, since ${new Date(other.owner.startedAt).toISOString()}). Type \`memcalib status${configFlag(invocation)}\` to look at it.`,
      EXIT.environment,
    );
  }
  say(`Holding the project ${loaded.projectFolder}. Ctrl-C ends it; work that is under way goes on at the next start.`);
  await runOwner({ projectFolder: loaded.projectFolder, command: 'memcalib up', keep: true, env: process.env });
  return EXIT.ok;
}
