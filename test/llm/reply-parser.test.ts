import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LONGEST_REPLY_CHARS, parseReply } from '../../llm/reply-parser.ts';

const Reply = z.strictObject({
  a: z.string(),
  n: z.number().optional(),
  list: z.array(z.strictObject({ b: z.string().max(5) })).optional(),
});

describe('one JSON object is read', () => {
  it.each([
    ['bare', '{"a":"x"}'],
    ['with spaces around', '\n {"a":"x"} \n'],
    ['in a fence', '```json\n{"a":"x"}\n```'],
    ['in a fence without a language, with CRLF', '```\r\n{"a":"x"}\r\n```'],
    ['after think tags', '<think>maybe {"a":"y"} or\n```json\n{}\n```</think>\n{"a":"x"}'],
    ['after thinking whose opening tag stood in the template', 'so the answer\n</think>\n\n{"a":"x"}'],
    ['after think tags and in a fence', '<think></think>```json\n{"a":"x"}\n```'],
    ['after two kinds of reasoning', '<reasoning>a</reasoning><think>b</think>{"a":"x"}'],
  ])('%s', (_, text) => {
    expect(parseReply(text, Reply)).toEqual({ ok: true, value: { a: 'x' }, mendedSurrogates: 0 });
  });

  it.each([
    ['think tags', '{"a":"<think>x</think>"}', '<think>x</think>'],
    ['fences', '{"a":"```json\\n{}\\n```"}', '```json\n{}\n```'],
    ['braces and keys', '{"a":"{\\"a\\":1,\\"a\\":2}"}', '{"a":1,"a":2}'],
  ])('keeps %s inside its strings', (_, text, a) => {
    expect(parseReply(text, Reply)).toMatchObject({ ok: true, value: { a } });
  });

  it('makes lone halves of characters well-formed and counts them', () => {
    expect(parseReply('{"a":"x\\ud83d y\\udc00"}', Reply)).toEqual({ ok: true, value: { a: 'x\uFFFD y\uFFFD' }, mendedSurrogates: 2 });
    expect(parseReply('{"a":"\\ud83d\\ude00"}', Reply)).toMatchObject({ ok: true, value: { a: '😀' }, mendedSurrogates: 0 });
  });

  it('leaves numbers as they stand', () => {
    expect(parseReply('{"a":"x","n":0.1}', Reply)).toMatchObject({ value: { n: 0.1 } });
    expect(parseReply('{"a":"x","n":"1"}', Reply)).toMatchObject({ ok: false, rule: 'expected_number', path: 'n' });
  });
});

/** Where the 64th bracket stands. */
const NESTED = ['a', ...Array.from({ length: 63 }, () => '0')].join('.');

describe('anything else is named, never mended', () => {
  it.each([
    ['', 'not_json', 'empty', ''],
    ['Here it is: {"a":"x"}', 'not_json', 'prose_before_json', ''],
    ['{"a":"x"} I hope this helps', 'not_json', 'cut_or_prose_after_json', ''],
    ['{"a":"x"}{"a":"y"}', 'not_json', 'malformed_json', ''],
    ['[{"a":"x"}]', 'not_json', 'not_an_object', ''],
    ['{"list":[{"b":"x"},{"b":"y"', 'not_json', 'cut_or_prose_after_json', ''],
    ['```json\n{"a":"x"}', 'not_json', 'prose_before_json', ''],
    ['<think>still going', 'not_json', 'reasoning_never_closed', ''],
    ['{"a":"x","a":"y"}', 'not_json', 'duplicate_key', 'a'],
    ['{"a":"x","\\u0061":"y"}', 'not_json', 'duplicate_key', 'a'],
    ['{"a":"x","list":[{"b":"1"},{"b":"2","b":"3"}]}', 'not_json', 'duplicate_key', 'list.1.b'],
    ['{"a":"x","__proto__":{"z":1}}', 'not_json', 'unsafe_key', '__proto__'],
    ['{"a":"x","list":[{"constructor":1}]}', 'not_json', 'unsafe_key', 'list.0.constructor'],
    ['{"a":"x","n":1e999}', 'not_json', 'number_out_of_range', 'n'],
    [`{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 'not_json', 'nesting', NESTED],
    ['{"a":"x","z":1}', 'schema_mismatch', 'unexpected_key', ''],
    ['{"a":null}', 'schema_mismatch', 'expected_string', 'a'],
    ['{"a":"x","list":[{"b":"abcdefgh"}]}', 'schema_mismatch', 'at_most_5', 'list.0.b'],
  ])('%s → %s %s', (text, callClass, rule, path) => {
    const parsed = parseReply(text, Reply);
    expect(parsed).toMatchObject({ ok: false, class: callClass, rule, path });
  });

  it('refuses replies over the size cap without looking at them', () => {
    expect(parseReply(`{"a":"${'x'.repeat(LONGEST_REPLY_CHARS)}"}`, Reply)).toMatchObject({ ok: false, rule: 'too_long' });
  });

  it('survives a reply that is nested without end', () => {
    expect(parseReply(`{"a":${'['.repeat(500_000)}`, Reply)).toMatchObject({ ok: false, class: 'not_json' });
    expect(parseReply(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, Reply)).toMatchObject({ ok: false, class: 'not_json' });
  });
});

describe('identities', () => {
  const json = fc.json({ maxDepth: 4 }).filter((text) => text.startsWith('{') && !/__proto__|constructor|prototype/.test(text));

  it('reads back what JSON.stringify wrote, and notices any top-level key given twice', () => {
    fc.assert(
      fc.property(json, fc.string(), (text, key) => {
        fc.pre(!['__proto__', 'constructor', 'prototype'].includes(key));
        const parsed = parseReply(text, z.record(z.string(), z.unknown()));
        expect(parsed.ok).toBe(true);
        const name = JSON.stringify(key);
        const twice = `{${name}:1,${text.slice(1, -1).trim() === '' ? '' : `"other":${text},`}${name}:2}`;
        expect(parseReply(twice, z.record(z.string(), z.unknown()))).toMatchObject({ ok: false, rule: 'duplicate_key' });
      }),
    );
  });

  it('never reads a proper prefix of an object as an object', () => {
    fc.assert(
      fc.property(json, fc.nat(), (text, at) => {
        fc.pre(text.length > 1);
        expect(parseReply(text.slice(0, 1 + (at % (text.length - 1))), z.record(z.string(), z.unknown())).ok).toBe(false);
      }),
    );
  });
});
