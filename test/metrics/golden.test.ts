import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { agreement } from '../../metrics/agreement.ts';
import { channelCounts, channelPercentages, macroAccuracy, microAccuracy } from '../../metrics/channels.ts';
import { spearman } from '../../metrics/correlation.ts';
import { holm, mcnemar, signFlipTest } from '../../metrics/paired-tests.ts';
import { clusteredAccuracy, wilson } from '../../metrics/proportion.ts';
import { scoreResponse, useTotals, type AtomUse } from '../../metrics/response-scores.ts';
import { displayNumber } from '../../metrics/rounding.ts';
import { meanAndStd, summarizeScores } from '../../metrics/summary.ts';
import type { Level } from '../../schemas/levels.ts';
import { sharedFile } from '../support/shared.ts';

/** The golden file prints six decimals, so a value may lie half a unit of the sixth away. */
const HALF_A_MILLIONTH = 0.5e-6 + 1e-12;

interface Golden {
  readonly F1: {
    readonly responses: Record<string, string>;
    readonly totals_over_under: Record<string, [number, number]>;
    readonly metrics: Record<'SCS' | 'Exact' | 'sMOS' | 'sMUS' | 'AOR' | 'AUR', number>;
    readonly channels_percent_within_ideal_class: Record<string, number>;
    readonly macro_accuracy: number;
    readonly micro_accuracy: number;
    readonly with_one_unjudged_response: { SCS_judged_only: number; coverage: [number, number]; SCS_bounds: [number, number] };
    readonly atom_accuracy_standard_error: { naive: number; clustered_by_response: number; design_effect: number };
  };
  readonly wilson_95: Record<string, [number, number, number]>;
  readonly kappa: readonly { rows_human: number[][]; po: number; pe: number; kappa: number; linear: number; quadratic: number }[];
  readonly kappa_degenerate: { rows_human: number[][]; reason: string };
  readonly display_rounding_half_up: Record<string, string>;
  readonly seed_std_ddof1: { values: number[]; std: number };
  readonly spearman: readonly { x: number[]; y: number[]; rho: number | null }[];
  readonly mcnemar: { b: number; c: number; exact_p: number; mid_p: number };
  readonly paired_sign_flip: { A: number[]; B: number[]; mean_difference: number; exact_p: number };
  readonly holm: { p: number[]; adjusted: number[] };
}

const file = sharedFile('golden/metrics.json');
const golden = file.missing === null ? (JSON.parse(readFileSync(file.path, 'utf8')) as Golden) : null;

function atomsOf(text: string): readonly AtomUse[] {
  return text.split(',').map((pair) => ({ ideal: pair[0] as Level, actual: pair[1] as Level }));
}

function expectClose(actual: number | null | undefined, wanted: number | null): void {
  const isClose = typeof actual === 'number' && typeof wanted === 'number' && Math.abs(actual - wanted) <= HALF_A_MILLIONTH;
  expect(isClose ? wanted : actual).toBe(wanted);
}

describe.skipIf(golden === null)(`golden metrics${file.missing === null ? '' : ` (skipped: ${file.missing})`}`, () => {
  const { F1, ...rest } = golden ?? ({ F1: { responses: {} } } as unknown as Golden);
  const responses = Object.values(F1.responses).map(atomsOf);

  test('the example of four responses: totals, scores, channels, accuracies', () => {
    for (const [name, text] of Object.entries(F1.responses)) {
      const [over, under] = F1.totals_over_under[name] ?? [];
      expect(useTotals(atomsOf(text))).toEqual({ over, under });
    }
    const summary = summarizeScores(responses.map(scoreResponse));
    for (const [name, wanted] of Object.entries(F1.metrics)) expectClose(summary?.scores[name as 'SCS'].mean, wanted);
    const counts = channelCounts(responses);
    expect(Object.keys(F1.channels_percent_within_ideal_class)).toHaveLength(9);
    for (const [channel, wanted] of Object.entries(F1.channels_percent_within_ideal_class))
      expectClose(channelPercentages(counts)[channel as 'AA'], wanted);
    expectClose(macroAccuracy(counts), F1.macro_accuracy);
    expectClose(microAccuracy(counts), F1.micro_accuracy);
  });

  test('one unjudged response: mean of the judged, coverage and bounds', () => {
    const wanted = F1.with_one_unjudged_response;
    const summary = summarizeScores([...responses.map(scoreResponse), null]);
    expect([summary?.judged, summary?.total]).toEqual(wanted.coverage);
    expectClose(summary?.scores.SCS.mean, wanted.SCS_judged_only);
    expectClose(summary?.scores.SCS.worst, wanted.SCS_bounds[0]);
    expectClose(summary?.scores.SCS.best, wanted.SCS_bounds[1]);
    expect(summary?.scores.sMOS.worst).toBeGreaterThan(summary?.scores.sMOS.best ?? Infinity);
  });

  test('standard errors of the accuracy, naive and clustered', () => {
    const found = clusteredAccuracy(responses.map((atoms) => atoms.map(({ ideal, actual }) => ideal === actual)));
    const wanted = F1.atom_accuracy_standard_error;
    expectClose(found.naive, wanted.naive);
    expectClose(found.clustered, wanted.clustered_by_response);
    expect(found.designEffect).toBeCloseTo(wanted.design_effect, 4);
  });

  test('Wilson intervals', () => {
    const entries = Object.entries(rest.wilson_95);
    expect(entries.length).toBeGreaterThan(5);
    for (const [name, [share, low, high]] of entries) {
      const [successes = 0, trials = 0] = name.split('/').map(Number);
      const found = wilson(successes, trials);
      expectClose(found === null ? null : found.share * 100, share);
      expectClose(found === null ? null : found.low * 100, low);
      expectClose(found === null ? null : found.high * 100, high);
    }
    expect(wilson(0, 0)).toBeNull();
  });

  test('κ, nominal and weighted, and where it is not defined', () => {
    for (const { rows_human: rows, po, pe, kappa, linear, quadratic } of rest.kappa) {
      const found = agreement(rows);
      for (const [actual, wanted] of [
        [found.observed, po],
        [found.chance, pe],
        [found.kappa, kappa],
        [found.linear, linear],
        [found.quadratic, quadratic],
      ] as const)
        expectClose(actual, wanted);
    }
    expect(agreement(rest.kappa_degenerate.rows_human)).toMatchObject({ kappa: null, reason: rest.kappa_degenerate.reason });
  });

  test('McNemar, sign-flip, Holm, Spearman, deviation over seeds', () => {
    const { exactP, midP } = mcnemar(rest.mcnemar.b, rest.mcnemar.c);
    expectClose(exactP, rest.mcnemar.exact_p);
    expectClose(midP, rest.mcnemar.mid_p);
    const flip = signFlipTest(rest.paired_sign_flip.A, rest.paired_sign_flip.B, { seed: 's' });
    expectClose(flip.meanDifference, rest.paired_sign_flip.mean_difference);
    expect(flip).toMatchObject({ p: rest.paired_sign_flip.exact_p, exact: true });
    holm(rest.holm.p).forEach((p, at) => expectClose(p, rest.holm.adjusted[at] ?? null));
    for (const { x, y, rho } of rest.spearman) expectClose(spearman(x, y), rho);
    expect(meanAndStd(rest.seed_std_ddof1.values).std).toBe(rest.seed_std_ddof1.std);
  });

  test('rounding for display', () => {
    for (const [value, text] of Object.entries(rest.display_rounding_half_up)) expect(displayNumber(Number(value))).toBe(text);
  });
});
