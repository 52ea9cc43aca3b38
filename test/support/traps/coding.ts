import type { JsonObject } from '../../../schemas/json.ts';
import type { Trap } from './trap.ts';

const STATEMENT =
  'Polycarp has at most 100 integers in his list and must not sort it. Write a program that reads them and prints the two largest ones.';
const TASK =
  'You maintain a service in Python 3.9. Write a function that takes a list of at most 100 integers and returns the two largest, without sorting it.';
const SOLUTION =
  'Walk once over the list and keep the two largest values seen so far.\n\n```python\ndef two_largest(values):\n    return heapq.nlargest(2, values)\n```';
const answer = (id: number, change: JsonObject = {}): JsonObject => ({
  answer_id: id,
  author: `author ${id}`,
  author_id: id,
  author_profile: `https://stackoverflow.com/users/${id}`,
  pm_score: 2,
  selected: false,
  text: `<p>Use a dictionary in step ${id}, because it keeps the order of insertion since Python 3.7 and needs one pass only.</p>`,
  ...change,
});
const asked = (change: JsonObject = {}): JsonObject => ({
  qid: 7,
  question:
    '<p>I use Python 3.8 on an old server and must not install packages. How can I drop repeated items of a list without sorting it?</p>',
  answers: [answer(1, { selected: true })],
  date: '2016/05/05',
  metadata: ['https://stackoverflow.com/questions/7', 'https://stackoverflow.com', 'https://stackoverflow.com/users/9/'],
  ...change,
});
const problem = (change: JsonObject = {}): JsonObject => ({
  problem_id: 4,
  question: STATEMENT,
  solutions: JSON.stringify([
    'n = int(input())\nvalues = list(map(int, input().split()))\nfirst = max(values)\nvalues.remove(first)\nprint(first, max(values))\n',
  ]),
  input_output: '',
  difficulty: 'interview',
  url: 'https://x.org/p',
  starter_code: '',
  ...change,
});
const oss = (change: JsonObject = {}): JsonObject => ({
  lang: 'python',
  raw_index: 1,
  index: 1,
  seed: 'x = 1',
  problem: TASK,
  solution: SOLUTION,
  ...change,
});
/** Traps of the coding sources. */
export const CODING_TRAPS: readonly Trap[] = [
  {
    adapter: 'stackexchange',
    clause: 'title is not in the row',
    name: 'the body alone is the question',
    rows: [asked()],
    reasons: [],
    kept: { has: [/"question":"I use Python 3\.8/] },
  },
  {
    adapter: 'stackexchange',
    clause: '`<pre><code>`',
    name: 'fences, duplicate notes, images and entities',
    rows: [
      asked({
        question:
          '<blockquote><p><strong>Possible Duplicate:</strong> <a href="https://x.org">Other</a></p></blockquote><p>I use Python 3.8 and get <code>a &lt; b</code> wrong in this loop, how can I repair it?</p><pre><code>if a &lt; b &amp;&amp; c:\n    go()</code></pre><p><img src="x.png" alt="plot"></p>',
      }),
    ],
    reasons: [],
    kept: { has: [/`a < b`/, /```\\nif a < b && c:\\n {4}go\(\)/, /\[image: plot\]/], hasNot: [/Possible Duplicate/, /&lt;/] },
  },
  {
    adapter: 'stackexchange',
    clause: 'no accepted answer',
    name: 'no accepted answer: the highest score',
    rows: [asked({ answers: [answer(1, { pm_score: 1 }), answer(2, { pm_score: 5 })] })],
    reasons: [],
    kept: { has: [/step 2/] },
  },
  {
    adapter: 'stackexchange',
    clause: 'tie at the top',
    name: 'a tie: the lowest id',
    rows: [asked({ answers: [answer(8), answer(3)] })],
    reasons: [],
    kept: { has: [/step 3/] },
  },
  {
    adapter: 'stackexchange',
    clause: 'accepted is not the highest',
    name: 'accepted before higher score',
    rows: [asked({ answers: [answer(1, { pm_score: 9 }), answer(2, { selected: true, pm_score: 1 })] })],
    reasons: [],
    kept: { has: [/step 2/] },
  },
  {
    adapter: 'stackexchange',
    clause: 'deleted author',
    name: 'nobody to attribute to',
    rows: [asked({ answers: [answer(1, { author: '(user-deleted)', author_id: -1, author_profile: '' })] })],
    reasons: ['deleted_author'],
  },
  {
    adapter: 'stackexchange',
    clause: 'real licence depends',
    name: 'licence by date, whatever the label',
    rows: [asked({ date: '2010/01/01' })],
    reasons: [],
    kept: { has: [/"sourceLicense":"CC-BY-SA-2\.5"/] },
  },
  {
    adapter: 'stackexchange',
    clause: '`.meta` sites',
    name: 'a site about the site',
    rows: [
      asked({
        metadata: [
          'https://ai.meta.stackexchange.com/questions/7',
          'https://ai.meta.stackexchange.com',
          'https://ai.meta.stackexchange.com/users/9/',
        ],
      }),
    ],
    reasons: ['meta_site'],
  },
  {
    adapter: 'stackexchange',
    clause: 'link-only answers',
    name: 'only a link',
    rows: [asked({ answers: [answer(1, { text: '<p>See <a href="https://x.org/y">this</a>.</p>' })] })],
    reasons: ['link_only_answer'],
  },
  {
    adapter: 'apps',
    clause: 'are strings, empty strings occur',
    name: 'texts that hold JSON, and empty ones',
    rows: [problem(), problem({ problem_id: 5, solutions: '' }), problem({ problem_id: 6, solutions: '["' })],
    reasons: ['missing_reference', 'unparsable_solutions'],
  },
  {
    adapter: 'apps',
    clause: 'huge integers',
    name: 'integers beyond any limit are not parsed',
    rows: [problem({ input_output: `{"inputs":[${'9'.repeat(6000)}]}` })],
    reasons: [],
  },
  {
    adapter: 'apps',
    clause: '-----Input-----',
    name: 'sections and LaTeX are no noise',
    rows: [
      problem({
        question: `${STATEMENT}\n\n-----Input-----\n\nThe first line contains $n$ ($1 \\le n \\le 10^{5}$).\n\n-----Output-----\n\nPrint $a_i \\cdot b_j$.\n\n-----Example-----\nInput\n3\n1 2 3\n\nOutput\n3 2`,
      }),
    ],
    reasons: [],
    kept: { has: [/-----Input-----/] },
  },
  {
    adapter: 'apps',
    clause: 'references to images',
    name: 'a missing image passes the rules and is left to the model that screens',
    rows: [problem({ question: `${STATEMENT} See the image below. [Image]` })],
    reasons: [],
  },
  {
    adapter: 'apps',
    clause: 'no prose at all',
    name: 'an answer that is code only',
    rows: [problem()],
    reasons: [],
    kept: { has: [/"answer":"```python/] },
  },
  {
    adapter: 'apps',
    clause: 'call style',
    name: 'starter code is context',
    rows: [problem({ starter_code: 'def two_largest(values):\n\t', input_output: '{"fn_name":"two_largest"}' })],
    reasons: [],
    kept: { has: [/Starter code:/] },
  },
  {
    adapter: 'apps',
    clause: 'duplicates.',
    name: 'one problem twice; ids repeat in train and test; rows without solutions',
    rows: [problem(), problem({ problem_id: 9 }), { name: 'a', id: '1', description: 'Print it.' }],
    beside: {
      adapter: 'apps',
      rows: [
        problem({
          question:
            'Vasya counts at most 50 words of his diary and must not use a dictionary. Write a program that prints the longest word in it.',
        }),
      ],
      extra: { split: 'test' },
    },
    reasons: ['exact_duplicate', 'missing_reference'],
  },
  {
    adapter: 'magicoder',
    clause: 'one code fence',
    name: 'a solution without prose',
    rows: [oss({ solution: '```python\ndef two_largest(values):\n    return heapq.nlargest(2, values)\n```' })],
    reasons: [],
  },
  {
    adapter: 'magicoder',
    clause: 'the whole solution',
    name: 'the answer stands in the question',
    rows: [oss({ problem: `${TASK}\n\n${SOLUTION}` })],
    reasons: ['solution_in_question'],
  },
  {
    adapter: 'magicoder',
    clause: 'seed is third-party',
    name: 'the seed is kept as a hash only',
    rows: [oss({ seed: 'SEEDTEXT = "key"' })],
    reasons: [],
    kept: { hasNot: [/SEEDTEXT/], has: [/"seedSha256":"[0-9a-f]{64}"/] },
  },
  {
    adapter: 'magicoder',
    clause: 'answers can be wrong',
    name: 'wrong code passes the rules and is left to the model that screens',
    rows: [oss({ solution: '```python\ndef two_largest(values):\n    return values[:2]\n```' })],
    reasons: [],
  },
  {
    adapter: 'magicoder',
    clause: 'near-duplicate problems',
    name: 'nearly equal problems are one',
    rows: [oss(), oss({ raw_index: 2, problem: `${TASK} Explain it.` })],
    reasons: ['near_duplicate'],
  },
  {
    adapter: 'magicoder',
    clause: 'non-English identifiers',
    name: 'foreign names in code stay, foreign prose does not',
    rows: [
      oss({
        solution: '```python\ndef groesste(zahlen):\n    # die zwei groessten Zahlen der Liste\n    return heapq.nlargest(2, zahlen)\n```',
      }),
      oss({
        raw_index: 3,
        problem:
          'Schreiben Sie eine Funktion in Python, die eine Liste von höchstens hundert Zahlen nimmt und die zwei größten zurückgibt, ohne sie zu sortieren.',
      }),
    ],
    reasons: ['non_english'],
  },
];
