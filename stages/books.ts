import { STEPS } from '../schemas/steps.ts';
import type { StepId } from '../schemas/steps.ts';

/** One line of the books: what went into a step of a source and where it is now. */
export interface BookLine {
  readonly source: string;
  readonly step: StepId;
  readonly in: number;
  readonly accepted: number;
  /** Reason code → count. */
  readonly rejected: Readonly<Record<string, number>>;
  /** Call class → count; reviewers without a verdict stand here as `no_verdict`. */
  readonly failed: Readonly<Record<string, number>>;
  readonly pending: number;
  /** Null when the line adds up; else one sentence that says how it does not. */
  readonly imbalance: string | null;
}

/** Ends of candidates, counted from their outcomes. */
export interface EndCount {
  readonly source: string;
  readonly step: StepId;
  readonly status: 'accepted' | 'rejected' | 'failed' | 'no_verdict' | 'retry';
  readonly reason: string;
  readonly count: number;
}

const total = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

function tally(
  ends: readonly EndCount[],
  statuses: readonly EndCount['status'][],
  name: (end: EndCount) => string,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const end of ends) if (statuses.includes(end.status)) counts[name(end)] = (counts[name(end)] ?? 0) + end.count;
  return counts;
}

/**
 * The books of a build (DESIGN §6): in = accepted + rejected(reason) + failed(class) + pending, for every source and step.
 * Outputs and outcomes are counted from different tables, so a line can really fail to add up.
 * `screened` is how many candidates of each source have been started.
 */
export function balanceBooks(
  screened: Readonly<Record<string, number>>,
  accepted: readonly { readonly source: string; readonly step: StepId; readonly count: number }[],
  ends: readonly EndCount[],
): readonly BookLine[] {
  const acceptedOf = new Map(accepted.map((item) => [`${item.source} ${item.step}`, item.count]));
  return Object.entries(screened).flatMap(([source, started]) => {
    let entering = started;
    return STEPS.map((step): BookLine => {
      const here = ends.filter((end) => end.source === source && end.step === step && end.status !== 'accepted');
      const passed = acceptedOf.get(`${source} ${step}`) ?? 0;
      const rejected = tally(here, ['rejected'], (end) => end.reason);
      const failed = tally(here, ['failed', 'no_verdict'], (end) => (end.status === 'failed' ? end.reason : 'no_verdict'));
      const pending = entering - passed - total(rejected) - total(failed);
      const imbalance =
        pending < 0 ? `${source}, ${step}: ${entering} went in, ${passed + total(rejected) + total(failed)} came out` : null;
      const line = { source, step, in: entering, accepted: passed, rejected, failed, pending: Math.max(0, pending), imbalance };
      entering = passed;
      return line;
    });
  });
}
