import { describe, expect, it } from 'vitest';
import { createOasstCollector } from '../../../datasets/adapters/oasst.ts';
import { lastContext, readUltraChat } from '../../../datasets/adapters/ultrachat.ts';
import { sha256Hex } from '../../../schemas/hash.ts';
import type { JsonObject } from '../../../schemas/json.ts';
import { contextOf, reasonOf, rowOf } from '../rows.ts';

const ultra = contextOf('ultrachat');

function dialogue(...turns: readonly string[]): JsonObject {
  return {
    prompt: turns[0] ?? '',
    prompt_id: sha256Hex(turns[0] ?? ''),
    messages: turns.map((content, at) => ({ content, role: at % 2 === 0 ? 'user' : 'assistant' })),
  };
}

describe('UltraChat', () => {
  it('chooses the latest turn with intent and a signal in or before it, never simply the last', () => {
    const row = rowOf(
      readUltraChat(
        dialogue(
          'What is yoga?',
          'A practice.',
          'I am 60 and my knees hurt. Which poses can I do?',
          'Seated ones.',
          'Thanks, that helps a lot!',
          'You are welcome.',
        ),
        ultra,
      ),
    );
    expect([row.question, row.answer]).toEqual(['I am 60 and my knees hurt. Which poses can I do?', 'Seated ones.']);
    expect(row.context.map((turn) => turn.speaker)).toEqual(['user', 'assistant']);
    expect(row.sourceId).toMatch(/^ultrachat_200k:train:[0-9a-f]{64}:3$/);
    expect(row.groupKey).toBe(`ultrachat:${sha256Hex('What is yoga?')}`);
  });

  it.each([
    [
      'a prompt_id that is not the hash of the prompt',
      { ...dialogue('I have a cat. What food?', 'Fish.'), prompt_id: 'f'.repeat(64) },
      'prompt_id_mismatch',
    ],
    ['a dialogue that ends with the user (the *_gen splits)', dialogue('I have a cat. What food is good?'), 'missing_answer'],
    ['an empty dialogue', { prompt: '', prompt_id: sha256Hex(''), messages: [] }, 'missing_question'],
    ['other columns', { text: 'x' }, 'wrong_columns'],
  ])('rejects: %s', (_name, row, reason) => {
    expect(reasonOf(readUltraChat(row, ultra))).toBe(reason);
  });

  it('reads the raw dataset, whose turns have no roles', () => {
    const row = rowOf(readUltraChat({ id: '17', data: ['I live in a small flat. Which plant?', 'A fern.'] }, ultra));
    expect([row.question, row.answer, row.groupKey]).toEqual(['I live in a small flat. Which plant?', 'A fern.', 'ultrachat:17']);
  });

  it('keeps the last 6,000 characters of context, whole turns first', () => {
    const turns = [1, 2, 3].map((n) => ({ speaker: 'user' as const, text: `${n} ${'word '.repeat(500)}`.trim() }));
    const kept = lastContext(turns);
    expect(kept.map((turn) => turn.text.length).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(6000);
    expect(kept.at(-1)).toEqual(turns[2]);
    expect(kept[0]?.text.startsWith('word')).toBe(true);
  });
});

const message = (id: string, parent: string | null, role: string, text: string, more: JsonObject = {}): JsonObject => ({
  message_id: id,
  parent_id: parent,
  text,
  role,
  lang: 'en',
  review_result: true,
  deleted: false,
  rank: null,
  synthetic: false,
  message_tree_id: 'tree',
  ...more,
});
const ROOT = message('r', null, 'prompter', 'I have two dogs and a small garden. How do I keep the lawn alive?');
const BEST = message('a0', 'r', 'assistant', 'Fence a corner and water it.', { rank: 0 });
const SECOND = message('a1', 'r', 'assistant', 'Buy gravel.', { rank: 1 });

function run(rows: readonly JsonObject[], adapter: 'oasst1' | 'oasst2' = 'oasst1') {
  const collector = createOasstCollector(adapter);
  const early = rows.flatMap((row, at) => collector.add(row, { ...contextOf(adapter), origin: { file: 'rows.jsonl', row: at + 1 } }));
  return { results: [...early, ...collector.finish()], merged: collector.merged() };
}

describe('OpenAssistant', () => {
  it('gives one path per tree, by best rank, whatever the order of the flat rows', () => {
    for (const rows of [
      [ROOT, BEST, SECOND],
      [SECOND, BEST, ROOT],
    ]) {
      const { results, merged } = run(rows);
      expect(results).toHaveLength(1);
      expect(merged).toBe(2);
      const [result] = results;
      if (result === undefined) throw new Error('no result');
      expect(rowOf(result)).toMatchObject({
        answer: 'Fence a corner and water it.',
        sourceId: 'oasst1:train:a0',
        groupKey: 'oasst:tree',
        context: [],
      });
    }
  });

  it('reads a tree row like the flat rows of the same messages', () => {
    const tree = {
      message_tree_id: 'tree',
      prompt: {
        ...ROOT,
        replies: [
          { ...SECOND, replies: [] },
          { ...BEST, replies: [] },
        ],
      },
    };
    const [fromTree] = run([tree]).results;
    const [fromFlat] = run([ROOT, BEST, SECOND]).results;
    if (fromTree === undefined || fromFlat === undefined) throw new Error('no result');
    const { origin: _a, ...one } = rowOf(fromTree);
    const { origin: _b, ...two } = rowOf(fromFlat);
    expect(one).toEqual(two);
  });

  it('prefers a later turn that asks with a signal, and makes ancestors its context', () => {
    const more = [
      message('q2', 'a0', 'prompter', 'My dogs dig there too. What can I do?'),
      message('a2', 'q2', 'assistant', 'Give them a sand pit.'),
    ];
    const [result] = run([ROOT, BEST, ...more]).results;
    if (result === undefined) throw new Error('no result');
    expect(rowOf(result)).toMatchObject({ answer: 'Give them a sand pit.', context: [{ speaker: 'user' }, { speaker: 'assistant' }] });
  });

  it.each([
    ['a prompter leaf without reply', [ROOT], 'missing_answer'],
    ['a synthetic reply (chip20b)', [ROOT, { ...BEST, synthetic: true, model_name: 'chip20b' }], 'synthetic'],
    ['a deleted reply', [ROOT, { ...BEST, deleted: true }], 'deleted_or_failed_review'],
    ['a reply that failed its review', [ROOT, { ...BEST, review_result: false }], 'deleted_or_failed_review'],
    ['a reply in another language', [ROOT, { ...BEST, lang: 'es' }], 'non_english'],
    ['a prompter in another language', [{ ...ROOT, lang: 'de' }, BEST], 'non_english'],
    ['only siblings that are not best', [ROOT, SECOND], 'not_best_rank'],
    ['a reply whose parent is not there', [BEST], 'broken_tree'],
    ['no message id', [{ role: 'assistant', text: 'x', message_id: null }], 'missing_id'],
    ['other columns', [{ text: 'x' }], 'wrong_columns'],
  ])('rejects a tree with %s', (_name, rows, reason) => {
    const { results } = run(rows);
    expect(results.map(reasonOf)).toEqual([reason]);
  });
});
