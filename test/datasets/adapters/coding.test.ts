import { describe, expect, it } from 'vitest';
import { readApps } from '../../../datasets/adapters/apps.ts';
import { readCustom } from '../../../datasets/adapters/custom.ts';
import { readMagicoder } from '../../../datasets/adapters/magicoder.ts';
import { looksLikePython } from '../../../datasets/adapters/python-shape.ts';
import { readStackExchange } from '../../../datasets/adapters/stackexchange.ts';
import { stackExchangeLicence } from '../../../datasets/licences.ts';
import type { JsonObject } from '../../../schemas/json.ts';
import { contextOf, reasonOf, rowOf } from '../rows.ts';

describe('Magicoder', () => {
  const context = contextOf('magicoder');
  const row = {
    lang: 'cpp',
    raw_index: 12,
    index: 3,
    seed: 'key = "SECRET"',
    problem: 'Write a convolution.',
    solution: '```cpp\nint x;\n```',
  };

  it('names rows by raw_index and index, and keeps the seed of third parties out', () => {
    const found = rowOf(readMagicoder(row, context));
    expect([found.sourceId, found.groupKey, found.sourceLicense]).toEqual(['magicoder-oss:12:3', 'magicoder:12', 'MIT']);
    expect(JSON.stringify(found)).not.toContain('SECRET');
  });

  it('rejects a row without solution and one of another schema', () => {
    expect(reasonOf(readMagicoder({ ...row, solution: '' }, context))).toBe('missing_answer');
    expect(reasonOf(readMagicoder({ problem: 'x' }, context))).toBe('wrong_columns');
  });
});

describe('APPS', () => {
  const context = contextOf('apps');
  const row = {
    problem_id: 7,
    question: 'Print the sum of n numbers.',
    solutions: JSON.stringify(['print sum(x)', 'print(sum(map(int, input().split())))']),
    input_output: '',
    difficulty: 'interview',
    url: 'https://example.org',
    starter_code: '',
  };

  it('takes the first solution that reads as Python 3 and puts the split into the id, since ids repeat in train and test', () => {
    const train = rowOf(readApps(row, context));
    const test = rowOf(readApps(row, contextOf('apps', { split: 'test' })));
    expect(train.answer).toBe('```python\nprint(sum(map(int, input().split())))\n```');
    expect([train.sourceId, test.sourceId, train.groupKey]).toEqual(['apps:train:7', 'apps:test:7', 'apps:train:7']);
  });

  it('makes starter code the context and accepts `id` for `problem_id`', () => {
    const { problem_id: _id, ...rest } = row;
    const found = rowOf(readApps({ ...rest, id: '0042', starter_code: 'def f(x):\n\t' }, context));
    expect(found.sourceId).toBe('apps:train:0042');
    expect(found.context).toEqual([{ speaker: 'other', text: 'Starter code:\n```python\ndef f(x):\n```' }]);
  });

  it('never parses input_output, whatever integers it holds', () => {
    expect(reasonOf(readApps({ ...row, input_output: `{"inputs": [${'9'.repeat(5000)}` }, context))).toBe('row');
  });

  it.each([
    ['an empty solutions text (test rows)', { ...row, solutions: '' }, 'missing_reference'],
    ['an empty list', { ...row, solutions: '[]' }, 'missing_reference'],
    ['a text that is no JSON', { ...row, solutions: '["a' }, 'unparsable_solutions'],
    ['only Python 2', { ...row, solutions: '["print x"]' }, 'no_parsable_solution'],
    ['a mapcoder row, which has no solutions at all', { name: 'a', id: '1', description: 'Print it.', sample_io: '' }, 'missing_reference'],
    ['other columns', { text: 'x' }, 'wrong_columns'],
  ])('rejects: %s', (_name, value, reason) => {
    expect(reasonOf(readApps(value, context))).toBe(reason);
  });

  it.each([
    ['x = 1\nif x:\n    print(x)\n', true],
    ['def f(a,\n      b):\n    return {"a": "(", \'b\': """)"""}\n', true],
    ['for i in range(3): print(i)\n', true],
    ['# it\'s a comment with ( and "\nprint(1)\n', true],
    ['total = a + \\\n    b\n', true],
    ['lambda_ = {k: v for k, v in x}\nprint("exec ")\n', true],
    ['print "hello"\n', false],
    ['x = (1, 2\nprint(x)\n', false],
    ['def f():\nreturn 1\n', false],
    ['while True\n    pass\n', false],
    ['s = "open\nprint(s)\n', false],
    ['n = int(raw_input())\n', false],
    ['', false],
  ])('judges the shape of %j as %s', (code, expected) => {
    expect(looksLikePython(code)).toBe(expected);
  });
});

