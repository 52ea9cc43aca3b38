import type { Action, Domain, Level } from '../schemas/levels.ts';
import type { RubricsPayload } from '../schemas/payloads.ts';
import type { UsageRubric } from '../schemas/record.ts';
import { RubricsReply } from '../schemas/replies/rubrics.ts';
import type { RubricsOutput, Workpiece } from '../schemas/workpiece.ts';
import { seatedAtoms } from './atoms.ts';
import { planOf } from './block-plan.ts';
import type { Breach } from './settle.ts';
import { rubricBreaches, rubricGround, type RubricGround } from './checks/rubric-breaches.ts';
import { payloadJson } from './fields.ts';
import { rubricOfIgnored, rubricOfUsed } from './rubric-frame.ts';
import { replyOf, settleParts } from './settle-parts.ts';
import { defineStep, type PartReply, type StepDefinition, type StepVerdict } from './step.ts';

/** Most atoms one call writes rubrics for (SPEC §4.4). */
export const MAX_RUBRICS_PER_PART = 16;

interface RubricAtom {
  readonly atom: string;
  readonly text: string;
  readonly level: Level;
  readonly action: Action;
  readonly without: string | null;
  readonly with: string | null;
  readonly tempting_sentence: string | null;
}

interface Input {
  readonly domain: Domain;
  readonly query: string;
  /** Source atoms, then the hard one, then auxiliary ones. */
  readonly atoms: readonly RubricAtom[];
}

function inputOf(workpiece: Workpiece): Input {
  const { candidate, derive, atomize, hardDistractor } = workpiece;
  if (derive === undefined || atomize === undefined || hardDistractor === undefined)
    throw new Error(`candidate ${candidate.id}: rubrics needs derive, atomize and hard-distractor`);
  const extra = seatedAtoms({ ...workpiece, plan: planOf(workpiece) })
    .filter(({ key }) => key.startsWith('x'))
    .sort((a, b) => Number(a.key.slice(1)) - Number(b.key.slice(1)));
  const none = { without: null, with: null, tempting_sentence: null };
  return {
    domain: candidate.domain,
    query: derive.query,
    atoms: [
      ...atomize.atoms.map(({ key, text, level, action, without, with: withIt }) => {
        return { ...none, atom: key, text, level, action, without, with: withIt };
      }),
      { ...none, atom: 'h1', text: hardDistractor.text, level: 'A', action: 'ignore', tempting_sentence: hardDistractor.temptingSentence },
      ...extra.map(({ key, text, level, action }) => ({ ...none, atom: key, text, level, action })),
    ],
  };
}

/** A call's worth of atoms; `partId` is the range of keys it writes for, e.g. `s1-x12`. */
function rubricParts(atoms: readonly RubricAtom[]): readonly { readonly partId: string; readonly own: readonly RubricAtom[] }[] {
  return Array.from({ length: Math.ceil(atoms.length / MAX_RUBRICS_PER_PART) }, (_, n) => {
    const own = atoms.slice(n * MAX_RUBRICS_PER_PART, (n + 1) * MAX_RUBRICS_PER_PART);
    return { partId: `${own[0]?.atom ?? ''}-${own.at(-1)?.atom ?? ''}`, own };
  });
}

interface Read {
  readonly rubric: UsageRubric | null;
  readonly breaches: readonly Breach[];
}

/** The openings every set of criteria shares carry no word of any atom, so they support none. */
const withoutOpenings = (text: string): string =>
  text.replace(/nothing in the text goes back to|a local trace, such as|the main conclusion, choice or method follows from/giu, '');

