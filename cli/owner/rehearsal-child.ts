import { join } from 'node:path';
import type { Logger } from '../log.ts';
import { packageRoot } from '../package-root.ts';
import { startHeldChild } from './child-process.ts';
import { freePort } from './free-port.ts';
import { keepAlive } from './keep-alive.ts';
import type { KeptChild } from './keep-alive.ts';

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
  let child: KeptChild | null = null;
  let starting: Promise<string> | null = null;
  const listeners: (() => void)[] = [];
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const start = async (): Promise<string> => {
    const port = await freePort();
    const args = [join(packageRoot(), 'bin', 'memcalib.js'), 'rehearse', '--port', String(port), '--quiet'];
    child = await keepAlive('the rehearsal model', options.log, () =>
      startHeldChild(process.execPath, args, join(options.projectFolder, 'logs', 'rehearsal.log'), options.env),
    );
    child.onRestart(changed);
    const url = `http://127.0.0.1:${port}/v1`;
    await untilReady(url);
    changed();
    return url;
  };
  return {
    url: () => (starting ??= start()),
    pid: () => child?.pid() ?? null,
    onChange: (listener) => void listeners.push(listener),
    stop: async () => {
      await child?.stop();
    },
  };
}
