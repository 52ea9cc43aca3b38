import { afterEach, describe, expect, it } from 'vitest';
import { GOOD, request, testClient, validate } from './bench.ts';
import { FakeClock } from './fake-clock.ts';
import { completion, scriptedServer } from './scripted-server.ts';
import type { ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  const open = server;
  server = undefined;
  await open?.close();
});

describe('limits as the server sees them', () => {
  it('two runs and three roles together stay under the configured concurrency, and none is starved', async () => {
    server = await scriptedServer(() => ({ ...completion(GOOD), afterMs: 8 }));
    const { client, ledger } = testClient(server, { limits: { concurrency: 5, startConcurrency: 5 } });
    const flood = Array.from({ length: 120 }, (_, index) =>
      request(`review ${index}`, { role: index % 2 === 0 ? 'reviewerA' : 'reviewerB', runId: 'run-1' }),
    );
    const few = Array.from({ length: 10 }, (_, index) => request(`build ${index}`, { role: 'builder', runId: 'run-2' }));
    await Promise.all([...flood, ...few].map((each) => client.call(each, validate)));
    expect(server.load.most).toBe(5);
    expect(server.requests).toHaveLength(130);
    const builders = server.requests
      .map(({ body }, index) => (JSON.stringify(body['messages']).includes('build') ? index : -1))
      .filter((index) => index >= 0);
    expect(Math.max(...builders)).toBeLessThan(60);
    expect(ledger.all().every((attempt) => attempt.class === 'ok')).toBe(true);
  });

  it('stops at the configured requests of a minute, and goes on in the next', async () => {
    server = await scriptedServer(() => completion(GOOD));
    const clock = new FakeClock();
    const began = clock.now();
    const { client } = testClient(server, { clock, limits: { concurrency: 8, requestsPerMinute: 10 } });
    const sentAt: number[] = [];
    server.script = () => {
      sentAt.push(clock.now());
      return completion(GOOD);
    };
    await clock.drive(Promise.all(Array.from({ length: 25 }, (_, index) => client.call(request(`row ${index}`), validate))));
    const minutes = [0, 1, 2].map(
      (minute) => sentAt.filter((at) => at >= began + minute * 60_250 && at < began + (minute + 1) * 60_250).length,
    );
    expect(minutes).toEqual([10, 10, 5]);
  });

  it('pauses until midnight UTC when the configured requests of a day are used up', async () => {
    server = await scriptedServer(() => completion(GOOD));
    const clock = new FakeClock();
    const { client, gate } = testClient(server, { clock, limits: { concurrency: 1, startConcurrency: 1, requestsPerDay: 3 } });
    for (let index = 0; index < 3; index++) await clock.drive(client.call(request(`row ${index}`), validate));
    expect(await client.call(request('row 3'), validate)).toEqual({ kind: 'paused', reason: 'quota', until: Date.UTC(2026, 0, 16) });
    expect(gate.closings).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
    await clock.advance(12 * 3_600_000);
    expect(await clock.drive(client.call(request('row 3'), validate))).toMatchObject({ kind: 'reply' });
  });
});
