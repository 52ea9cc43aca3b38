import { mkdtemp, rm, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SourceReadError } from '../../hub/read-error.ts';
import { filesOfSource, readRows } from '../../hub/read-files.ts';
import { jsonFault, type ReadRow } from '../../hub/parse-json-row.ts';
import { SourceConfig } from '../../schemas/config.ts';

const ZST_ONE = '28b52ffd00584100007b2261223a317d0a';
const ZST_TWO = '28b52ffd00584100007b2261223a327d0a';
const ZST_CSV = '28b52ffd0058410000612c620a312c320a';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memcalib-read-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function read(name: string, content: string | Uint8Array): Promise<readonly ReadRow[]> {
  const path = join(folder, name);
  await writeFile(path, content);
  const rows: ReadRow[] = [];
  for await (const row of readRows({ path, name })) rows.push(row);
  return rows;
}

const short = (rows: readonly ReadRow[]): readonly string[] =>
  rows.map((row) => `${row.number}:${row.kind === 'row' ? JSON.stringify(row.row) : row.reason}`);

describe('JSONL', () => {
  it.each<[string, string | Uint8Array, readonly string[]]>([
    ['plain lines, the last without an end', '{"a":1}\n{"a":2}', ['1:{"a":1}', '2:{"a":2}']],
    ['BOM and CRLF', '\uFEFF{"a":1}\r\n{"a":2}\r\n', ['1:{"a":1}', '2:{"a":2}']],
    ['blank lines keep the numbers of the others', '\n{"a":1}\n\n \n{"a":2}\n', ['2:{"a":1}', '5:{"a":2}']],
    ['a malformed line', '{"a":1}\n{"a":\n{"a":3}\n', ['1:{"a":1}', '2:malformed_json', '3:{"a":3}']],
    ['a line that is no object', '[1]\n"x"\nnull\n', ['1:not_an_object', '2:not_an_object', '3:not_an_object']],
    ['a repeated key', '{"a":1,"a":2}\n', ['1:duplicate_key']],
    ['a repeated key inside', '{"b":[{"x":{"a":1,"a":2}}]}\n', ['1:duplicate_key']],
    ['NUL bytes', Buffer.from('{"a":"x\u0000y"}\n{"a":2}\n'), ['1:malformed_json', '2:{"a":2}']],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n{"a":2}')]),
      ['1:invalid_utf8', '2:{"a":2}'],
    ],
    ['an escaped lone surrogate is read (and mended by normalisation)', '{"a":"\\ud800"}\n', ['1:{"a":"\\ud800"}']],
    ['nothing', '', []],
  ])('%s', async (_name, content, expected) => {
    expect(short(await read('rows.jsonl', content))).toEqual(expected);
  });

  it('reads a line of 5 MB between others', async () => {
    const long = JSON.stringify({ a: 'x'.repeat(5_000_000) });
    const rows = await read('long.jsonl', `{"a":1}\n${long}\n{"a":3}\n`);
    expect(rows.map((row) => row.number)).toEqual([1, 2, 3]);
    expect(rows.map((row) => (row.kind === 'row' && typeof row.row['a'] === 'string' ? row.row['a'].length : 0))).toEqual([
      0, 5_000_000, 0,
    ]);
  });

  it('reads gzip', async () => {
    expect(short(await read('rows.jsonl.gz', gzipSync('\uFEFF{"a":1}\n{"a":2}\n')))).toEqual(['1:{"a":1}', '2:{"a":2}']);
  });

  it('reads Zstandard, in one frame or several, and says when it is cut', async () => {
    // Frames written by the reference program: `{"a":1}` and `{"a":2}`, each with a line end.
    const frame = (hex: string): Buffer => Buffer.from(hex, 'hex');
    const [one, two] = [frame(ZST_ONE), frame(ZST_TWO)];
    expect(short(await read('rows.jsonl.zst', Buffer.concat([one, two])))).toEqual(['1:{"a":1}', '2:{"a":2}']);
    expect(short(await read('rows.csv.zst', frame(ZST_CSV)))).toEqual(['1:{"a":"1","b":"2"}']);
    await expect(read('cut.jsonl.zst', one.subarray(0, one.length - 5))).rejects.toThrow(
      /cut\.jsonl\.zst cannot be read to its end \(.*\); fetch it again/,
    );
    const rest = Buffer.concat([one, two, Buffer.from('garbage behind the last frame')]);
    expect(short(await read('tail.jsonl.zst', rest))).toEqual(['1:{"a":1}', '2:{"a":2}', '3:damaged_file']);
  });

  it('says which file is cut, and what to do', async () => {
    const whole = gzipSync(Array.from({ length: 5000 }, (_item, at) => `{"a":${Math.sin(at)}}\n`).join(''));
    const rows = await read('cut.jsonl.gz', whole.subarray(0, whole.length / 2));
    expect(rows.length).toBeGreaterThan(1000);
    expect(rows.filter((row) => row.kind === 'bad')).toEqual([
      { kind: 'bad', number: rows.length, reason: 'damaged_file', detail: expect.stringMatching(/behind row \d+ .*fetch it again/) },
    ]);
  });
});

