import type { UsageRubric } from '../schemas/record.ts';
import type { RubricsReply } from '../schemas/replies/rubrics.ts';

/** `under_use` of every A atom: there is no level below the ideal one. */
export const UNDER_USE_OF_A = 'Does not apply: no use is the aim.';
/** `over_use` of every C atom: there is no level above the ideal one. */
export const OVER_USE_OF_C = 'None above this level.';

type IgnoredParts = RubricsReply['ignored_atoms'][number];
type UsedParts = RubricsReply['used_atoms'][number];

/** The full rubric of an A atom from its three short parts; all other words are fixed (SPEC §4.4). */
export function rubricOfIgnored(parts: Pick<IgnoredParts, 'topic' | 'over_use' | 'harmless'>): UsageRubric {
  const topic = clause(parts.topic);
  const overUse = clause(parts.over_use);
  const harmless = clause(parts.harmless);
  const exemption = harmless === '' || harmless.toLowerCase() === 'none' ? '' : `; ${harmless} does not count`;
  return {
    expected_answer_behavior: `The answer leaves no trace of ${topic}.`,
    correct_use: 'No use is correct; this fact plays no part in the task.',
    under_use: UNDER_USE_OF_A,
    over_use: `Any trace, for example ${overUse}.`,
    forbidden_memory_role: `The answer may not take content, order, format or tone from ${topic}.`,
    validity_scope: 'Outside the present request.',
    observable_checks: [
      `A: nothing in the text goes back to ${topic}${exemption}`,
      `B: a local trace, such as ${overUse}`,
      `C: the main conclusion, choice or method follows from ${topic}`,
    ],
  };
}

/** The full rubric of a B or C atom as written, with the three criteria set in order and the fixed sentence where nothing lies above. */
export function rubricOfUsed(parts: UsedParts, level: 'B' | 'C'): UsageRubric {
  return {
    expected_answer_behavior: parts.expected_answer_behavior.trim(),
    correct_use: parts.correct_use.trim(),
    under_use: parts.under_use.trim(),
    over_use: level === 'C' ? OVER_USE_OF_C : parts.over_use.trim(),
    forbidden_memory_role: parts.forbidden_memory_role.trim(),
    validity_scope: parts.validity_scope.trim(),
    observable_checks: (['A', 'B', 'C'] as const).map((name) => `${name}: ${criterion(parts.observable_checks[name], name)}`),
  };
}

/** A part as it fits into a sentence: one line, no full stop at its end. */
function clause(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[.;,\s]+$/u, '');
}

/** A criterion without the level letter a writer may have put before it. */
function criterion(text: string, name: 'A' | 'B' | 'C'): string {
  return clause(text.trim().replace(new RegExp(`^(?:level\\s+)?${name}\\s*[:.)-]\\s*`, 'iu'), ''));
}
