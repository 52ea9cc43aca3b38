import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schemas/json.ts';
import { GOOD, request, testClient, validate } from './bench.ts';
import { FakeClock } from './fake-clock.ts';
import { completion } from './scripted-server.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A server that answers every request by writing bytes, whatever HTTP thinks of them. */
async function hostile(answer: (socket: Socket) => void): Promise<{ readonly baseUrl: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      if (chunk.toString('latin1').startsWith('POST')) answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const http = (body: string, { length = Buffer.byteLength(body), status = '200 OK', headers = '' } = {}): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${headers}content-length: ${length}\r\n\r\n${body}`;
const good = (over: JsonObject = {}): string => JSON.stringify(completion(GOOD, over).body);

/** What one call to such a server came to: its outcome, and the class and sentence of its last attempt. */
async function asked(answer: (socket: Socket) => void, timeoutMs = 5000) {
  const clock = new FakeClock();
  const made = testClient(await hostile(answer), { clock, timeoutMs });
  const outcome = await clock.drive(made.client.call(request('one'), validate));
  return { outcome, last: made.ledger.all().at(-1), gate: made.gate };
}

const send = (text: string) => (socket: Socket) => void socket.write(text);

describe('a server that answers, but not what was asked, ends in a named class and a sentence', () => {
  it.each<[string, (socket: Socket) => void, string, RegExp]>([
    [
      'a body shorter than its length',
      (socket) => void socket.end(http(good(), { length: 9000 })),
      'network',
      /in the middle of the body|early|ECONNRESET/,
    ],
    ['a body longer than its length', send(http(good(), { length: 20 })), 'network', /HPE_INVALID/],
    [
      'a length that is no number',
      send(http(good()).replace(/content-length: \d+/, 'content-length: many')),
      'network',
      /HPE_INVALID_CONTENT_LENGTH/,
    ],
    ['no HTTP at all', send('220 mail.example ESMTP\r\n\r\n'), 'network', /HPE_INVALID_CONSTANT/],
    [
      'headers without end',
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(20_000)}`),
      'network',
      /HPE_HEADER_OVERFLOW/,
    ],
    [
      'a change of protocol',
      send('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      'network',
      /the server changed the protocol|ECONNRESET/,
    ],
    ['no content', send('HTTP/1.1 204 No Content\r\n\r\n'), 'not_a_completion', /0 characters/],
    ['a status that does not exist', send(http('{}', { status: '799 Odd' })), 'not_a_completion', /HTTP 799/],
    ['an event stream', send(http('data: {"choices":[]}\n\ndata: [DONE]\n\n')), 'not_a_completion', /is not a chat completion|characters/],
    ['no choice', send(http('{"choices":[]}')), 'not_a_completion', /characters/],
    ['a choice that is a text', send(http('{"choices":["yes"]}')), 'not_a_completion', /characters/],
    ['tool calls in place of content', send(http(good({ message: { content: null, tool_calls: [{ id: 'x' }] } }))), 'empty', /\w/],
    ['an error of any shape in a 200', send(http('{"error":{"message":"boom","type":"server_error","code":500}}')), 'server_error', /boom/],
    [
      'brackets a hundred thousand deep',
      send(http(`{"choices":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)),
      'not_a_completion',
      /characters/,
    ],
  ])('%s', async (_, answer, ended, sentence) => {
    const { outcome, last } = await asked(answer);
    expect(outcome).toMatchObject({ kind: 'failed', class: ended });
    expect(last?.message ?? '').toMatch(sentence);
    expect(last?.message ?? '').toMatch(/^[A-Z].*[.)]$/s);
  });

  it.each<[string, string]>([
    ['brackets too deep to walk in the reply', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['a number no one can hold', '{"a":1e999}'],
    ['a key that would change every object', '{"__proto__":{"a":"x"}}'],
  ])('%s', async (_, content) => {
    const { outcome } = await asked(send(http(JSON.stringify(completion(content).body))));
    expect(outcome).toMatchObject({ kind: 'invalid', class: 'not_json' });
  });

  it('a hundred megabytes are cut off after sixteen', async () => {
    const piece = Buffer.alloc(1 << 20, 0x20);
    let sent = 0;
    const { outcome, last } = await asked((socket) => {
      sent = 0;
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n');
      const more = (): void => {
        while (sent < 100 && !socket.destroyed) {
          sent += 1;
          if (!socket.write(piece)) return void socket.once('drain', more);
        }
      };
      more();
    });
    expect(outcome).toMatchObject({ kind: 'failed', class: 'not_a_completion' });
    expect(last?.message).toMatch(/over 16777216 bytes/);
    expect(sent).toBeLessThan(60);
  });

  it('a stream that drips for ever ends at the time limit', async () => {
    const { outcome, last } = await asked((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const timer = setInterval(() => socket.write('1\r\n \r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    }, 60);
    expect(outcome).toMatchObject({ kind: 'failed', class: 'timeout' });
    expect(last?.message).toMatch(/\(0 s\)/);
  });

  it.each<[string, string, string]>([
    ['a redirect', http('', { status: '302 Found', headers: 'location: http://evil.example/v1\r\n' }), 'config_error'],
    ['a redirect to a metadata service', http('', { status: '307 T', headers: 'location: http://169.254.169.254/\r\n' }), 'config_error'],
  ])('%s is not followed and pauses', async (_, bytes, reason) => {
    const { outcome, gate } = await asked(send(bytes));
    expect(outcome).toMatchObject({ kind: 'paused', reason });
    expect(gate.closings[0]?.detail).toMatch(/redirects to (evil\.example|169\.254\.169\.254)/);
  });
});

describe('a wait no one can mean', () => {
  const year = 366 * 86_400_000;
  it.each<[string, string, string]>([
    ['a year', '429 Too Many', 'retry-after: 31536000\r\n'],
    ['four hundred nines', '429 Too Many', `retry-after: ${'9'.repeat(400)}\r\n`],
    ['a date in the year 9999', '429 Too Many', 'retry-after: Fri, 31 Dec 9999 23:59:59 GMT\r\n'],
    ['milliseconds without end', '503 Busy', `retry-after-ms: ${'9'.repeat(400)}\r\n`],
    ['a reset without end', '503 Busy', `x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: ${'9'.repeat(400)}\r\n`],
  ])('%s pauses until a date, at the most in a year', async (_, status, headers) => {
    const began = new FakeClock().now();
    const { outcome } = await asked(send(http('{"error":{"message":"later"}}', { status, headers })));
    expect(outcome).toMatchObject({ kind: 'paused', reason: 'quota' });
    const until = outcome.kind === 'paused' ? (outcome.until ?? 0) : 0;
    expect(until).toBeGreaterThan(began + 300 * 86_400_000);
    expect(until).toBeLessThanOrEqual(began + year + 600_000);
  });
});

describe('a good reply is kept whatever stands around it', () => {
  const counts = (usage: unknown): string => good({ usage: usage as JsonObject });
  it.each<[string, string, number | null]>([
    ['usage missing', counts(null), null],
    ['usage negative', counts({ prompt_tokens: -5, completion_tokens: -1 }), null],
    ['usage a text', counts('lots'), null],
    ['usage beyond all counting', counts({ prompt_tokens: 1e300, completion_tokens: 5 }), null],
    ['more cached than asked', counts({ prompt_tokens: 10, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } }), 25],
    ['cached a text', counts({ prompt_tokens: 10, completion_tokens: 10, prompt_tokens_details: 'none' }), 30],
    ['a model that is a number', good({ model: 7 }), 200],
    ['an id that lies', good({ id: 'chatcmpl-of-somebody-else' }), 200],
    ['a name of a megabyte', good({ model: 'm'.repeat(1 << 20), system_fingerprint: 'f'.repeat(1 << 20) }), 200],
  ])('%s', async (_, body, cost) => {
    const { outcome, last } = await asked(send(http(body)));
    expect(outcome).toMatchObject({ kind: 'reply', text: GOOD });
    expect(last?.costMicroUsd).toBe(cost);
    expect((last?.returnedModel ?? '').length).toBeLessThanOrEqual(200);
  });

  it('of several choices the first is taken, since one was asked for', async () => {
    const body = JSON.parse(good()) as { choices: { message: { content: string } }[] };
    const [one] = body.choices;
    const twice = { ...body, choices: [one, { ...one, message: { content: '{"a":"other"}' } }] };
    const { outcome } = await asked(send(http(JSON.stringify(twice))));
    expect(outcome).toMatchObject({ kind: 'reply', text: GOOD });
  });
});
