import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SourceReadError } from '../../../hub/read-error.ts';
import { EXIT } from '../../../cli/cli-error.ts';
import { startHttpApi } from '../../../cli/owner/http-api.ts';

const asked: string[] = [];
const faults: string[] = [];
let api: Awaited<ReturnType<typeof startHttpApi>>;

beforeAll(async () => {
  api = await startHttpApi({
    token: 'right',
    commands: {
      ping: () => Promise.resolve(asked.push('ping')),
      source: () =>
        Promise.reject(new SourceReadError('missing_file', 'rows.jsonl', 'Source a: nothing to read at rows.jsonl; correct `path`.')),
      fault: () => Promise.reject(Object.assign(new TypeError('x is no function'), { code: 'ERR_INVALID_ARG_TYPE' })),
    },
    onRequest: () => undefined,
    onFault: (name) => void faults.push(name),
  });
});
afterAll(() => api.close());

interface Answer {
  readonly status: number;
  readonly body: string;
}

function exchange(headers: Readonly<Record<string, string>>, path: string, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: api.port, path, method: 'POST', agent: false, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function post(headers: Readonly<Record<string, string>>, path: string, body: string): Promise<number> {
  return (await exchange(headers, path, body)).status;
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

it('an error with a sentence of its own is told as it stands, and anything else is a fault of ours that the log keeps', async () => {
  const ask = async (path: string): Promise<unknown> => {
    const { status, body } = await exchange({ authorization: 'Bearer right' }, path, '{}');
    return { status, ...(JSON.parse(body) as object) };
  };
  expect(await ask('/api/source')).toEqual({
    status: 422,
    error: 'Source a: nothing to read at rows.jsonl; correct `path`.',
    exitCode: EXIT.environment,
  });
  expect(faults).toEqual([]);
  expect(await ask('/api/fault')).toMatchObject({ status: 500, exitCode: EXIT.internal });
  expect(faults).toEqual(['fault']);
});
