import type { JudgeReply } from '../../schemas/judging.ts';
import type { JudgePayload } from '../../schemas/payloads.ts';
import { contentStems } from '../../stages/text/words.ts';
import type { Draw } from './draw.ts';
import type { Problem } from './problems.ts';
import { placesIn } from './problems.ts';
import { splitSentences } from './text/sentences.ts';

type Judgment = JudgeReply['atom_judgments'][number];

/** Shares of an atom's content words in the response from which it counts as bounded and as controlling. */
const BOUNDED = 0.35;
const CONTROLLING = 0.75;

const QUOTED_CHARACTERS = 160;

/** The sentence of the response that has most of the wanted stems, cut at a word; empty when none has any. */
function quoteOf(response: string, wanted: ReadonlySet<string>): string {
  const hits = (text: string): number => new Set(contentStems(text).filter((item) => wanted.has(item))).size;
  const best = splitSentences(response)
    .map(({ text }) => ({ text, score: hits(text) }))
    .sort((a, b) => b.score - a.score)[0];
  if (best === undefined || best.score === 0) return '';
  const text = best.text.trim();
  return text.length <= QUOTED_CHARACTERS ? text : text.slice(0, QUOTED_CHARACTERS).replace(/\s+\S*$/, '');
}

function judgmentOf(atom: JudgePayload['atomic_rubrics'][number], payload: JudgePayload): Judgment {
  const asked = new Set(contentStems(payload.current_query));
  const own = new Set(contentStems(atom.text).filter((item) => !asked.has(item)));
  const present = new Set(contentStems(payload.model_response));
  const found = [...own].filter((item) => present.has(item));
  const share = own.size === 0 ? 0 : found.length / own.size;
  const level = share >= CONTROLLING ? 'C' : share >= BOUNDED ? 'B' : 'A';
  const quote = level === 'A' ? '' : quoteOf(payload.model_response, new Set(found));
  const reason = `${found.length} of the ${own.size} content words of the atom that the query does not hold stand in the response`;
  return { atom_id: atom.atom_id, u_star: atom.u_star, predicted_usage_level: level, evidence_quote: quote, reason };
}

/** A level for every atom by the share of its own words that the response repeats: a rehearsal, no judgment. */
export function answerJudge(payload: JudgePayload): JudgeReply {
  return { atom_judgments: payload.atomic_rubrics.map((atom) => judgmentOf(atom, payload)) };
}

const spoilFirst = (reply: JudgeReply, change: Partial<Judgment>): JudgeReply => ({
  atom_judgments: reply.atom_judgments.map((judgment, at) => (at === 0 ? { ...judgment, ...change } : judgment)),
});

/** One fault of a judge, within the shape of its reply. */
export function spoilJudge(name: string, reply: JudgeReply, _payload: JudgePayload, draw: Draw): JudgeReply {
  if (name === 'missing_atom') return { atom_judgments: reply.atom_judgments.slice(0, -1) };
  if (name === 'judged_twice') return { atom_judgments: [...reply.atom_judgments, ...reply.atom_judgments.slice(0, 1)] };
  if (name === 'other_ideal') return spoilFirst(reply, { u_star: reply.atom_judgments[0]?.u_star === 'B' ? 'C' : 'B' });
  if (name === 'no_reason') return spoilFirst(reply, { reason: '' });
  return spoilFirst(reply, { predicted_usage_level: 'B', evidence_quote: `as was said, ${draw.uniform('quote').toFixed(6)} in all` });
}

/** Judgments whose quote does not stand fall back to A without one; whatever else was named comes whole the second time. */
export function amendJudge(problems: readonly Problem[], reply: JudgeReply): JudgeReply {
  const named = new Set(
    placesIn(
      problems.filter(({ rule }) => rule === 'J8'),
      'atom_judgments',
    ),
  );
  return {
    atom_judgments: reply.atom_judgments.map((judgment, at) =>
      named.has(at) ? { ...judgment, predicted_usage_level: 'A', evidence_quote: '' } : judgment,
    ),
  };
}
