import { secretsOf } from '../../llm/secrets.ts';
import { CALL_CLASSES } from '../../schemas/ledger.ts';
import { STEPS } from '../../schemas/steps.ts';
import type { CallLine } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { query } from '../project.ts';
import type { CallReport } from '../queries/calls.ts';
import type { Invocation } from './catalog.ts';
import { configFlag, configOf, isOn, say, sayJson, textOption } from './options.ts';
import { dollars, table } from './table.ts';

const DEFAULT_LIMIT = 50;
const MOST = 10_000;

/** Removes every key the config's providers name from a text, whatever form it stands in. */
export function redactor(loaded: LoadedConfig, env: NodeJS.ProcessEnv): (text: string) => string {
  const keys = Object.values(loaded.config.providers ?? {}).flatMap(({ apiKeyEnv }) => {
    const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
    return key === undefined || key === '' ? [] : [key];
  });
  const secrets = secretsOf(keys);
  return (text) => secrets.redact(text);
}

function oneOf(invocation: Invocation, name: string, allowed: readonly string[]): string | undefined {
  const value = textOption(invocation, name);
  if (value !== undefined && !allowed.includes(value))
    throw new CliError(`--${name} ${value} is none of ${allowed.join(', ')}.`, EXIT.usage);
  return value;
}

function wholeNumber(invocation: Invocation, name: string): number | undefined {
  const text = textOption(invocation, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 2_147_483_647)
    throw new CliError(`--${name} ${text} is no whole number.`, EXIT.usage);
  return value;
}

function costText(line: CallLine): string {
  return line.costMicroUsd === null ? 'unknown' : dollars(line.costMicroUsd, 0);
}

function listText(lines: readonly CallLine[]): string {
  return table(
    ['number', 'id', 'attempt', 'step', 'part', 'example', 'class', 'cost', 'ms', 'why'],
    lines.map((line) => [
      line.callNo,
      line.key.slice(0, 16),
      line.attempt,
      `${line.step}${line.turn === 'repair' ? ' (repair)' : ''}`,
      line.partId,
      line.candidateId,
      line.class ?? 'open',
      costText(line),
      line.latencyMs ?? '',
      line.message ?? '',
    ]),
  );
}

function callText({ attempts, texts }: CallReport): string {
  const [first] = attempts;
  const sent = texts.request.messages.map(({ role, content }) => `--- ${role}\n${content}`);
  const got = attempts.flatMap((line) => {
    const reply = texts.replies.find(({ attempt }) => attempt === line.attempt);
    const when = new Date(line.intendedAt).toISOString();
    const head = `=== attempt ${line.attempt}, ${when}, ${line.class ?? 'open: no answer was kept'}, ${costText(line)}${line.message === null ? '' : `: ${line.message}`}`;
    return [head, reply?.replyText ?? reply?.rawBody ?? ''];
  });
  return [
    `call ${first?.key ?? ''}: ${first?.step ?? ''} ${first?.partId ?? ''} of example ${first?.candidateId ?? ''}, ${first?.role ?? ''}, ${first?.model ?? ''} at ${first?.provider ?? ''}, run ${first?.runId ?? ''}`,
    ...sent,
    ...got,
  ].join('\n');
}

/** `memcalib calls`: what was asked, how it ended and what it cost; `--show ID` prints one call whole, secrets removed. */
export async function runCalls(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const redact = redactor(loaded, process.env);
  const id = textOption(invocation, 'show');
  if (id !== undefined) {
    const report = await query(loaded, 'call', { id });
    say(redact(isOn(invocation, 'json') ? JSON.stringify(report, null, 2) : callText(report)));
    return EXIT.ok;
  }
  const limit = Math.min(MOST, wholeNumber(invocation, 'limit') ?? DEFAULT_LIMIT);
  const step = oneOf(invocation, 'step', [...STEPS, 'judge', 'canary', 'probe']);
  const callClass = oneOf(invocation, 'class', [...CALL_CLASSES, 'open']);
  const candidateId = textOption(invocation, 'example');
  const beforeCallNo = wholeNumber(invocation, 'before');
  const filter = {
    ...(step !== undefined && { step }),
    ...(callClass !== undefined && { class: callClass }),
    ...(candidateId !== undefined && { candidateId }),
    ...(beforeCallNo !== undefined && { beforeCallNo }),
  };
  const lines = await query(loaded, 'calls', { filter, limit });
  if (isOn(invocation, 'json')) sayJson(lines);
  else {
    say(redact(listText(lines)));
    const last = lines.at(-1);
    if (lines.length === limit && last !== undefined)
      say(
        `Older ones: \`memcalib calls --before ${last.callNo}${configFlag(invocation)}\` with the same filters. One of them whole: \`memcalib calls --show ID\`.`,
      );
  }
  return EXIT.ok;
}
