import { wilson } from '../metrics/proportion.ts';
import { DOMAINS, type Domain } from '../schemas/levels.ts';
import { PRIOR_YIELD, VERDICTS_BEFORE_YIELD } from '../stages/launch.ts';
import type { SourceSection } from './source-report.ts';

/** Candidates of a source that models have judged so far, and how many of them were accepted in the end. */
export interface SourceYield {
  readonly source: string;
  readonly accepted: number;
  readonly verdicts: number;
}

/** What a domain is expected to give, and what would give it more. */
export interface DomainForecast {
  readonly domain: Domain;
  readonly target: number;
  readonly candidates: number;
  /** Share of candidates that become examples. */
  readonly rate: number;
  /** Wilson 95 % interval of that share; null while it is assumed. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly verdicts: number;
  readonly expected: number;
  readonly isDry: boolean;
  /** One sentence for a person, with the lever when the domain runs dry. */
  readonly sentence: string;
}

/** Reasons that a setting of the config moves, with what to do. */
const LEVERS: Readonly<Record<string, string>> = {
  low_quality: 'a lower `screening.minQualityScore`',
  near_duplicate: 'a higher `screening.nearDuplicateJaccard`',
  personal_identifier: "`screening.identifiers: 'mask'`",
};

const n = (count: number): string => count.toLocaleString('en-US');

function setAside(sections: readonly SourceSection[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { stages } of sections)
    for (const { rejected } of stages)
      for (const [reason, { count }] of Object.entries(rejected)) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return counts;
}

/** The setting that would bring most rows back, when it alone could close the gap; else more rows or a lower target. */
function leverOf(domain: Domain, sections: readonly SourceSection[], gap: number, rate: number, expected: number): string {
  const movable = [...setAside(sections)]
    .filter(([reason]) => LEVERS[reason] !== undefined)
    .sort(([a, m], [b, k]) => k - m || (a < b ? -1 : 1));
  const [best] = movable;
  if (best !== undefined && best[1] * rate >= gap) return `${LEVERS[best[0]]} (${n(best[1])} rows fell out as ${best[0]})`;
  const rows = Math.ceil(gap / Math.max(rate, 0.001));
  return `about ${n(rows)} more candidates of the domain (another source), or target.${domain} ${n(Math.floor(expected))}`;
}

/** Forecast per domain: candidates × yield against the target. The yield is assumed until enough candidates have been judged. */
export function forecastQuotas(
  target: Readonly<Record<Domain, number>>,
  sections: readonly SourceSection[],
  yields: readonly SourceYield[],
): readonly DomainForecast[] {
  return DOMAINS.map((domain) => {
    const own = sections.filter((section) => section.domain === domain);
    const names = new Set(own.map((section) => section.name));
    const seen = yields.filter((item) => names.has(item.source));
    const verdicts = seen.reduce((sum, item) => sum + item.verdicts, 0);
    const accepted = seen.reduce((sum, item) => sum + item.accepted, 0);
    const isSeen = verdicts >= VERDICTS_BEFORE_YIELD;
    const bounds = wilson(accepted, verdicts);
    const rate = isSeen ? accepted / verdicts : PRIOR_YIELD;
    const candidates = own.reduce((sum, section) => sum + section.after.rows, 0);
    const expected = Math.floor(accepted + Math.max(0, candidates - verdicts) * rate);
    const isDry = expected < target[domain];
    const basis = isSeen
      ? `${n(accepted)} of ${n(verdicts)} judged candidates were accepted`
      : `a yield of ${PRIOR_YIELD * 100} % is assumed until ${VERDICTS_BEFORE_YIELD} candidates have been judged`;
    const sentence = isDry
      ? `${domain} will run dry at about ${n(expected)} of ${n(target[domain])} (${n(candidates)} candidates; ${basis}); the lever is ${leverOf(domain, own, target[domain] - expected, rate, expected)}.`
      : `${domain} will reach its ${n(target[domain])} (${n(candidates)} candidates; ${basis}).`;
    return {
      domain,
      target: target[domain],
      candidates,
      rate,
      interval: isSeen && bounds !== null ? [bounds.low, bounds.high] : null,
      verdicts,
      expected,
      isDry,
      sentence,
    };
  });
}
