import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isAlive } from '../process-alive.ts';
import { HubError } from './hub-error.ts';

async function take(path: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600);
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Runs work while no other process pulls the same source; what a killed pull left is taken over. */
export async function withPullLock<Value>(path: string, source: string, work: () => Promise<Value>): Promise<Value> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (!(await take(path))) {
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (Number.isInteger(holder) && holder > 0 && holder !== process.pid && isAlive(holder))
      throw new HubError('busy', `Source ${source} is being pulled by process ${holder}. Wait until it ends, then type the command again.`);
    await rm(path, { force: true });
    if (!(await take(path)))
      throw new HubError('busy', `Source ${source} is being pulled by another process. Wait until it ends, then type the command again.`);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}
