import { join } from 'node:path';
import type { Logger } from '../log.ts';
import { packageRoot } from '../package-root.ts';
import { startHeldChild } from './child-process.ts';
import type { HeldChild } from './child-process.ts';
import { freePort } from './free-port.ts';

/** The rehearsal model as a child of the owner: started at first need, restarted on its port when it dies. */
export interface RehearsalChild {
  /** Base URL of the server; starts it when it does not run yet. */
  url(): Promise<string>;
  pid(): number | null;
  onChange(listener: () => void): void;
  stop(): Promise<void>;
}

async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    try {
      const response = await fetch(`${url}/models`);
      await response.arrayBuffer();
      if (response.ok) return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`the rehearsal model at ${url} did not answer within 15 s`, { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Keeps one rehearsal server per owner. */
export function createRehearsalChild(options: {
  readonly projectFolder: string;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
}): RehearsalChild {
  let child: HeldChild | null = null;
  let starting: Promise<string> | null = null;
  let stopping = false;
  const listeners: (() => void)[] = [];
  const launch = async (port: number): Promise<void> => {
    const args = [join(packageRoot(), 'bin', 'memcalib.js'), 'rehearse', '--port', String(port), '--quiet'];
    const held = await startHeldChild(process.execPath, args, join(options.projectFolder, 'logs', 'rehearsal.log'), options.env);
    child = held;
    void held.exited.then(async () => {
      child = null;
      if (stopping) return;
      options.log.warn('the rehearsal model ended; starting it again');
      await launch(port);
      for (const listener of listeners) listener();
    });
  };
  const start = async (): Promise<string> => {
    const port = await freePort();
    await launch(port);
    const url = `http://127.0.0.1:${port}/v1`;
    await untilReady(url);
    for (const listener of listeners) listener();
    return url;
  };
  return {
    url: () => (starting ??= start()),
    pid: () => child?.pid ?? null,
    onChange: (listener) => void listeners.push(listener),
    stop: async () => {
      stopping = true;
      await child?.stop();
    },
  };
}
