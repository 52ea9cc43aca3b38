import { z } from 'zod';
import { STEPS, STEPS_OF_STAGE } from '../../../schemas/steps.ts';
import type { StepId } from '../../../schemas/steps.ts';
import { STEP_DEFINITIONS } from '../../../stages/catalog.ts';
import { SAY_OTHERWISE } from './reply-server.ts';
import type { State } from './world.ts';
import { spareRows } from './world.ts';

/** One edit: what a person changes, and which steps may be decided anew for it (null: whatever the oracle says). */
export interface Edit {
  readonly name: string;
  readonly edit: (state: State) => void;
  /** Another edit that was built in between; the state above follows it. */
  readonly before?: (state: State) => void;
  /** Steps that are decided anew, exactly. */
  readonly steps: readonly StepId[] | null;
  /** True when it must not ask anything. */
  readonly free?: boolean;
  /** Code changed while the edit holds; returns how to change it back. */
  readonly code?: () => () => void;
}

function prompt(step: StepId, change: (text: string) => string): (state: State) => void {
  return (state) => {
    const name = `${step}.md`;
    state.prompts[name] = change(state.prompts[name] ?? '');
  };
}

const append = (line: string): ((text: string) => string) => {
  return (text) => `${text.trimEnd()}\n${line}\n`;
};

/** An edited prompt whose replies come out the same: its own step runs, nothing after it. */
const harmless = STEPS.map((step): Edit => ({
  name: `prompt of ${step}, same replies`,
  edit: prompt(step, append('Take your time.')),
  steps: [step],
}));

/** An edited prompt whose replies change: the steps that read what changed follow. */
const telling: readonly Edit[] = STEPS.map((step): Edit => ({
  name: `prompt of ${step}, other replies`,
  edit: prompt(step, append(SAY_OTHERWISE)),
  steps: step === 'screen' ? ['screen'] : null,
}));

/** Takes a step out of the catalog; returns how to put it back. */
export function withoutStep(step: StepId): () => void {
  const lists = [STEPS, ...Object.values(STEPS_OF_STAGE)] as unknown as StepId[][];
  const taken = lists.flatMap((list) => {
    const at = list.indexOf(step);
    if (at >= 0) list.splice(at, 1);
    return at >= 0 ? [{ list, at }] : [];
  });
  return () => {
    for (const { list, at } of taken) list.splice(at, 0, step);
  };
}

function setCode(step: StepId, key: 'checkNumber' | 'replySchema', value: unknown): () => () => void {
  const definition = STEP_DEFINITIONS[step] as unknown as Record<typeof key, unknown>;
  return () => {
    const before = definition[key];
    definition[key] = value;
    return () => {
      definition[key] = before;
    };
  };
}

/** The same schema with a shorter list: another contract is sent, the same replies satisfy it. */
function narrowed(): z.ZodType {
  const schema = STEP_DEFINITIONS.derive.replySchema as z.ZodObject;
  return schema.extend({ request_terms: z.array(z.string().max(80)).max(5) });
}

const nothing = (): void => undefined;
const free = true;

