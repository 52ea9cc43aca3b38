import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { attach, attachOrStart } from '../attach.ts';
import type { OwnerClient } from '../attach.ts';
import type { LoadedConfig } from '../config-file.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, labelOf, textOption } from './options.ts';
import { tell } from './told-commands.ts';
import { followBuild } from './follow-build.ts';
import { count } from './table.ts';

/** Attaches to the owner for a command about an existing build; a folder without any is told so, and no owner is started for it. */
async function ownerOf(loaded: LoadedConfig, invocation: Invocation, command: string): Promise<OwnerClient> {
  if (attach(loaded.projectFolder) === null && !existsSync(join(loaded.projectFolder, 'memcalib.duckdb')))
    throw new CliError(`There is no project at ${loaded.projectFolder} yet. Type \`memcalib build\` to start one.`, EXIT.usage);
  return attachOrStart(loaded, command);
}

/** `memcalib pause`: closes the gate; calls in flight land, nothing new is sent. */
export async function runPause(invocation: Invocation): Promise<number> {
  const label = labelOf(invocation);
  const owner = await ownerOf(await configOf(invocation), invocation, 'memcalib pause');
  await owner.call('build.pause', { label });
  tell(invocation, `Paused ${label}: calls in flight land and are kept. Type \`memcalib resume\` to go on.`);
  return EXIT.ok;
}

function capOf(invocation: Invocation): number | null {
  const text = textOption(invocation, 'cap');
  if (text === undefined) return null;
  const usd = Number(text.replace(/^\$/, ''));
  if (!Number.isFinite(usd) || usd <= 0)
    throw new CliError(`--cap ${text} is no amount in US dollars: type for example \`memcalib resume --cap 2\`.`, EXIT.usage);
  return usd;
}

/** `memcalib resume`: opens the gate, with --cap under a higher cap of the run, and follows the build. */
export async function runResume(invocation: Invocation): Promise<number> {
  const label = labelOf(invocation);
  const capUsd = capOf(invocation);
  const loaded = await configOf(invocation);
  const owner = await ownerOf(loaded, invocation, 'memcalib resume');
  await owner.call('build.resume', { label, capUsd });
  tell(invocation, capUsd === null ? `Resumed ${label}.` : `Resumed ${label}; its run may now spend $${capUsd} in all.`);
  return isOn(invocation, 'detach') ? EXIT.ok : followBuild(owner, loaded, invocation, label);
}

/** `memcalib cancel`: ends a build cleanly and asks providers to cancel its batches; everything paid for stays in the ledger. */
export async function runCancel(invocation: Invocation): Promise<number> {
  const label = labelOf(invocation);
  const owner = await ownerOf(await configOf(invocation), invocation, 'memcalib cancel');
  const batches = (await owner.call('build.cancel', { label })) as readonly string[];
  tell(invocation, `Cancelled ${label}. What it made stays: a later \`memcalib build\` repays nothing.`);
  for (const sentence of batches) tell(invocation, sentence);
  return EXIT.ok;
}

function needFailed(invocation: Invocation, command: string): void {
  if (invocation.options['failed'] === undefined)
    throw new CliError(`\`memcalib ${command}\` touches failed candidates only: type \`memcalib ${command} --failed\`.`, EXIT.usage);
}

/** `memcalib retry --failed [class]`: asks exactly the failed ones again. */
export async function runRetry(invocation: Invocation): Promise<number> {
  needFailed(invocation, 'retry');
  const label = labelOf(invocation);
  const owner = await ownerOf(await configOf(invocation), invocation, 'memcalib retry');
  const failureClass = invocation.options['failed'];
  const touched = (await owner.call('build.retry', { label, class: typeof failureClass === 'string' ? failureClass : null })) as {
    readonly candidates: number;
    readonly calls: number;
  };
  tell(
    invocation,
    `Reopened ${count(touched.candidates, 'candidate')} (${count(touched.calls, 'call')} will be made again). Type \`memcalib build\` to go on.`,
  );
  return EXIT.ok;
}

/** `memcalib waive --failed`: the build goes on without the failed ones; recorded. */
export async function runWaive(invocation: Invocation): Promise<number> {
  needFailed(invocation, 'waive');
  const label = labelOf(invocation);
  const owner = await ownerOf(await configOf(invocation), invocation, 'memcalib waive');
  const touched = (await owner.call('build.waive', { label })) as { readonly candidates: number };
  tell(invocation, `Waived ${count(touched.candidates, 'candidate')}. Type \`memcalib build\` to go on.`);
  return EXIT.ok;
}
