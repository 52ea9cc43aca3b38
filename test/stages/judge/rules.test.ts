import { describe, expect, it } from 'vitest';
import { parseReply } from '../../../llm/reply-parser.ts';
import { JudgeReply } from '../../../schemas/judging.ts';
import { isSoft, JUDGE_RULES, judgeFaults, readingFault } from '../../../stages/judge/rules.ts';
import { rolloutLine } from '../../support/rollout-lines.ts';

type Judgment = JudgeReply['atom_judgments'][number];

const line = rolloutLine(1);
const good: readonly Judgment[] = [
  { atom_id: 'a1', u_star: 'C', predicted_usage_level: 'C', evidence_quote: 'quiet coast without crowds', reason: 'it decides' },
  { atom_id: 'a2', u_star: 'B', predicted_usage_level: 'B', evidence_quote: 'Rome you have ... leave it out', reason: 'an aside' },
  { atom_id: 'a3', u_star: 'A', predicted_usage_level: 'A', evidence_quote: '', reason: 'absent' },
];
const changed = (at: number, change: Partial<Record<keyof Judgment, string>>): string =>
  JSON.stringify({ atom_judgments: good.map((judgment, index) => (index === at ? { ...judgment, ...change } : judgment)) });
const whole = JSON.stringify({ atom_judgments: good });

/** Rule and path of every fault of a reply text. */
function faultsOf(text: string): readonly string[] {
  const parsed = parseReply(text, JudgeReply);
  const faults = parsed.ok ? judgeFaults(parsed.value, line) : [readingFault(parsed)];
  return faults.map(({ rule, path }) => `${rule} ${path}`.trim());
}

describe('rules of a judge reply (SPEC §7)', () => {
  it.each<[string, string, readonly string[]]>([
    ['a whole reply', whole, []],
    ['one fence around it', `\`\`\`json\n${whole}\n\`\`\``, []],
    ['a quote in other case with other marks', changed(0, { evidence_quote: '“Quiet  coast without crowds”' }), []],
    ['nothing', ' ', ['J1']],
    ['prose', 'All atoms were used.', ['J2']],
    ['a list', JSON.stringify(good), ['J2']],
    ['a cut reply', whole.slice(0, -9), ['J3']],
    ['two objects', `${whole}\n${whole}`, ['J3']],
    ['a key twice', whole.replace('"reason":"absent"', '"reason":"absent","reason":"there"'), ['J3 atom_judgments.2.reason']],
    ['a key too many', changed(1, { comment: 'x' } as object), ['J4 atom_judgments.1']],
    ['an atom left out', JSON.stringify({ atom_judgments: good.slice(0, 2) }), ['J5 atom_judgments']],
    ['an atom twice', JSON.stringify({ atom_judgments: [...good, good[0]] }), ['J5 atom_judgments.3.atom_id']],
    ['an invented atom', JSON.stringify({ atom_judgments: [...good, { ...good[0], atom_id: 'a9' }] }), ['J5 atom_judgments.3.atom_id']],
    ['another ideal level', changed(0, { u_star: 'B' }), ['J6 atom_judgments.0.u_star']],
    ['an ideal level that is none', changed(0, { u_star: 'D' }), ['J6 atom_judgments.0.u_star']],
    ['a level with a word', changed(1, { predicted_usage_level: 'B (bounded)' }), ['J7 atom_judgments.1.predicted_usage_level']],
    ['a quote from nowhere', changed(0, { evidence_quote: 'a beach full of people' }), ['J8 atom_judgments.0.evidence_quote']],
    ['no quote for a use', changed(1, { evidence_quote: '' }), ['J8 atom_judgments.1.evidence_quote']],
    ['a quote for no use', changed(2, { evidence_quote: 'leave it out' }), ['J9 atom_judgments.2.evidence_quote']],
    ['no reason', changed(2, { reason: ' ' }), ['J10 atom_judgments.2.reason']],
  ])('%s', (_, text, faults) => expect(faultsOf(text)).toEqual(faults));

  it('lets J8 to J10 through with a flag and nothing else', () => {
    const soft = JUDGE_RULES.filter((rule) => isSoft({ rule, path: '', message: '' }));
    expect(soft).toEqual(['J8', 'J9', 'J10']);
  });

  it.each([
    changed(0, { predicted_usage_level: 'D' }),
    changed(0, { u_star: 'A' }),
    changed(2, { evidence_quote: 'leave it out' }),
    changed(0, { evidence_quote: 'x y' }),
  ])('never names or hints a level to be given: %s', (text) => {
    const parsed = parseReply(text, JudgeReply);
    const faults = parsed.ok ? judgeFaults(parsed.value, line) : [readingFault(parsed)];
    for (const { message } of faults) expect(message.replace('letters A, B and C', '')).not.toMatch(/\b[ABC]\b/);
  });
});
