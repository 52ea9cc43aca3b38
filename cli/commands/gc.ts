import type { GarbageLine } from '../../store/upkeep.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { withStoreAlone } from '../exclusive.ts';
import { keptRuns } from '../kept-runs.ts';
import { keepFilesPrivate } from '../private-files.ts';
import { backupPath, backUp } from '../project-backup.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, sayJson, textOption } from './options.ts';
import { tell } from './told-commands.ts';
import { count, dollars, table } from './table.ts';

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function ageOf(invocation: Invocation): number {
  const text = textOption(invocation, 'olderThan') ?? '';
  const [, amount, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ''];
  if (amount === undefined || unitMs === undefined)
    throw new CliError(`Say how old is old, in hours, days or weeks: type for example \`memcalib gc --older-than 30d\`.`, EXIT.usage);
  return Number(amount) * unitMs;
}

/** What would go, as a person reads it. */
export function garbageText(lines: readonly GarbageLine[]): string {
  return table(
    ['what', 'rows', 'paid'],
    lines.map(({ what, rows, paid, microUsd, unknownCosts }) => [what, rows, paid && rows > 0 ? dollars(microUsd, unknownCosts) : '']),
  );
}

function needBackup(lines: readonly GarbageLine[], backup: string | undefined): void {
  const paid = lines.find((line) => line.paid && line.rows > 0);
  if (paid === undefined || backup !== undefined) return;
  throw new CliError(
    `${count(paid.rows, 'reply', 'replies')} that ${paid.rows === 1 ? 'was' : 'were'} paid for (${dollars(paid.microUsd, paid.unknownCosts)}) would be dropped, and that needs a backup: add --backup FILE.`,
    EXIT.usage,
  );
}

/** `memcalib gc --older-than AGE`: lists what no kept build needs; drops it only with --yes, paid replies only with a backup. */
export async function runGc(invocation: Invocation): Promise<number> {
  const youngerThanMs = Date.now() - ageOf(invocation);
  const backup = textOption(invocation, 'backup');
  const path = backup === undefined ? undefined : backupPath(backup);
  const loaded = await configOf(invocation);
  keepFilesPrivate();
  const dropped = isOn(invocation, 'yes');
  const lines = await withStoreAlone(loaded, 'gc', async (store) => {
    const kept = await keptRuns(store, youngerThanMs);
    const found = await store.upkeep.garbage(kept);
    if (!dropped || found.every(({ rows }) => rows === 0)) return found;
    needBackup(found, path);
    if (path !== undefined) await backUp(loaded, store, path);
    await store.putFact(`gc:${Date.now()}`, JSON.stringify({ youngerThanMs, lines: found, backup: path ?? null }));
    await store.upkeep.drop(kept);
    return found;
  });
  const any = lines.some(({ rows }) => rows > 0);
  if (isOn(invocation, 'json')) sayJson({ dropped: dropped && any, lines, backup: dropped && any ? (path ?? null) : null });
  else if (!any)
    tell(invocation, 'Nothing is old enough and needed by no kept build (the latest of each label, exported and unfinished ones).');
  else
    tell(
      invocation,
      `${garbageText(lines)}\n\n${dropped ? `Dropped${path === undefined ? '' : `; backed up before in ${path}`}. Type \`memcalib compact\` to shrink the file.` : 'Nothing was dropped: this is what would go. Add --yes to drop it (and --backup FILE when paid replies are among it).'}`,
    );
  return EXIT.ok;
}
