import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports below those that systems hand out for outgoing connections (32,768 on Linux, 49,152 elsewhere): one of those may be taken by any
 * connection in the second before a child listens on it, or while the child is being started again on it.
 */
const LOWEST = 10_240;
const COUNT = 22_000;
const TRIES = 40;

/** Opens and closes a loopback port, 0 for any; gives its number, or null when it is taken. */
function tryPort(wanted: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : null;
      server.close(() => resolve(port));
    });
  });
}

/** A loopback port that is free at this moment and that no outgoing connection takes. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = await tryPort(LOWEST + randomInt(COUNT));
    if (port !== null) return port;
  }
  const any = await tryPort(0);
  if (any === null) throw new Error('no loopback port can be opened');
  return any;
}
