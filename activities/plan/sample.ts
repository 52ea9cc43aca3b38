import { seededUniforms } from '../../schemas/hash.ts';
import type { DomainPlan } from './walk-domain.ts';

/** Ids of rows that must ask and that the build is expected to come to. */
export function affectedIds(domains: readonly DomainPlan[]): readonly string[] {
  return domains.flatMap(({ candidates }) =>
    candidates.filter(({ plan, isExpected }) => isExpected && plan.first !== null).map(({ plan }) => plan.candidateId),
  );
}

/** Draws a sample by the seed: the same rows every time, a larger one holds the smaller one; what was drawn before stays in. */
export function drawSample(seed: string, ids: readonly string[], size: number, before: readonly string[]): readonly string[] {
  const known = new Set(before);
  const drawn = ids
    .filter((id) => !known.has(id))
    .map((id) => ({ id, at: seededUniforms('plan-sample', seed, id)() }))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  return [...before, ...drawn.slice(0, Math.max(0, size - before.length)).map(({ id }) => id)];
}

/** The part of a plan that a sample will ask: all of it is certain. */
export function sampledPart(domains: readonly DomainPlan[], ids: ReadonlySet<string>): readonly DomainPlan[] {
  return domains.map((domain) => ({
    ...domain,
    beyond: 0,
    candidates: domain.candidates
      .filter(({ plan }) => ids.has(plan.candidateId))
      .map((item) => ({ ...item, isCertain: true, isExpected: true })),
  }));
}
