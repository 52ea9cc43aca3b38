import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { customId, numberedLines, readLine, requestLine } from '../../../llm/batch/lines.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();
const KEY = 'ab'.repeat(32);

async function read(text: string | Buffer): Promise<readonly (readonly [number, string | null, boolean])[]> {
  const file = join(folder(), 'results.jsonl');
  writeFileSync(file, text);
  const lines: (readonly [number, string | null, boolean])[] = [];
  for await (const { number, text: line, ended } of numberedLines(file)) lines.push([number, line, ended]);
  return lines;
}

describe('a requests file', () => {
  it('holds one OpenAI batch request a line, under an id of at most 64 characters that differs by attempt', () => {
    const line = requestLine({ key: KEY, attempt: 12 }, '{"model":"m"}');
    expect(line.endsWith('}\n')).toBe(true);
    expect(JSON.parse(line)).toEqual({
      custom_id: customId({ key: KEY, attempt: 12 }),
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'm' },
    });
    expect(customId({ key: KEY, attempt: 99_999 }).length).toBeLessThanOrEqual(64);
    expect(customId({ key: KEY, attempt: 1 })).not.toBe(customId({ key: KEY, attempt: 2 }));
  });
});

describe('a results file', () => {
  it.each<[string, unknown, object]>([
    ['an answer', { custom_id: 'a', response: { status_code: 200, request_id: 'r', body: { x: 1 } } }, { kind: 'answer', id: 'a' }],
    ['an answer without a status', { custom_id: 'a', response: { body: { x: 1 } } }, { kind: 'answer', reply: { status: 200 } }],
    ['an error status', { custom_id: 'a', response: { status_code: 429, body: {} } }, { kind: 'answer', reply: { status: 429 } }],
    [
      'an expired request',
      { custom_id: 'a', error: { code: 'batch_expired', message: 'm' } },
      { kind: 'unanswered', code: 'batch_expired' },
    ],
    ['another error', { custom_id: 'a', response: null, error: { code: 'server_error' } }, { kind: 'answer', id: 'a' }],
    ['no id', { response: { status_code: 200, body: {} } }, { kind: 'broken', why: 'is no result line (field custom_id)' }],
    ['a list', [1], { kind: 'broken' }],
    ['neither response nor error', { custom_id: 'a' }, { kind: 'broken', why: 'has neither response nor error' }],
  ])('%s', (_, line, expected) => {
    expect(readLine(JSON.stringify(line))).toMatchObject(expected);
  });

  it('that is no JSON is broken', () => {
    expect(readLine('{"custom_id":')).toEqual({ kind: 'broken', why: 'is not JSON' });
  });

  it('keeps the numbers of its lines over blank ones, and tells a line that does not end', async () => {
    expect(await read('a\n\n  \r\nb\r\nc')).toEqual([
      [1, 'a', true],
      [4, 'b', true],
      [5, 'c', false],
    ]);
    expect(await read('')).toEqual([]);
  });

  it('does not take in a line of more than 16 MiB, and goes on behind it', async () => {
    const long = Buffer.alloc(17 * 1024 * 1024, 'x');
    expect(await read(Buffer.concat([long, Buffer.from('\nb\n')]))).toEqual([
      [1, null, true],
      [2, 'b', true],
    ]);
  });
});
