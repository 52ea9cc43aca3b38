import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { JudgmentEntry } from '../../schemas/judging.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { openJudgeDesk } from '../judge/judge-desk.ts';
import type { JudgeDesk } from '../judge/judge-desk.ts';
import { judgeLines } from '../judge/judge-lines.ts';
import type { Stopped, Verdicts } from '../judge/judge-lines.ts';
import { readRollout } from '../judge/rollout-file.ts';
import type { RolloutFile } from '../judge/rollout-file.ts';
import type { Invocation } from './catalog.ts';
import { configFlag, configOf, isOn, say, sayJson, textOption } from './options.ts';
import { count, dollars } from './table.ts';

/** A line of progress on stderr no oftener than this. */
const PROGRESS_EVERY_MS = 10_000;

/** Whole or not at all: a kill in mid-write leaves what was there. */
function writeEntries(file: string, entries: readonly JudgmentEntry[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  const handle = openSync(beside, 'r');
  fsyncSync(handle);
  closeSync(handle);
  renameSync(beside, file);
}

function progress(of: number): (done: number) => void {
  let last = Date.now();
  return (done) => {
    if (Date.now() - last < PROGRESS_EVERY_MS) return;
    last = Date.now();
    process.stderr.write(`judged ${done} of ${of}\n`);
  };
}

function stoppedError(stopped: Stopped, again: string, isRehearsal: boolean): CliError {
  const { open, reason } = stopped;
  const kept = `what was answered is kept, no file was written: type \`${again}\` again`;
  if (stopped.kind === 'paused')
    return new CliError(`Judging stopped with ${count(open, 'response')} open (${reason}); ${kept}.`, EXIT.paused);
  const check = isRehearsal ? '' : ' Check the endpoint with `memcalib doctor --endpoints`.';
  return new CliError(`The judge did not answer for ${count(open, 'response')} (${reason}); ${kept}.${check}`, EXIT.environment);
}

async function judgeAt(desk: JudgeDesk, rollout: RolloutFile, again: string): Promise<Verdicts> {
  const stop = (): void => desk.stop('ended by a person');
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    const end = await judgeLines(desk.judge, rollout.lines, progress(rollout.lines.length));
    if ('kind' in end) throw stoppedError(end, again, desk.isRehearsal);
    return end;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

/** What the file that was read would make a judge do badly; said on stderr, since the judgments are written all the same. */
function warnings(rollout: RolloutFile, desk: JudgeDesk, verdicts: Verdicts): readonly string[] {
  const bare = rollout.lines.flatMap((line) => line.atomic_rubrics).filter((atom) => Object.keys(atom.usage_rubric).length === 0).length;
  const invalid = verdicts.entries.filter((entry) => 'invalid' in entry).length;
  return [
    ...(desk.isRehearsal
      ? ['No models are configured: the rehearsal model judged, by word overlap. That is a rehearsal, no judgment.']
      : []),
    ...(bare > 0 ? [`${count(bare, 'atom')} came without a rubric and were judged by their text alone.`] : []),
    ...(invalid > 0.05 * rollout.lines.length
      ? [`${invalid} of ${count(rollout.lines.length, 'response')} have no verdict: the trainer pauses above 5 %.`]
      : []),
  ];
}

/** `memcalib judge ROLLOUT.jsonl`: one judgment per response for `memcalib-train update`; typed again it asks nothing twice. */
export async function runJudge(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const file = resolve(invocation.positional[0] ?? '');
  const out = resolve(textOption(invocation, 'out') ?? `${file.replace(/\.jsonl$/, '')}.judgments.jsonl`);
  if (out === file) throw new CliError(`--out names the rollout itself. Name another file, then type the command again.`, EXIT.usage);
  const rollout = readRollout(file);
  const desk = await openJudgeDesk(loaded, `judge-${rollout.digest.slice('sha256:'.length, 'sha256:'.length + 16)}`);
  const again = `memcalib judge ${invocation.positional[0] ?? ''}${configFlag(invocation)}${textOption(invocation, 'out') === undefined ? '' : ` --out ${textOption(invocation, 'out') ?? ''}`}`;
  try {
    const verdicts = await judgeAt(desk, rollout, again);
    writeEntries(out, verdicts.entries);
    const { calls, microUsd, unknownCalls } = await desk.spent();
    for (const sentence of warnings(rollout, desk, verdicts)) process.stderr.write(`memcalib: ${sentence}\n`);
    const { statuses, flags } = verdicts;
    if (isOn(invocation, 'json'))
      sayJson({
        out,
        rollout: rollout.digest,
        responses: rollout.lines.length,
        statuses,
        flags,
        calls,
        costMicroUsd: microUsd,
        unknownCalls,
      });
    else {
      const ends = Object.entries(statuses).filter(([, number]) => number > 0);
      say(
        `${count(rollout.lines.length, 'response')} judged: ${ends.map(([status, number]) => `${number} ${status}`).join(', ')}; ${count(calls, 'call')}, ${dollars(microUsd, unknownCalls)}.`,
      );
      say(out);
    }
    return EXIT.ok;
  } finally {
    await desk.close();
  }
}