/** The table of edits. */
export const EDITS: readonly Edit[] = [
  ...harmless,
  ...telling,
  { name: 'nothing at all', edit: nothing, steps: [], free },
  { name: 'comment in a prompt', edit: prompt('derive', append('<!-- a note to myself -->')), steps: [], free },
  {
    name: 'trailing blanks',
    edit: prompt('derive', (text) => text.replaceAll('\n', '  \n').replace('---  \n', '---\n').replace('---  \n', '---\n')),
    steps: [],
    free,
  },
  { name: 'Windows line ends', edit: prompt('screen', (text) => text.replaceAll('\n', '\r\n')), steps: [], free },
  {
    name: 'token cap in front matter',
    edit: prompt('derive', (text) => text.replace(/maxTokens: \d+/, 'maxTokens: 3999')),
    steps: [],
    free,
  },
  {
    name: 'prompt file renamed',
    edit: (state) => {
      state.prompts['a-better-name.md'] = state.prompts['derive.md'] ?? '';
      delete state.prompts['derive.md'];
    },
    steps: [],
    free,
  },
  { name: 'model of the builder', edit: (state) => void (state.builder = { ...state.builder, model: 'rehearsal-2' }), steps: null },
  { name: 'model of reviewer A', edit: (state) => void (state.reviewerA = { ...state.reviewerA, model: 'rehearsal-c' }), steps: null },
  { name: 'temperature', edit: (state) => void (state.builder = { ...state.builder, temperature: 0.5 }), steps: STEPS.slice(0, 7) },
  { name: 'topP', edit: (state) => void (state.builder = { ...state.builder, topP: 0.9 }), steps: STEPS.slice(0, 7) },
  { name: 'seed of the model', edit: (state) => void (state.builder = { ...state.builder, seed: 7 }), steps: null },
  {
    name: 'vendor field',
    edit: (state) => void (state.builder = { ...state.builder, extra: { enable_thinking: false } }),
    steps: STEPS.slice(0, 7),
  },
  {
    name: 'reviewer temperature',
    edit: (state) => void (state.reviewerA = { ...state.reviewerA, temperature: 0.5 }),
    steps: ['review-fidelity', 'review-calibration'],
  },
  {
    name: 'structured output',
    edit: (state) => void (state.provider = { ...state.provider, structuredOutput: 'json_object' }),
    steps: [...STEPS],
  },
  { name: 'schema bounds', edit: (state) => void (state.provider = { ...state.provider, schemaBounds: 'keep' }), steps: [...STEPS] },
  { name: 'token factor', edit: (state) => void (state.builder = { ...state.builder, maxTokensFactor: 2 }), steps: [], free },
  { name: 'concurrency', edit: (state) => void (state.provider = { ...state.provider, concurrency: 3 }), steps: [], free },
  { name: 'timeout', edit: (state) => void (state.provider = { ...state.provider, timeoutSeconds: 15 }), steps: [], free },
  {
    name: 'requests per minute',
    edit: (state) => void (state.provider = { ...state.provider, requestsPerMinute: 100_000 }),
    steps: [],
    free,
  },
  {
    name: 'price',
    edit: (state) => void (state.config.prices = { rehearsal: { inputPerMillionUsd: 1, outputPerMillionUsd: 2 } }),
    steps: [],
    free,
  },
  { name: 'budget', edit: (state) => void (state.config.budget = { perRunUsd: 100 }), steps: [], free },
  { name: 'window and chunk size', edit: (state) => void (state.config.construction = { chunkSize: 3, window: 1 }), steps: [], free },
  { name: 'name', edit: (state) => void (state.config.name = 'other'), steps: [], free },
  { name: 'share of the test split', edit: (state) => void (state.config.testShare = 0.3), steps: [], free },
  { name: 'source file renamed', edit: (state) => void (state.rowFile = 'renamed.jsonl'), steps: [], free },
  { name: 'rows in another order', edit: (state) => void state.rows.reverse(), steps: null },
  { name: 'licence', edit: (state) => void (state.source = { licence: 'CC-BY-4.0' }), steps: [], free },
  { name: 'attribution', edit: (state) => void (state.source = { ...state.source, attribution: 'the authors' }), steps: [], free },
  { name: 'revision', edit: (state) => void (state.source = { ...state.source, revision: 'v2' }), steps: [], free },
  { name: 'row added', edit: (state) => void state.rows.push(...spareRows().slice(0, 1)), steps: null },
  { name: 'two rows added', edit: (state) => void state.rows.push(...spareRows()), steps: null },
  {
    name: 'row changed',
    edit: (state) => {
      const [first] = state.rows;
      if (first !== undefined) first['doctor_response'] = `${String(first['doctor_response'])} Please come back if it gets worse.`;
    },
    steps: null,
  },
  { name: 'row withdrawn', edit: (state) => void state.rows.splice(0, 1), steps: null },
  { name: 'quota up', edit: (state) => void (state.config.target = { health: 6, general: 0, coding: 0 }), steps: null },
  { name: 'quota down', edit: (state) => void (state.config.target = { health: 2, general: 0, coding: 0 }), steps: [], free },
  { name: 'seed of the project', edit: (state) => void (state.config.seed = 'staleness-2'), steps: null },
  { name: 'near-duplicate threshold', edit: (state) => void (state.config.screening = { nearDuplicateJaccard: 0.85 }), steps: [], free },
  { name: 'least quality score', edit: (state) => void (state.config.screening = { minQualityScore: 62 }), steps: null },
  { name: 'check number of derive', edit: nothing, code: setCode('derive', 'checkNumber', 99), steps: ['derive'], free },
  { name: 'check number of naturalize', edit: nothing, code: setCode('naturalize', 'checkNumber', 99), steps: ['naturalize'], free },
  { name: 'reply schema of derive', edit: nothing, code: setCode('derive', 'replySchema', narrowed()), steps: ['derive'] },
  {
    name: 'prompt edited, built and put back',
    before: prompt('derive', append(SAY_OTHERWISE)),
    edit: nothing,
    steps: [],
    free,
  },
  {
    name: 'model changed, built and put back',
    before: (state) => void (state.reviewerA = { ...state.reviewerA, model: 'rehearsal-c' }),
    edit: nothing,
    steps: [],
    free,
  },
  {
    name: 'row changed, built and put back',
    before: (state) => {
      const [first] = state.rows;
      if (first !== undefined) first['doctor_response'] = `${String(first['doctor_response'])} Please come back if it gets worse.`;
    },
    edit: nothing,
    steps: [],
    free,
  },
  {
    name: 'quota raised, built and put back',
    before: (state) => void (state.config.target = { health: 6, general: 0, coding: 0 }),
    edit: nothing,
    steps: [],
    free,
  },
  {
    name: 'two prompts at once',
    edit: (state) => {
      prompt('hard-distractor', append('Take your time.'))(state);
      prompt('review-fidelity', append('Take your time.'))(state);
    },
    steps: ['hard-distractor', 'review-fidelity'],
  },
];