const answer = (id: number, score: number, selected: boolean, text: string, more: JsonObject = {}): JsonObject => ({
  answer_id: id,
  author: `author ${id}`,
  author_id: id,
  author_profile: `https://ai.stackexchange.com/users/${id}`,
  pm_score: score,
  selected,
  text,
  ...more,
});
const LONG = '<p>Use a smaller step and watch the loss for ten epochs.</p>';

const question = (answers: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  qid: 5,
  question: '<p>My net does not learn. What is <code>lr</code> for?</p>',
  answers,
  date: '2016/08/02',
  metadata: ['https://ai.stackexchange.com/questions/5', 'https://ai.stackexchange.com', 'https://ai.stackexchange.com/users/8/'],
  ...more,
});

describe('Stack Exchange', () => {
  const context = contextOf('stackexchange');
  it.each([
    ['the accepted one before a higher score', [answer(1, 9, false, LONG), answer(2, 1, true, LONG)], 2],
    ['the highest score when none is accepted', [answer(1, 1, false, LONG), answer(2, 4, false, LONG)], 2],
    ['the lowest id in a tie', [answer(9, 4, false, LONG), answer(3, 4, false, LONG)], 3],
  ])('chooses %s', (_name, answers, id) => {
    expect(rowOf(readStackExchange(question(answers), context)).metadata['answerId']).toBe(id);
  });

  it('names rows by site and qid, and asker and answerer in the attribution', () => {
    const found = rowOf(readStackExchange(question([answer(2, 1, true, LONG)]), context));
    expect([found.sourceId, found.groupKey, found.sourceLicense]).toEqual(['se:ai:5', 'se:ai:5', 'CC-BY-SA-3.0']);
    expect(found.attribution).toContain('https://ai.stackexchange.com/users/8/');
    expect(found.attribution).toContain('author 2');
    expect(found.question).toBe('My net does not learn. What is `lr` for?');
  });

  it.each([
    ['no answers', question([]), 'missing_answer'],
    [
      'a deleted author, who cannot be attributed',
      question([answer(2, 1, true, LONG, { author: '(user-deleted)', author_id: -1, author_profile: '' })]),
      'deleted_author',
    ],
    [
      'a link-only answer',
      question([answer(2, 1, true, '<p>See <a href="https://example.org/x">this page about it</a>.</p>')]),
      'link_only_answer',
    ],
    [
      'a meta site',
      question([answer(2, 1, true, LONG)], {
        metadata: [
          'https://ai.meta.stackexchange.com/questions/5',
          'https://ai.meta.stackexchange.com',
          'https://ai.meta.stackexchange.com/users/8/',
        ],
      }),
      'meta_site',
    ],
    [
      'no asker',
      question([answer(2, 1, true, LONG)], { metadata: ['https://ai.stackexchange.com/questions/5', 'https://ai.stackexchange.com', ''] }),
      'missing_attribution',
    ],
    ['no site at all', question([answer(2, 1, true, LONG)], { metadata: [] }), 'missing_site'],
    ['an empty question', question([answer(2, 1, true, LONG)], { question: '<p> </p>' }), 'missing_question'],
    ['other columns', { text: 'x' }, 'wrong_columns'],
  ])('rejects: %s', (_name, value, reason) => {
    expect(reasonOf(readStackExchange(value, context))).toBe(reason);
  });

  it.each([
    ['2011/04/07', 'CC-BY-SA-2.5'],
    ['2011/04/08', 'CC-BY-SA-3.0'],
    ['2018-05-01', 'CC-BY-SA-3.0'],
    ['2018/05/02', 'CC-BY-SA-4.0'],
    ['', 'unknown'],
  ])('a post of %j is under %s', (date, licence) => {
    expect(stackExchangeLicence(date)).toBe(licence);
  });
});

describe('custom', () => {
  const columns = { id: 'key', question: 'q', answer: 'a', context: 'c', group: 'g' };

  it('maps columns by the config, which also names domain and licence', () => {
    const context = contextOf('custom', { columns, domain: 'coding', licence: 'CC-BY-4.0' });
    expect(rowOf(readCustom({ key: 3, q: 'How?', a: 'So.', c: 'Before.', g: 'x' }, context))).toMatchObject({
      sourceId: 'test-custom:train:3',
      groupKey: 'custom:test-custom:x',
      domain: 'coding',
      sourceLicense: 'CC-BY-4.0',
      context: [{ speaker: 'user', text: 'Before.' }],
    });
    expect(reasonOf(readCustom({ key: 3, q: 'How?' }, context))).toBe('wrong_columns');
    expect(reasonOf(readCustom({ key: 3, q: 'How?', a: null }, context))).toBe('missing_answer');
  });

  it('says that columns and domain are missing from the config', () => {
    expect(reasonOf(readCustom({ q: 'x' }, contextOf('custom')))).toBe('incomplete_config');
  });
});
