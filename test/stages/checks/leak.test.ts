import { expect, test } from 'vitest';
import { bringsBack } from '../../../stages/checks/dropped.ts';
import { isContained, overlappingPairs } from '../../../stages/checks/containment.ts';
import { hasExactRun, leakFlags, leaksRubric } from '../../../stages/checks/leak.ts';
import { markedTokens } from '../../../stages/checks/marked-tokens.ts';
import { namesInTerms, requestTermBreaches, sharedWords, usedRequestTerms, valuesInTerms } from '../../../stages/checks/request-terms.ts';
import { whyNotSelfContained } from '../../../stages/checks/self-contained.ts';
import { answerContract, withoutAnswerContract } from '../../../stages/text/contract.ts';

test.each([
  ['Which pump fits? Answer in prose without code blocks.', 'Which pump fits?', 'Answer in prose without code blocks.'],
  [
    'How do I plan it? Describe the plan in prose and name `foo` too.',
    'How do I plan it?',
    'Describe the plan in prose and name `foo` too.',
  ],
  ['Why does it fail? Use no code block.', 'Why does it fail?', 'Use no code block.'],
  ['Answer in prose without code blocks.', 'Answer in prose without code blocks.', ''],
  ['How do I format code blocks in Markdown?', 'How do I format code blocks in Markdown?', ''],
  ['How do I write a prose summary?', 'How do I write a prose summary?', ''],
])('the answer contract of "%s" is told from its question', (query, bare, contract) => {
  expect(withoutAnswerContract(query)).toBe(bare);
  expect(answerContract(query)).toBe(contract);
});

test('marked tokens are numbers, identifiers, code spans and names, and nothing else', () => {
  const marked = markedTokens(
    'The user runs `find_all(self, arr)` on PyTorch 2.4 with 1,500 rows, three GPUs, vitamin B12, COVID-19, e.g. macOS, and parseJson in London.',
  );
  expect([...marked.numbers].sort()).toEqual(['1500', '2.4', '3']);
  expect([...marked.identifiers].sort()).toEqual(['find_all', 'parseJson']);
  expect([...marked.codeSpans]).toEqual(['find_all(self, arr)']);
  expect([...marked.names].sort()).toEqual(['B12', 'COVID-19', 'GPUs', 'London', 'PyTorch']);
  expect(markedTokens('Amlodipine made the user dizzy. The user swims.').names.size).toBe(0);
});

test('request terms declare only words that stand in the query', () => {
  expect(usedRequestTerms('Could my tablet cause the cough?', ['tablets', 'cough', 'fever', ''])).toEqual(['tablets', 'cough']);
  expect(sharedWords('Could my tablet cause the cough at night?', ['tablet'], 'The user coughs at night.')).toEqual(['cough', 'night']);
  expect(sharedWords('Which pump fits? Answer in prose without code blocks.', ['pump'], 'The user reads prose and code.')).toEqual([]);
});

test('values may not be request terms, names may', () => {
  expect(valuesInTerms(['18 kg child', 'three weeks'], 'The child weighs 18 kg and has coughed for 3 weeks.')).toEqual(['18', '3']);
  expect(valuesInTerms(['findKth method'], 'The user calls `findKth`.')).toEqual(['findKth']);
  expect(valuesInTerms(['London', 'TV'], 'The user has a TV in London.')).toEqual([]);
  expect(namesInTerms(['London', 'TV'], 'The user has a TV in London.')).toEqual(['TV', 'London']);
  expect(namesInTerms(['add'], 'The user has ADD.')).toEqual([]);
});

/** Written for this project: request terms, an atom, its evidence, and a query that gives the atom away. */
const planted: readonly (readonly [string, readonly string[], string, string, string])[] = [
  [
    'dose',
    ['migraine'],
    'The user takes 40 mg propranolol every evening.',
    'I take 40 mg propranolol every evening',
    'Does propranolol stop a migraine?',
  ],
  [
    'duration',
    ['migraine'],
    'The user has had migraine for six months.',
    'these attacks since six months',
    'Why has my migraine gone on for six months?',
  ],
  [
    'allergy',
    ['breakfast'],
    'The user is allergic to hazelnuts.',
    'I am allergic to hazelnuts',
    'Which breakfast suits someone with a hazelnut allergy?',
  ],
  ['trigger', ['rash', 'arm'], 'The rash came after gardening.', 'got this after gardening', 'What is the rash on my arm from gardening?'],
  ['age', ['fever'], 'The user’s son is 4 years old.', 'my boy is 4', 'What helps a boy of 4 with fever?'],
  [
    'history',
    ['back pain'],
    'The user had spinal surgery in 2018.',
    'after my spine surgery 2018',
    'Is back pain after spinal surgery normal?',
  ],
  [
    'budget',
    ['laptop'],
    'The user can spend at most 700 euros on the laptop.',
    'no more than 700 euros',
    'Which laptop under 700 euros should I buy?',
  ],
  [
    'company',
    ['trip', 'Lisbon'],
    'The user travels with two toddlers.',
    'with our two toddlers',
    'What should I do on a trip to Lisbon with toddlers?',
  ],
  [
    'wish',
    ['garden'],
    'The user wants plants that need little watering.',
    'hardly any watering',
    'What can I grow in a garden with little watering?',
  ],
  [
    'place',
    ['speech'],
    'The speech is for a retirement party.',
    'speech at a retirement party',
    'How do I open a speech for a retirement?',
  ],
  ['dislike', ['novel'], 'The user dislikes open endings.', 'I can not stand open endings', 'Which novel has no open ending?'],
  [
    'goal',
    ['running'],
    'The user trains for a half marathon.',
    'training for a half marathon',
    'How often should I go running before a half marathon?',
  ],
  ['version', ['query'], 'The user’s server runs PostgreSQL 12.', 'we are on PostgreSQL 12', 'Why is my query slow on PostgreSQL 12?'],
  ['limit', ['list'], 'The user’s list holds at most 50 entries.', 'at most 50 entries', 'How should I search a list of 50 entries?'],
  ['order', ['search'], 'The user’s input is sorted by date.', 'sorted by date', 'How should I search a sorted input?'],
  ['symptom', ['build'], 'The user’s build fails only on Windows.', 'only fails on windows', 'Why does my build fail on Windows?'],
  [
    'identifier',
    ['parser'],
    'The user’s parser is the function `readRow`.',
    'def readRow(line)',
    'How should the parser `readRow` treat blanks?',
  ],
  [
    'synonym, which only a reader finds',
    ['medicine'],
    'The user takes a beta blocker.',
    'I am on a beta blocker',
    'May I use cardiac drugs with this medicine?',
  ],
];