describe('JSON', () => {
  it.each<[string, string, readonly string[]]>([
    ['an array over several lines', ' [\n {"a": [1, {"b": "]"}]},\n {"a": "x,\\"]"}\n]\n', ['1:{"a":[1,{"b":"]"}]}', '2:{"a":"x,\\"]"}']],
    ['an empty array', '[]', []],
    ['lines in a file called .json', '{"a":1}\n{"a":2}\n', ['1:{"a":1}', '2:{"a":2}']],
    ['elements that are no objects', '[1, {"a":2}, null]', ['1:not_an_object', '2:{"a":2}', '3:not_an_object']],
    ['an array that is cut', '[{"a":1},{"a":', ['1:{"a":1}', '2:malformed_json']],
    ['an array without its end', '[{"a":1}', ['1:{"a":1}', '2:malformed_json']],
    ['something after the array', '[{"a":1}] x', ['1:{"a":1}', '2:malformed_json']],
    ['a hole between commas', '[{"a":1},,{"a":2}]', ['1:{"a":1}', '2:malformed_json', '3:{"a":2}']],
    ['BOM', '\uFEFF[{"a":1}]', ['1:{"a":1}']],
  ])('%s', async (_name, content, expected) => {
    expect(short(await read('rows.json', content))).toEqual(expected);
  });

  it.each([
    ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', null],
    ['{"a":"a","b":"b"}', null],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"q\\"":1,"q\\"":2}', 'q"'],
    ['{"a" : 1, "b": ["x", "x", "x"], "a" : 2}', 'a'],
  ])('the repeated key of %s is %j', (json, key) => {
    expect(jsonFault(json)).toEqual(key === null ? null : { kind: 'duplicate_key', key });
  });
});

describe('CSV', () => {
  it.each<[string, string, readonly string[]]>([
    ['quoted commas, quotes and line breaks', 'a,b\n"x, ""y""","1\n2"\n', ['1:{"a":"x, \\"y\\"","b":"1\\n2"}']],
    ['BOM and CRLF', '\uFEFFa,b\r\n1,2\r\n"3",4\r\n', ['1:{"a":"1","b":"2"}', '2:{"a":"3","b":"4"}']],
    ['an empty last field and a blank line', 'a,b\n1,\n\n,2\n', ['1:{"a":"1","b":""}', '2:{"a":"","b":"2"}']],
    ['a record with too few fields', 'a,b\n1\n3,4\n', ['1:csv_field_count', '2:{"a":"3","b":"4"}']],
    ['a quote that never closes', 'a,b\n1,2\n"3,4\n', ['1:{"a":"1","b":"2"}', '2:csv_open_quote']],
    [
      'lists and booleans of the source columns',
      'messages,deleted,rank\n"[{""role"":""user""}]",False,0\n',
      ['1:{"messages":[{"role":"user"}],"deleted":false,"rank":0}'],
    ],
    ['a text column that only looks like a list stays text', 'question\n"[1, 2]"\n', ['1:{"question":"[1, 2]"}']],
    ['only a header', 'a,b\n', []],
  ])('%s', async (_name, content, expected) => {
    expect(short(await read('rows.csv', content))).toEqual(expected);
  });
});

describe('Parquet', () => {
  it('reads rows in file order, with lists of structs and big integers', async () => {
    const path = join(folder, 'rows.parquet');
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(
      `COPY (SELECT i AS qid, 'question ' || i AS question, [{answer_id: i * 10, selected: i % 2 = 0, text: '<p>x</p>'}] AS answers, NULL::VARCHAR AS gone
             FROM range(5000) t(i) ORDER BY i) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
    );
    connection.closeSync();
    instance.closeSync();
    const rows: ReadRow[] = [];
    for await (const row of readRows({ path, name: 'rows.parquet' })) rows.push(row);
    expect(rows).toHaveLength(5000);
    expect(rows.map((row) => row.number)).toEqual(Array.from({ length: 5000 }, (_item, at) => at + 1));
    const last = rows[4999];
    expect(last?.kind === 'row' ? last.row : null).toEqual({
      qid: '4999',
      question: 'question 4999',
      answers: [{ answer_id: '49990', selected: false, text: '<p>x</p>' }],
      gone: null,
    });
  });

  it('says that a damaged file cannot be read', async () => {
    await expect(read('bad.parquet', 'PAR1 no parquet')).rejects.toThrow(SourceReadError);
  });
});

const source = (change: Partial<SourceConfig>): SourceConfig => ({ ...SourceConfig.parse({ name: 'demo', adapter: 'apps' }), ...change });

describe('files of a source', () => {
  it('lists files and folders in order of their names', async () => {
    await mkdir(join(folder, 'many', 'inner'), { recursive: true });
    for (const name of ['many/b.jsonl', 'many/a.csv', 'many/inner/c.parquet', 'many/README.md']) await writeFile(join(folder, name), '');
    const files = await filesOfSource(source({ path: ['many', 'many/a.csv'] }), folder);
    expect(files.map((file) => file.name)).toEqual(['many/a.csv', 'many/b.jsonl', 'many/inner/c.parquet']);
  });

  it.each<[string, Partial<SourceConfig>, string, RegExp]>([
    ['a path with nothing', { path: 'missing.jsonl' }, 'missing_file', /nothing to read at .*missing\.jsonl; correct `path`/],
    ['a format nobody reads', { path: 'x.xlsx' }, 'unsupported_format', /none of \.jsonl/],
    ['neither path nor hub', {}, 'no_location', /neither path nor hub/],
  ])('refuses %s with a sentence', async (_name, change, code, message) => {
    await writeFile(join(folder, 'x.xlsx'), '');
    const error: unknown = await filesOfSource(source(change), folder).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SourceReadError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as unknown });
  });
});
