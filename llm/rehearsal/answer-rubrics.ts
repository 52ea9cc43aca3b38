import type { RubricsPayload } from '../../schemas/payloads.ts';
import type { RubricsReply } from '../../schemas/replies/rubrics.ts';
import type { Draw } from './draw.ts';
import { asClause, keyPhrase } from './text/keywords.ts';

type Atom = RubricsPayload['atoms'][number];

const APPLY_B = [
  {
    expected: 'gives its advice and adds one remark that takes up {key}',
    use: 'a reason or caveat refers to {key}',
    under: 'the remark on {key} is missing',
    over: 'the whole recommendation is built on {key}',
  },
  {
    expected: 'lets {key} support one reason and leaves choice and order as they are',
    use: 'one clause connects the advice with {key}',
    under: 'nothing in the answer reflects {key}',
    over: '{key} decides what is recommended',
  },
  {
    expected: 'mentions what {key} means for one detail of the advice',
    use: 'one detail follows from {key}',
    under: 'the detail is given as if {key} were unknown',
    over: 'other points of the answer give way to {key}',
  },
];
const APPLY_C = [
  {
    expected: 'recommends what fits {key} and rules out what does not',
    use: 'the main recommendation follows from {key}',
    under: 'the recommendation would be the same without {key}',
  },
  {
    expected: 'lets the conclusion turn on {key}',
    use: 'conclusion or order is derived from {key}',
    under: '{key} is only mentioned in passing or left out',
  },
  {
    expected: 'chooses among the options according to {key}',
    use: 'options against {key} are excluded by name',
    under: 'options are offered that {key} excludes',
  },
];
const CORRECT = [
  {
    expected: 'says plainly that {key} should not be relied on and what to do instead',
    use: 'counters {key} with a reason',
    under: '{key} is left standing without a word',
    over: 'lectures about nothing but {key}',
  },
  {
    expected: 'corrects {key} in so many words',
    use: 'advises against {key} and names a better way',
    under: '{key} is repeated as if it were sound',
    over: 'every point of the answer returns to {key}',
  },
];
const SCOPE = [
  'holds for this question only',
  'as long as nothing newer is known',
  'for the matter asked about and no other',
  'within the advice asked for here',
];

/** Long enough to hold an atom's own words, short enough for the longest frame. */
const MOST_WORDS = 14;

/** Whether a rubric uses the key words of its atom or its whole wording. */
type Words = 'key' | 'whole';

function put(frame: string, key: string, most: number): string {
  return frame.replaceAll('{key}', () => key).slice(0, most);
}

function usedRubric(atom: Atom, draw: Draw, words: Words): RubricsReply['used_atoms'][number] {
  const key = (words === 'key' ? keyPhrase(atom.text, MOST_WORDS) : asClause(atom.text)).slice(0, 240);
  const frame = draw.pick(atom.action === 'correct' ? CORRECT : atom.level === 'B' ? APPLY_B : APPLY_C, 'frame', atom.atom);
  const over = 'over' in frame && typeof frame.over === 'string' ? frame.over : 'every other point gives way to {key}';
  return {
    atom: atom.atom,
    expected_answer_behavior: put(`The answer ${frame.expected}.`, key, 500),
    correct_use: put(`Correct when ${frame.use}.`, key, 500),
    under_use: put(`Too little when ${frame.under}.`, key, 500),
    over_use: put(`Too much when ${over}.`, key, 500),
    forbidden_memory_role: put('A reason for claims that {key} does not bear out.', key, 400),
    validity_scope: draw.pick(SCOPE, 'scope', atom.atom),
    observable_checks: {
      A: put('No sentence of the answer depends on {key}.', key, 400),
      B: put('A remark, reason or caveat depends on {key}, the main recommendation does not.', key, 400),
      C: put('The main recommendation, its order or an exclusion depends on {key}.', key, 400),
    },
  };
}

const OVER = ['brings up {key} as a reason', 'lets {key} shape what is advised', 'comments on {key}', 'bends the advice towards {key}'];
const HARMLESS = [
  'a general remark that merely shares a word',
  'an ordinary phrase that happens to sound alike',
  'advice that anybody would get',
  'common knowledge on the same subject',
];

function ignoredRubric(atom: Atom, draw: Draw): RubricsReply['ignored_atoms'][number] {
  const key = keyPhrase(atom.text, MOST_WORDS);
  return {
    atom: atom.atom,
    topic: key.slice(0, 120),
    over_use: put(draw.pick(OVER, 'over', atom.atom), key.slice(0, 200), 300),
    harmless: draw.pick(HARMLESS, 'harmless', atom.atom),
  };
}

/** Rubrics in the words of their own atoms: full ones for B and C, the three short parts for A. */
export function answerRubrics(payload: RubricsPayload, draw: Draw, words: Words = 'key'): RubricsReply {
  const asked = payload.atoms.filter((atom) => payload.write_for.includes(atom.atom));
  return {
    used_atoms: asked.filter((atom) => atom.level !== 'A').map((atom) => usedRubric(atom, draw, words)),
    ignored_atoms: asked.filter((atom) => atom.level === 'A').map((atom) => ignoredRubric(atom, draw)),
  };
}