test('the request-term rule finds at least 15 of 18 planted leaks, and passes the same questions without them', () => {
  const caught = planted.filter(
    ([, terms, atom, evidence, query]) => requestTermBreaches(query, terms, `${atom} ${evidence}`, 'p').length > 0,
  );
  expect(planted).toHaveLength(18);
  expect(caught.length).toBeGreaterThanOrEqual(15);
  for (const [, terms, atom, evidence] of planted)
    expect(
      requestTermBreaches(`What should I know about the ${terms.join(' and the ')} before I decide?`, terms, `${atom} ${evidence}`, 'p'),
    ).toEqual([]);
});

test('soft findings name the rule and the atom, and an exact run is one of them', () => {
  const atom = { key: 's1', text: 'The user takes Ramipril every morning.' };
  expect(leakFlags('Is the cough from the tablet?', ['cough', 'tablet'], atom)).toEqual([]);
  const rules = leakFlags('I take Ramipril every morning: why do I cough?', ['cough'], atom).map((flag) => flag.rule);
  expect(rules).toEqual(['leak_request_terms', 'leak_run', 'leak_marked', 'leak_marked_words']);
  expect(hasExactRun('I take Ramipril every morning: why?', atom.text)).toBe(true);
  expect(hasExactRun('Every morning I take my Ramipril: why?', atom.text)).toBe(false);
  expect(hasExactRun('Which TV fits?', 'The user has a TV.')).toBe(false);
  const tv = { key: 's2', text: "The user's new TV will be used mainly for films." };
  expect(leakFlags('Which TV specifications matter?', ['TV', 'specifications'], tv).map((flag) => flag.rule)).toEqual([
    'request_term_is_name',
  ]);
});

test('a rubric leaks only when the query holds nearly all of its words', () => {
  expect(
    leaksRubric('Which lighter pump with lower power should I choose for my well?', 'Chooses a lighter pump of lower power for the well.'),
  ).toBe(true);
  expect(leaksRubric('Which pump should I choose?', 'Chooses a lighter pump of lower power for the well.')).toBe(false);
});

test('contained and equal atoms are found, neighbours are not', () => {
  expect(overlappingPairs(['The user has a cat.', 'the user has a CAT'])).toEqual([{ first: 0, second: 1, rule: 'duplicate_atom' }]);
  expect(
    overlappingPairs([
      'The user switched to the ReLU function.',
      'The user tested large networks.',
      'The user tested large networks after the switch to the ReLU function.',
    ]),
  ).toEqual([
    { first: 0, second: 2, rule: 'contained_atom' },
    { first: 1, second: 2, rule: 'contained_atom' },
  ]);
  expect(isContained('The user is vegetarian.', "The user's vegetarian sister cooks on Sundays.")).toBe(false);
  expect(isContained('The user takes Ramipril.', 'The user has taken the blood pressure tablet for seven weeks.')).toBe(false);
});

test.each([
  ['The user is a 52-year-old woman.', 'The user is a teacher.', [], false],
  ['The user’s k is at most 1000.', "The user's input array holds at most 1000 elements.", [], false],
  ['The user was diagnosed with asthma in 2015.', 'The user got an asthma diagnosis, diagnosed in 2015.', [], true],
  ['The user has a fever of 39.1 C since yesterday.', 'What can I give for the fever?', ['fever'], false],
  ['The user is vegetarian.', 'The user is vegetarian.', [], true],
  ['The user is vegetarian.', 'The vegetarian sister of the user runs a bakery.', [], false],
  ['The user wants a treatment.', 'Which treatment helps?', ['treatment'], false],
])('a dropped fact "%s" in "%s"', (dropped, text, terms, back) => {
  expect(bringsBack(dropped, text, terms)).toBe(back);
});

test.each([
  ['How would your answer change if the TV were used for games?'],
  ['What else can I do besides your previous suggestions?'],
  ['What does the code above print when it runs?'],
  ['And what about the second one then?'],
  ['Why so?'],
])('a query that leans on another text is found: %s', (query) => {
  expect(whyNotSelfContained(query)).not.toBeNull();
});

test.each([
  ['Which TV specifications should I pay attention to?'],
  ['What should I go and see in London?'],
  ['How do I keep memory use low when one block is large?'],
  ['Why is the water level above the mark in my boiler?'],
  ['Also known as ringworm, how is tinea treated? Please explain.'],
])('a query that stands alone passes: %s', (query) => {
  expect(whyNotSelfContained(query)).toBeNull();
});
