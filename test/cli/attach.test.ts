import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { attach, OwnerGoneError } from '../../cli/attach.ts';
import { processStart, writeOwnerFile } from '../../cli/owner/owner-file.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** An owner of which this process is the body; it breaks the first connections off and answers the others. Gives its folder and the paths asked. */
async function brokenOwner(broken: number): Promise<{ readonly project: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (asked.length <= broken) request.socket.destroy();
    else response.end(JSON.stringify({ value: 'answered' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  closers.push(() => server.close());
  const project = folder();
  const { port } = server.address() as AddressInfo;
  const { pid } = process;
  writeOwnerFile(project, {
    pid,
    processStart: processStart(pid),
    startedAt: 0,
    command: 'test',
    port,
    token: 't',
    temporalPid: null,
    rehearsalPid: null,
  });
  return { project, asked };
}

describe('a connection to the owner that breaks off', () => {
  it.each(['build.state', 'query.status', 'ping'])('%s is asked once more while the owner lives', async (command) => {
    const { project, asked } = await brokenOwner(1);
    await expect(attach(project)?.call(command)).resolves.toBe('answered');
    expect(asked).toEqual([`/api/${command}`, `/api/${command}`]);
  });

  it('is told when it breaks a second time', async () => {
    const { project, asked } = await brokenOwner(2);
    await expect(attach(project)?.call('build.state')).rejects.toBeInstanceOf(OwnerGoneError);
    expect(asked).toHaveLength(2);
  });

  it.each(['build.start', 'build.cancel', 'stop', 'query.export'])('%s, an order, is never sent twice', async (command) => {
    const { project, asked } = await brokenOwner(1);
    await expect(attach(project)?.call(command)).rejects.toThrow(/which is alive, broke off. Type `memcalib status`/);
    expect(asked).toEqual([`/api/${command}`]);
  });
});
