import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the server saw it: when it came and went (milliseconds), who asked, and the tokens the reply billed. */
export interface SeenCall {
  readonly arrivedAt: number;
  readonly leftAt: number;
  readonly model: string;
  readonly temperature: number;
  readonly tokens: number;
}

export interface CountingProxy {
  readonly url: string;
  readonly calls: readonly SeenCall[];
  /** Most calls that were inside at one moment. */
  peak(): number;
  close(): Promise<void>;
}

/** Stands before a server, passes everything on after a delay, and counts as a provider would. */
export async function countingProxy(target: string, delayMs: number): Promise<CountingProxy> {
  const calls: SeenCall[] = [];
  const { port, hostname } = new URL(target);
  let inside = 0;
  let peak = 0;
  const server = createServer((incoming, response) => {
    const arrivedAt = performance.now();
    const chunks: Buffer[] = [];
    const isCall = incoming.method === 'POST';
    if (isCall) peak = Math.max(peak, (inside += 1));
    response.once('close', () => {
      if (isCall) inside -= 1;
    });
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method, url, headers } = incoming;
      const onward = send({ port, hostname, method, path: url, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const reply = Buffer.concat(parts);
          setTimeout(() => {
            if (isCall) calls.push(seen(arrivedAt, body, reply));
            response.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' }).end(reply);
          }, delayMs);
        });
      });
      onward.on('error', () => response.destroy());
      onward.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    peak: () => peak,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function seen(arrivedAt: number, body: Buffer, reply: Buffer): SeenCall {
  const { model, temperature } = JSON.parse(body.toString('utf8')) as { readonly model: string; readonly temperature: number };
  const { usage } = JSON.parse(reply.toString('utf8')) as { readonly usage?: { readonly total_tokens: number } };
  return { arrivedAt, leftAt: performance.now(), model, temperature, tokens: usage?.total_tokens ?? 0 };
}

/** The most of something within any minute. */
export function peakOfMinute(calls: readonly SeenCall[], weigh: (call: SeenCall) => number): number {
  const sorted = [...calls].sort((a, b) => a.arrivedAt - b.arrivedAt);
  let from = 0;
  let sum = 0;
  let peak = 0;
  for (const call of sorted) {
    sum += weigh(call);
    for (let first = sorted[from]; first !== undefined && first.arrivedAt <= call.arrivedAt - 60_000; first = sorted[from]) {
      sum -= weigh(first);
      from += 1;
    }
    peak = Math.max(peak, sum);
  }
  return peak;
}
