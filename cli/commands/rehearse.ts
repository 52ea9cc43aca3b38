import { z } from 'zod';
import { FAULTS } from '../../llm/rehearsal/faults.ts';
import type { FaultPlan } from '../../llm/rehearsal/faults.ts';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Invocation } from './catalog.ts';
import { parseJsonFile } from '../json-file.ts';
import { isOn, say, textOption } from './options.ts';

const FaultPlanFile = z.strictObject({
  seed: z.string().optional(),
  rules: z.array(
    z.strictObject({
      fault: z.enum(FAULTS),
      rate: z.number().min(0).max(1).optional(),
      calls: z.array(z.int().positive()).optional(),
      tasks: z.array(z.string()).optional(),
      models: z.array(z.string()).optional(),
      times: z.int().positive().optional(),
      sticky: z.boolean().optional(),
      retryAfterSeconds: z.number().nonnegative().optional(),
      durationMs: z.number().nonnegative().optional(),
    }),
  ),
});

function readFaultPlan(file: string): FaultPlan {
  const parsed = FaultPlanFile.safeParse(parseJsonFile(file));
  if (parsed.success) return parsed.data as FaultPlan;
  const issue = parsed.error.issues[0];
  throw new CliError(
    `${file} is no fault plan: ${issue?.path.map(String).join('.') ?? ''} ${issue?.message ?? ''}. Known faults: ${FAULTS.join(', ')}.`,
    EXIT.usage,
  );
}

function numberOption(invocation: Invocation, name: string, most: number): number | undefined {
  const text = textOption(invocation, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > most)
    throw new CliError(
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${text} is no whole number from 0 to ${most}.`,
      EXIT.usage,
    );
  return value;
}

/** `memcalib rehearse`: the rehearsal model on loopback until it is ended. */
export async function runRehearse(invocation: Invocation): Promise<number> {
  const port = numberOption(invocation, 'port', 65_535);
  const latencyMs = numberOption(invocation, 'latency', 600_000);
  const jitterMs = numberOption(invocation, 'jitter', 600_000);
  const batchDelayMs = numberOption(invocation, 'batchDelay', 86_400_000);
  const batchPercent = numberOption(invocation, 'batchAnswered', 100);
  const faultFile = textOption(invocation, 'faults');
  const seed = textOption(invocation, 'seed');
  const server = await startRehearsalServer({
    ...(port !== undefined && { port }),
    ...(latencyMs !== undefined && { latencyMs }),
    ...(jitterMs !== undefined && { jitterMs }),
    ...(batchDelayMs !== undefined && { batchDelayMs }),
    ...(batchPercent !== undefined && { batchAnsweredShare: batchPercent / 100 }),
    ...(seed !== undefined && { seed }),
    ...(faultFile !== undefined && { faults: readFaultPlan(faultFile) }),
  });
  say(
    isOn(invocation, 'quiet')
      ? server.url
      : `The rehearsal model answers at ${server.url} (no key needed). It is no model: what it makes is a rehearsal, not data. Ctrl-C ends it.`,
  );
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  await server.close();
  return EXIT.ok;
}
