import { canonicalJson } from '../../schemas/hash.ts';
import type { Draw } from './draw.ts';
import { drawForText } from './draw.ts';
import { imperfectionAt } from './imperfections.ts';
import type { Imperfection } from './imperfections.ts';
import { readProblems } from './problems.ts';
import { STEP_ANSWERS } from './steps.ts';
import type { RehearsedTask } from './tasks.ts';

/** What tells samples of one request apart. `varies` is false when nothing does: then "cannot tell" would come back for ever and is left out. */
export interface Sample {
  readonly parts: readonly unknown[];
  readonly varies: boolean;
}

/** What a conversation asks of the rehearsal model: a step's payload, and on a repair turn its earlier reply and the problems named. */
export interface Asked {
  readonly task: RehearsedTask;
  readonly payload: unknown;
  readonly repair: { readonly reply: string; readonly problems: string } | null;
}

/** A reply object with what was done to it. */
export interface RehearsedReply {
  readonly reply: unknown;
  readonly imperfection: Imperfection | null;
  readonly turn: 'first' | 'mended' | 'stubborn' | 'amended' | 'repeated';
}

/** JSON of an earlier reply, tolerant of a fence or thoughts around it; undefined when there is none. */
function readReply(content: string): unknown {
  const bare = content.replace(/<think>[\s\S]*?<\/think>/g, '').replace(/^\s*```(?:json)?\s*|\s*```\s*$/g, '');
  try {
    return JSON.parse(bare) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The reply to a request, from the request alone. `sample` (model and seed) decides imperfections, not the best answer. A repair turn that quotes some other reply (a fault on the wire) gets the first reply,
 * so that whatever went wrong between, an accepted reply has the same bytes.
 */
export function rehearse(asked: Asked, seed: string, sample: Sample): RehearsedReply {
  const step = STEP_ANSWERS[asked.task];
  const payloadText = canonicalJson(asked.payload);
  const draw: Draw = drawForText(seed, payloadText);
  const luck: Draw = drawForText(seed, `[${payloadText},${canonicalJson(sample.parts)}]`);
  const best = step.answer(asked.payload, draw);
  const drawn = imperfectionAt(asked.task, luck.uniform('imperfection'));
  const imperfection = drawn?.name === 'cannot_tell' && !sample.varies ? null : drawn;
  const first = imperfection === null ? best : step.spoil(imperfection.name, best, asked.payload, luck);
  if (asked.repair === null) return { reply: first, imperfection, turn: 'first' };
  const criticised = readReply(asked.repair.reply);
  const problems = readProblems(asked.repair.problems) ?? [];
  // A key given twice reads like the first reply once parsed, but was spoiled on the wire all the same.
  const spoiled = problems.some(({ rule }) => rule === 'duplicate_key');
  if (spoiled || criticised === undefined || canonicalJson(criticised) !== canonicalJson(first))
    return { reply: first, imperfection, turn: 'repeated' };
  if (imperfection === null) return { reply: step.amend(problems, best, asked.payload, draw), imperfection, turn: 'amended' };
  if (luck.uniform('mended') < imperfection.mended) return { reply: best, imperfection, turn: 'mended' };
  return { reply: first, imperfection, turn: 'stubborn' };
}