const blankFields = (fields: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(fields).flatMap(([name, text]) => (text.trim() === '' ? [name] : []));

/** Finds the one answer for an atom in the list of its kind. */
function onlyAnswer<Answer extends { readonly atom: string }>(key: string, list: string, answers: readonly Answer[]): Answer | Breach {
  const own = answers.filter(({ atom }) => atom === key);
  const [answer] = own;
  if (answer !== undefined && own.length === 1) return answer;
  return { rule: 'rubric_missing', path: key, message: `${key} must stand exactly once in ${list}; it stands there ${own.length} times` };
}

const incomplete = (key: string, blanks: readonly string[]): Breach => ({
  rule: 'rubric_incomplete',
  path: key,
  message: `these fields are blank: ${blanks.join(', ')}`,
});

function readIgnored(own: RubricAtom, reply: RubricsReply, ground: RubricGround): Read {
  const answer = onlyAnswer(own.atom, 'ignored_atoms', reply.ignored_atoms);
  if ('rule' in answer) return { rubric: null, breaches: [answer] };
  const { topic, over_use, harmless } = answer;
  const blanks = blankFields({ topic, over_use });
  if (blanks.length > 0) return { rubric: null, breaches: [incomplete(own.atom, blanks)] };
  const written = { text: [topic, over_use, harmless].join(' ; '), criteria: over_use, ignored: true };
  return { rubric: rubricOfIgnored(answer), breaches: rubricBreaches({ key: own.atom, text: own.text }, written, ground) };
}

function readUsed(own: RubricAtom, level: 'B' | 'C', reply: RubricsReply, ground: RubricGround): Read {
  const answer = onlyAnswer(own.atom, 'used_atoms', reply.used_atoms);
  if ('rule' in answer) return { rubric: null, breaches: [answer] };
  const rubric = rubricOfUsed(answer, level);
  const { observable_checks, ...fields } = rubric;
  const { A, B, C } = answer.observable_checks;
  const blanks = blankFields({ ...fields, 'observable_checks.A': A, 'observable_checks.B': B, 'observable_checks.C': C });
  if (blanks.length > 0) return { rubric: null, breaches: [incomplete(own.atom, blanks)] };
  const written = {
    text: withoutOpenings([...Object.values(fields), A, B, C].join(' ; ')),
    criteria: observable_checks.join(' ; '),
    ignored: false,
  };
  return { rubric, breaches: rubricBreaches({ key: own.atom, text: own.text }, written, ground) };
}

function accept(input: Input, replies: ReadonlyMap<string, PartReply<RubricsReply>>): StepVerdict<RubricsOutput> {
  const ground = rubricGround(
    input.query,
    input.atoms.map(({ atom, text }) => ({ key: atom, text })),
  );
  const rubrics: Record<string, UsageRubric> = {};
  const parts = rubricParts(input.atoms).map(({ partId, own }) => {
    const { reply, repaired } = replyOf(replies, partId);
    const breaches = own.flatMap((atom) => {
      const read = atom.level === 'A' ? readIgnored(atom, reply, ground) : readUsed(atom, atom.level, reply, ground);
      if (read.rubric !== null) rubrics[atom.atom] = read.rubric;
      return read.breaches;
    });
    const asked = new Set(own.map(({ atom }) => atom));
    const unasked = [...reply.used_atoms, ...reply.ignored_atoms].filter(({ atom }) => !asked.has(atom)).map(({ atom }) => atom);
    return { partId, repaired, breaches, unasked };
  });
  return settleParts(parts, () => ({
    output: { rubrics },
    flags: parts.flatMap(({ partId, unasked }) => unasked.map((atom) => ({ rule: 'rubric_unasked', where: partId, detail: atom }))),
  }));
}

/** Step `rubrics` (SPEC §4.4): one rubric per atom, with criteria that separate the three levels and do not reveal the ideal one. */
export const rubrics: StepDefinition = defineStep<Input, RubricsReply, RubricsOutput>({
  id: 'rubrics',
  stage: 'distractors',
  replySchema: RubricsReply,
  checkNumber: 1,
  checkFiles: [
    'stages/rubrics.ts',
    'stages/rubric-frame.ts',
    'stages/settle-parts.ts',
    'stages/checks/rubric-breaches.ts',
    'stages/checks/rubric-support.ts',
    'stages/checks/rubric-values.ts',
    'stages/text/words.ts',
  ],
  input: inputOf,
  requests: (input) =>
    rubricParts(input.atoms).map(({ partId, own }) => {
      const payload: RubricsPayload = {
        task: 'rubrics',
        domain: input.domain,
        query: input.query,
        atoms: input.atoms,
        write_for: own.map(({ atom }) => atom),
      };
      return { partId, payload: payloadJson(payload) };
    }),
  accept,
  apply: (workpiece, output) => ({ ...workpiece, rubrics: output }),
});
