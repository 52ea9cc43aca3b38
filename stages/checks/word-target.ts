import type { AuxiliarySlot } from '../../schemas/payloads.ts';

/** How far a text may stray from its target before it is worth a flag: this share of the target, at least this many words. */
export const TARGET_FLAG_SHARE = 0.35;
export const TARGET_FLAG_WORDS = 4;

/** Words of a text as a writer counts them: what stands between spaces. */
export function spacedWords(text: string): number {
  return text.trim() === '' ? 0 : text.trim().split(/\s+/u).length;
}

/** `far` when less than half or more than double the target (worth a repair turn), `off` when outside the tolerance, else null. */
export function wordTargetProblem(text: string, target: number): 'far' | 'off' | null {
  const count = spacedWords(text);
  if (count * 2 < target || count > target * 2) return 'far';
  return Math.abs(count - target) > Math.max(TARGET_FLAG_WORDS, target * TARGET_FLAG_SHARE) ? 'off' : null;
}

/** Whether a text holds what its slot asked for: a digit, or none. Names are free: a made-up name cannot be told from a capital. */
export function holdsAsAsked(text: string, holds: AuxiliarySlot['holds']): boolean {
  const digit = /\p{N}/u.test(text);
  return holds === 'number' ? digit : !digit;
}
