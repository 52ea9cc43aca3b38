import type { Logger } from '../log.ts';
import type { HeldChild } from './child-process.ts';

/** A held child that is started again whenever it dies. */
export interface KeptChild {
  /** Null while it is being started again. */
  pid(): number | null;
  onRestart(listener: () => void): void;
  stop(): Promise<void>;
}

const LEAST_LIFE_MS = 1000;
const LONGEST_WAIT_MS = 10_000;

/** Starts a child and keeps it alive: at once after a long life, with growing waits when it dies young or cannot be started. */
export async function keepAlive(name: string, log: Logger, start: () => Promise<HeldChild>): Promise<KeptChild> {
  const listeners: (() => void)[] = [];
  const life = { stopping: false };
  let waitMs = 0;
  let child: HeldChild | null = await start();
  const watch = async (): Promise<void> => {
    while (child !== null) {
      const since = Date.now();
      const code = await child.exited;
      child = null;
      waitMs = Date.now() - since > LEAST_LIFE_MS ? 0 : Math.min(LONGEST_WAIT_MS, waitMs * 2 + 200);
      while (child === null && !life.stopping) {
        log.warn(`${name} ended (code ${String(code)}); starting it again${waitMs > 0 ? ` in ${waitMs} ms` : ''}`);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        try {
          if (!life.stopping) child = await start();
        } catch (error) {
          log.warn(`${name} could not be started: ${String(error)}`);
          waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2 + 200);
        }
      }
      if (life.stopping) await child?.stop();
      else for (const listener of listeners) listener();
    }
  };
  const watching = watch();
  return {
    pid: () => child?.pid ?? null,
    onRestart: (listener) => void listeners.push(listener),
    stop: async () => {
      life.stopping = true;
      await child?.stop();
      await watching;
    },
  };
}
