import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttpApi } from '../../../cli/owner/http-api.ts';

const asked: string[] = [];
let api: Awaited<ReturnType<typeof startHttpApi>>;

beforeAll(async () => {
  api = await startHttpApi({
    token: 'right',
    commands: { ping: () => Promise.resolve(asked.push('ping')) },
    onRequest: () => undefined,
  });
});
afterAll(() => api.close());

function post(headers: Readonly<Record<string, string>>, path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: api.port, path, method: 'POST', agent: false, headers }, (reply) => {
      reply.resume();
      reply.on('end', () => resolve(reply.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

it.each<[string, Record<string, string>, string, string, number]>([
  ['no token', {}, '/api/ping', '{}', 401],
  ['a wrong token', { authorization: 'Bearer wrong' }, '/api/ping', '{}', 401],
  ['the token without Bearer', { authorization: 'right' }, '/api/ping', '{}', 401],
  ['another host', { authorization: 'Bearer right', host: 'evil.example' }, '/api/ping', '{}', 403],
  ['another origin', { authorization: 'Bearer right', origin: 'https://evil.example' }, '/api/ping', '{}', 403],
  ['an inherited name', { authorization: 'Bearer right' }, '/api/constructor', '{}', 404],
  ['a body that is no JSON', { authorization: 'Bearer right' }, '/api/ping', '{', 400],
])('%s is refused, and nothing is done', async (_, headers, path, body, status) => {
  expect(await post(headers, path, body)).toBe(status);
  expect(asked).toEqual([]);
});

it('the token of the owner file, the right host and no foreign origin are let in', async () => {
  expect(await post({ authorization: 'Bearer right', origin: `http://127.0.0.1:${api.port}` }, '/api/ping', '{}')).toBe(200);
  expect(asked).toEqual(['ping']);
});
