import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from '../../../cli/owner/free-port.ts';

it('gives ports that can be listened on, none of them one that a system hands out for outgoing connections', async () => {
  const ports = await Promise.all(Array.from({ length: 30 }, () => freePort()));
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(10_240);
    expect(port).toBeLessThan(32_768);
  }
  const server = createServer();
  const [first] = ports;
  await new Promise<void>((resolve) => server.listen(first, '127.0.0.1', () => resolve()));
  expect((server.address() as AddressInfo).port).toBe(first);
  await new Promise((resolve) => server.close(resolve));
});
