import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bindJudge } from '../../activities/prepare-steps.ts';
import type { Judge } from '../../activities/judge-response.ts';
import { systemClock } from '../../llm/clock.ts';
import { createModelClient } from '../../llm/ledger-client.ts';
import { createLimiter } from '../../llm/limiter.ts';
import { priceBook } from '../../llm/prices.ts';
import { responseFormatFor } from '../../llm/structured-output.ts';
import { renderInstructions } from '../../prompts/prompt.ts';
import type { ProviderConfig } from '../../schemas/config.ts';
import { JudgeReply } from '../../schemas/judging.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/port.ts';
import { attach } from '../attach.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { fileLogger } from '../log.ts';
import type { Logger } from '../log.ts';
import { capsOf, openProvider, REHEARSAL } from '../owner/models.ts';
import { ownGate, probeMode } from '../owner/probe-mode.ts';
import { createRehearsalChild } from '../owner/rehearsal-child.ts';
import { packageRoot } from '../package-root.ts';
import { closeToOthers, keepFilesPrivate } from '../private-files.ts';

/** A judge with its store open in this process; `stop` sends nothing more, `close` waits for what is on the wire. */
export interface JudgeDesk {
  readonly judge: Judge;
  readonly isRehearsal: boolean;
  stop(reason: string): void;
  /** Calls and their cost since the desk was opened, as the ledger has them. */
  spent(): Promise<{ readonly calls: number; readonly microUsd: number; readonly unknownCalls: number }>;
  close(): Promise<void>;
}

/** An owner without work ends by itself after 2.5 s: it is waited for so long. */
const PATIENCE_MS = 15_000;

async function openJudgeStore(loaded: LoadedConfig): Promise<Store> {
  const file = join(loaded.projectFolder, 'memcalib.duckdb');
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const owner = attach(loaded.projectFolder)?.owner;
    if (owner === undefined) {
      try {
        return await openStore(file);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'locked') || Date.now() > deadline) throw error;
      }
    } else if (Date.now() > deadline) {
      throw new CliError(
        `This project is held by pid ${owner.pid} (\`${owner.command}\`), and judging needs its ledger alone. Wait until that build ends (\`memcalib status\`), or give judging a project of its own: another config with its own projectDir, named with --config.`,
        EXIT.environment,
      );
    }
    await new Promise((done) => setTimeout(done, 200));
  }
}

function readInstructions(loaded: LoadedConfig): string {
  const own = loaded.config.promptsDir === undefined ? null : join(resolve(loaded.baseDir, loaded.config.promptsDir), 'judge', 'paper.md');
  const file = own !== null && existsSync(own) ? own : join(packageRoot(), 'prompts', 'judge', 'paper.md');
  const instructions = renderInstructions(readFileSync(file, 'utf8'));
  if (instructions === '') throw new CliError(`${file} holds no instructions. Mend the file, then type the command again.`, EXIT.usage);
  return instructions;
}

async function openJudge(
  loaded: LoadedConfig,
  runId: string,
  store: Store,
  log: Logger,
  closers: (() => Promise<unknown>)[],
): Promise<JudgeDesk> {
  const { config } = loaded;
  const env = process.env;
  const startedAt = Date.now();
  const binding = bindJudge(config);
  const isRehearsal = config.models === undefined;
  const rehearsal = createRehearsalChild({ projectFolder: loaded.projectFolder, log, env });
  closers.push(() => rehearsal.stop());
  const settings: ProviderConfig | undefined = isRehearsal
    ? { ...REHEARSAL, baseUrl: await rehearsal.url() }
    : config.providers?.[binding.provider];
  if (settings === undefined)
    throw new CliError(
      `models.judge names provider ${binding.provider}, which ${loaded.file} does not have. Add it, then type the command again.`,
      EXIT.usage,
    );
  const priceOf = priceBook(config.prices ?? {});
  const provider = openProvider(binding.provider, settings, env);
  const mode = await probeMode(store, { binding, config: settings, provider, priceOf, runId, notice: (sentence) => log.warn(sentence) });
  const gate = ownGate();
  const client = createModelClient({
    ledger: store.ledger,
    providers: new Map([[binding.provider, provider]]),
    limiter: createLimiter(),
    priceOf,
    caps: () => capsOf(loaded, undefined),
    gate,
    clock: systemClock,
  });
  closers.push(() => client.close());
  const format = responseFormatFor(mode, 'judge', JudgeReply, settings.schemaBounds);
  const before = await store.ledger.spent({ runId });
  return {
    judge: { client, ledger: store.ledger, runId, binding, instructions: readInstructions(loaded), format, startedAt },
    isRehearsal,
    stop: (reason) => void gate.close('person', reason, null, runId),
    spent: async () => {
      const now = await store.ledger.spent({ runId });
      return {
        calls: now.calls - before.calls,
        microUsd: now.microUsd - before.microUsd,
        unknownCalls: now.unknownCalls - before.unknownCalls,
      };
    },
    close: () => closeAll(closers),
  };
}

async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

/** Opens the project's ledger in this process and a judge upon it; a judge needs no Temporal. */
export async function openJudgeDesk(loaded: LoadedConfig, runId: string): Promise<JudgeDesk> {
  keepFilesPrivate();
  mkdirSync(join(loaded.projectFolder, 'logs'), { recursive: true, mode: 0o700 });
  const log = fileLogger(join(loaded.projectFolder, 'logs', 'judge.log'));
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const store = await openJudgeStore(loaded);
    closers.push(() => store.close());
    closeToOthers(loaded.projectFolder);
    return await openJudge(loaded, runId, store, log, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}
