import { forecast, forecastSentence } from '../../llm/forecast.ts';
import { DOMAINS } from '../../schemas/levels.ts';
import type { Domain } from '../../schemas/levels.ts';
import type { StatusReport } from '../queries/status.ts';

/** Where a build stood at a moment: accepted counts at most what is wanted of each domain. */
export interface Sample {
  readonly at: number;
  readonly accepted: number;
  readonly microUsd: number;
  readonly unknownCalls: number;
}

/** Takes a sample of a build; the overshoot of a domain is no progress. */
export function sampleOf(report: StatusReport, target: Readonly<Record<Domain, number>>, at: number): Sample {
  const accepted = DOMAINS.reduce((sum, domain) => sum + Math.min(report.accepted[domain], target[domain]), 0);
  const { microUsdOfThisRun: microUsd, unknownOfThisRun: unknownCalls } = report.calls;
  return { at, accepted, microUsd, unknownCalls };
}

/** "at this rate $41-47, 2 h 10" from two samples: what was accepted between them sets the rate, what was spent before is added. Null before there is a rate. */
export function forecastText(first: Sample, now: Sample, wanted: number): string | null {
  const value = forecast({
    doneUnits: now.accepted - first.accepted,
    leftUnits: wanted - now.accepted,
    elapsedMs: now.at - first.at,
    spentMicroUsd: now.microUsd - first.microUsd,
    unknownCalls: now.unknownCalls,
  });
  if (value === null || wanted <= now.accepted) return null;
  return forecastSentence({
    ...value,
    lowMicroUsd: first.microUsd + value.lowMicroUsd,
    highMicroUsd: first.microUsd + value.highMicroUsd,
  });
}
