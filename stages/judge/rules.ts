import type { JudgeReply, RolloutLine } from '../../schemas/judging.ts';
import { resolveQuote } from '../checks/grounding.ts';

/** The rules a judge's reply must keep (SPEC §7): J1-J7 hard, J8-J10 soft. */
export const JUDGE_RULES = ['J1', 'J2', 'J3', 'J4', 'J5', 'J6', 'J7', 'J8', 'J9', 'J10'] as const;
export type JudgeRule = (typeof JUDGE_RULES)[number];

/** A broken rule: where, and what to mend. The message never says or hints which level is right. */
export interface JudgeFault {
  readonly rule: JudgeRule;
  readonly path: string;
  readonly message: string;
}

const SOFT: ReadonlySet<JudgeRule> = new Set(['J8', 'J9', 'J10']);

/** Whether a reply with this fault may still be accepted, flagged. */
export function isSoft({ rule }: JudgeFault): boolean {
  return SOFT.has(rule);
}

const CUT: ReadonlySet<string> = new Set(['duplicate_key', 'cut_or_prose_after_json', 'malformed_json']);

/** The rule that a reply breaks which could not be read as JSON of the asked shape; `rule` and `path` are the parser's. */
export function readingFault(failure: {
  readonly class: 'not_json' | 'schema_mismatch';
  readonly rule: string;
  readonly path: string;
}): JudgeFault {
  const { rule, path } = failure;
  const at = path === '' ? 'the top' : path;
  if (rule === 'empty') return { rule: 'J1', path, message: 'The reply is empty.' };
  if (failure.class === 'not_json') {
    if (CUT.has(rule)) return { rule: 'J3', path, message: `The JSON is cut, followed by text, malformed, or has a key twice (${rule}).` };
    return { rule: 'J2', path, message: `The reply must be exactly one JSON object (${rule}).` };
  }
  const wrongValue = rule.startsWith('one_of:');
  if (wrongValue && path.endsWith('.predicted_usage_level'))
    return { rule: 'J7', path, message: 'predicted_usage_level must be exactly one of the letters A, B and C.' };
  if (wrongValue && path.endsWith('.u_star')) return { rule: 'J6', path, message: 'u_star must be copied from the atom as given.' };
  return { rule: 'J4', path, message: `The shape is wrong at ${at} (${rule}).` };
}

function idFaults(reply: JudgeReply, line: RolloutLine): readonly JudgeFault[] {
  const known = new Set(line.atomic_rubrics.map((atom) => atom.atom_id));
  const seen = new Set<string>();
  const faults: JudgeFault[] = [];
  for (const [at, { atom_id: id }] of reply.atom_judgments.entries()) {
    const path = `atom_judgments.${at}.atom_id`;
    if (!known.has(id)) faults.push({ rule: 'J5', path, message: 'No atom has this id: leave the judgment out or correct the id.' });
    else if (seen.has(id)) faults.push({ rule: 'J5', path, message: `Atom ${id} is judged twice: judge it once.` });
    seen.add(id);
  }
  for (const id of known)
    if (!seen.has(id)) faults.push({ rule: 'J5', path: 'atom_judgments', message: `Atom ${id} has no judgment: add one.` });
  return faults;
}

/** Every broken rule of a reply of the right shape (J5, J6, J8-J10), in the order of its judgments. */
export function judgeFaults(reply: JudgeReply, line: RolloutLine): readonly JudgeFault[] {
  const ideals = new Map(line.atomic_rubrics.map((atom) => [atom.atom_id, atom.u_star]));
  const faults = [...idFaults(reply, line)];
  for (const [at, judgment] of reply.atom_judgments.entries()) {
    const path = `atom_judgments.${at}`;
    const ideal = ideals.get(judgment.atom_id);
    if (ideal !== undefined && judgment.u_star !== ideal)
      faults.push({ rule: 'J6', path: `${path}.u_star`, message: 'u_star must be copied from the atom as given.' });
    const quote = judgment.evidence_quote.trim();
    if (judgment.predicted_usage_level === 'A' && quote !== '')
      faults.push({
        rule: 'J9',
        path: `${path}.evidence_quote`,
        message: 'The level given and the quote do not go together: see the rule on quotes.',
      });
    if (judgment.predicted_usage_level !== 'A' && resolveQuote(line.model_response, quote) === null)
      faults.push({
        rule: 'J8',
        path: `${path}.evidence_quote`,
        message: 'The quote does not stand in model_response: see the rule on quotes.',
      });
    if (judgment.reason.trim() === '') faults.push({ rule: 'J10', path: `${path}.reason`, message: 'The reason is missing.' });
  }
  return faults;
}
