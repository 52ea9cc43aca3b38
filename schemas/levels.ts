import { z } from 'zod';
import { DOMAINS } from './domains.ts';

/** A = Ignore, B = Bound, C = Control; the position is the rank (SPEC §1). */
export const LEVELS = ['A', 'B', 'C'] as const;
export const Level = z.enum(LEVELS);
export type Level = z.infer<typeof Level>;

export const ACTIONS = ['ignore', 'apply', 'correct'] as const;
export const Action = z.enum(ACTIONS);
export type Action = z.infer<typeof Action>;

export { DOMAINS };
export const Domain = z.enum(DOMAINS);
export type Domain = z.infer<typeof Domain>;

export const ATOM_KINDS = ['case_fact', 'constraint', 'preference', 'profile_fact', 'safety_sensitive'] as const;
export const AtomKind = z.enum(ATOM_KINDS);
export type AtomKind = z.infer<typeof AtomKind>;

/** The five families of hard distractors, in the fixed order in which `cannot` moves on (SPEC §4.4). */
export const HARD_FAMILIES = [
  'factual_judgment_pollution',
  'scope_overreach',
  'current_evidence_conflict',
  'profile_style_near_neighbour',
  'untriggered_preference',
] as const;
export const HardFamily = z.enum(HARD_FAMILIES);
export type HardFamily = z.infer<typeof HardFamily>;

/** Whether a level may carry an action: A only `ignore`; B and C `apply` or `correct`. */
export function isLegal(level: Level, action: Action): boolean {
  return level === 'A' ? action === 'ignore' : action !== 'ignore';
}
