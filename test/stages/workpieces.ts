import type { AuxiliaryPayload, HardDistractorPayload, NaturalizePayload, RubricsPayload } from '../../schemas/payloads.ts';
import type { BlockPlan, SourceAtom, Workpiece } from '../../schemas/workpiece.ts';
import type { PartReply, PartRequest, StepDefinition, StepVerdict } from '../../stages/step.ts';

const sourceAtom = (n: number, passage: number, text: string, level: 'A' | 'B' | 'C'): SourceAtom => ({
  key: `s${n}`,
  passage,
  text,
  evidence: [{ field: 'question', speaker: 'user', quote: 'x', start: 0, end: 1 }],
  level,
  action: level === 'A' ? 'ignore' : 'apply',
  kind: 'case_fact',
  reason: 'r',
  without: 'general advice',
  with: 'advice for the terrace',
});

/** A workpiece as it stands after `atomize`, written for these tests. */
export const afterAtomize: Workpiece = {
  seed: 'steps-test',
  candidate: {
    id: '00000000000000aa',
    domain: 'general',
    position: 0,
    stratum: 's',
    row: {
      source: 'demo',
      sourceDataset: 'demo/rows',
      sourceId: 'demo:train:1',
      sourceRevision: 'local',
      sourceLicense: 'CC0-1.0',
      attribution: 'nobody',
      groupKey: 'demo:1',
      domain: 'general',
      question: 'My tomatoes stand on a terrace facing south. How do I water them?',
      context: [],
      answer: 'Water in the morning.',
      origin: { file: 'rows.jsonl', row: 1 },
      metadata: {},
    },
    measures: { qualityScore: 80, topic: 't', complexity: 'simple', signalFamilies: [] },
  },
  derive: {
    query: 'How often should I water my tomatoes?',
    requestTerms: ['water', 'tomatoes'],
    passages: [],
    dropped: [{ text: 'The user has seven grey rabbits.', reason: 'r' }],
  },
  atomize: {
    atoms: [
      sourceAtom(1, 1, 'The user grows them on a terrace that faces south.', 'C'),
      sourceAtom(2, 1, 'The pots of the user hold 12 litres of soil.', 'B'),
    ],
    dropped: [],
  },
};

/** The same with a block plan of one's own. */
export const withPlan = (...blocks: readonly (readonly string[])[]): Workpiece => ({ ...afterAtomize, plan: planFrom(blocks) });

function planFrom(blocks: readonly (readonly string[])[]): BlockPlan {
  return { level: 1, redraws: 0, blocks: blocks.map((seats, index) => ({ id: `b${index + 1}`, seats })) };
}

const NOUNS = 'kettle ladder violin lantern carpet saddle trumpet mirror basket anchor pillow candle hammer ribbon barrel feather'.split(
  ' ',
);
const PLACES = 'harbour attic station orchard cellar museum bakery stadium'.split(' ');

/** An honest reply to a request of the four steps, without a model: what a careful writer would send. */
export function honestReply(payload: unknown): unknown {
  const request = payload as AuxiliaryPayload | HardDistractorPayload | NaturalizePayload | RubricsPayload;
  switch (request.task) {
    case 'hard-distractor':
      return {
        atom: {
          text: 'In the office the user empties every half-full glass into the fern.',
          kind: 'profile_fact',
          tempting_sentence: 'Give the tomatoes what is left in glasses.',
          anchor: { where: 'query', quote: 'my tomatoes' },
          why_not_applicable: 'the habit is about the fern',
          legitimate_use: 'none',
          gives_away: 'none',
        },
        cannot: null,
      };
    case 'auxiliary-distractors':
      return {
        atoms: request.blocks.flatMap(({ slots }) =>
          slots.map(({ slot, words }) => ({ slot, text: auxiliaryText(Number(slot.slice(1)), words), gives_away: 'none' })),
        ),
      };
    case 'rubrics':
      return honestRubrics(request);
    case 'naturalize':
      return { memory_text: request.atoms.map(({ text }) => text).join(' ') };
  }
}

function auxiliaryText(n: number, words: number): string {
  const noun = NOUNS[n % NOUNS.length] ?? '';
  const place = PLACES[Math.floor(n / NOUNS.length) % PLACES.length] ?? '';
  const tail = Array.from({ length: Math.max(0, words - 7) }, () => 'very').join(' ');
  return `A cousin likes the ${tail} ${noun}${place} of the ${place}${noun}.`.replace('  ', ' ');
}

const bare = (text: string): string => text.replace(/\.$/, '');

function honestRubrics(request: RubricsPayload): unknown {
  const own = request.atoms.filter(({ atom }) => request.write_for.includes(atom));
  return {
    used_atoms: own
      .filter(({ level }) => level !== 'A')
      .map(({ atom, text }) => ({
        atom,
        expected_answer_behavior: `Plans with this: ${text}`,
        correct_use: 'Fits the advice to it.',
        under_use: 'Leaves it out.',
        over_use: 'Speaks of nothing else.',
        forbidden_memory_role: 'No other conclusion.',
        validity_scope: 'The amount.',
        observable_checks: { A: `A: nothing of ${bare(text)}`, B: 'one remark', C: 'the plan follows from it' },
      })),
    ignored_atoms: own
      .filter(({ level }) => level === 'A')
      .map(({ atom, text }) => ({ atom, topic: bare(text), over_use: 'mention of it', harmless: 'none' })),
  };
}

/** Replies to requests, by part id; `change` may spoil the reply of a part. */
export function replies(
  requests: readonly PartRequest[],
  options: { readonly repaired?: boolean; readonly change?: (reply: never, partId: string) => unknown } = {},
): ReadonlyMap<string, PartReply<unknown>> {
  const { repaired = false, change } = options;
  return new Map(
    requests.map(({ partId, payload }) => {
      const honest = honestReply(payload) as never;
      return [partId, { reply: change === undefined ? honest : change(honest, partId), repaired }];
    }),
  );
}

/** What a step decides on a workpiece when its requests are answered honestly, but for `change`. */
export function decide(step: StepDefinition, workpiece: Workpiece, options: Parameters<typeof replies>[1] = {}): StepVerdict<unknown> {
  const input = step.input(workpiece);
  const answered = new Map(
    [...replies(step.requests(input), options)].map(([partId, part]) => [partId, { ...part, reply: step.replySchema.parse(part.reply) }]),
  );
  return step.accept(input, answered);
}

/** Runs steps one after the other on honest replies; throws when one is not accepted. */
export function run(workpiece: Workpiece, ...steps: readonly StepDefinition[]): Workpiece {
  return steps.reduce((piece, step) => {
    const verdict = decide(step, piece);
    if (verdict.kind !== 'accepted') throw new Error(`${step.id} was not accepted: ${JSON.stringify(verdict)}`);
    return step.apply(piece, verdict.output);
  }, workpiece);
}
