import { EXIT } from '../cli-error.ts';
import { query } from '../project.ts';
import type { DroppedLine, HistoryLine } from '../queries/history.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, sayJson, textOption } from './options.ts';
import { tell } from './told-commands.ts';
import { count, dollars } from './table.ts';

const CHANGES_SHOWN = 8;

function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

function changes({ changed }: HistoryLine): readonly string[] {
  if (changed === null) return ['  first of its label'];
  if (changed.length === 0) return ['  nothing changed'];
  const rest = changed.length > CHANGES_SHOWN ? [`  ... ${changed.length - CHANGES_SHOWN} more (--json lists all)`] : [];
  return [...changed.slice(0, CHANGES_SHOWN).map((line) => `  ${line}`), ...rest];
}

/** One build of the history, as a person reads it. */
export function historyText(line: HistoryLine): string {
  const decided = line.accepted + line.rejected;
  const yielded =
    decided === 0 ? 'nothing decided' : `${line.accepted} of ${decided} accepted (${Math.round((100 * line.accepted) / decided)}%)`;
  const until = line.endedAt === null ? '' : ` to ${minute(line.endedAt)}`;
  return [
    `${line.runId}  ${line.label}  ${line.state}${line.reason === '' ? '' : `: ${line.reason}`}`,
    `  ${minute(line.startedAt)}${until}, ${line.startedBy ?? 'nobody noted who'}, pipeline ${line.pipelineHash.slice(0, 12)}${line.rehearsal ? ', rehearsal' : ''}`,
    `  ${count(line.calls, 'call')}, ${dollars(line.microUsd, line.unknownCalls)}; ${yielded}`,
    ...changes(line),
    ...line.exports.map(({ folder, at, examples }) => `  export ${folder}: ${count(examples, 'example')}, ${minute(at)}`),
  ].join('\n');
}

/** One `gc` of the history. */
function droppedText({ at, lines, backup }: DroppedLine): string {
  const what = lines
    .filter(({ rows }) => rows > 0)
    .map(({ rows, what: name, microUsd, unknownCosts }) => {
      const worth = name === 'replies of models' ? ` (${dollars(microUsd, unknownCosts)})` : '';
      return `${rows} ${name}${worth}`;
    });
  return `gc ${minute(at)}: dropped ${what.join(', ')}; ${backup === null ? 'no backup' : `backup ${backup}`}`;
}

/** `memcalib history`: every build, oldest first, and what changed between them. */
export async function runHistory(invocation: Invocation): Promise<number> {
  const report = await query(await configOf(invocation), 'history', { label: textOption(invocation, 'label') ?? null });
  if (isOn(invocation, 'json')) sayJson(report);
  else
    tell(
      invocation,
      report.builds.length === 0
        ? `No build has begun yet. Type \`memcalib build\` to start one.`
        : [...report.builds.map((line) => historyText(line)), ...report.dropped.map((line) => droppedText(line))].join('\n\n'),
    );
  return EXIT.ok;
}
