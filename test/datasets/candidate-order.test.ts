import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildOrder as orderOf, candidateId, drawOf, OrderError } from '../../datasets/candidate-order.ts';
import { sourceShares, stratumOf, stratumWeights, type StratumMember, type StratumWeights } from '../../datasets/strata.ts';
import { COMPLEXITIES, type RowMeasures } from '../../schemas/candidate.ts';
import type { Domain } from '../../schemas/levels.ts';

interface OrderMember extends StratumMember {
  readonly id: string;
  readonly measures: RowMeasures;
}

/** The order of the members of a domain, each with its stratum. */
function buildOrder(all: readonly OrderMember[], domain: Domain, seed: string, weights: StratumWeights) {
  const own = [...all.entries()].filter(([, item]) => item.domain === domain);
  const strata = [...new Set(own.map(([, item]) => stratumOf(item)))];
  const of = (member: number): OrderMember => own[member]?.[1] as OrderMember;
  const order = orderOf(
    {
      count: own.length,
      idOf: (member) => of(member).id,
      scoreOf: (member) => of(member).measures.qualityScore,
      drawOf: (member) => drawOf(seed, of(member).id),
      strata,
      stratumOf: (member) => strata.indexOf(stratumOf(of(member))),
    },
    seed,
    weights,
  );
  return Array.from(order, (member, position) => ({ member: own[member]?.[0] ?? -1, position, stratum: stratumOf(of(member)) }));
}

const member = fc.record({
  source: fc.constantFrom('a', 'b', 'c'),
  topic: fc.constantFrom('t1', 't2', 't3'),
  complexity: fc.constantFrom(...COMPLEXITIES),
  qualityScore: fc.integer({ min: 60, max: 100 }),
});
const members = fc.array(member, { minLength: 1, maxLength: 200 }).map((list) =>
  list.map((item, at): OrderMember => ({
    id: candidateId('d', String(at)),
    domain: 'health',
    source: item.source,
    measures: { ...item, signalFamilies: [] },
  })),
);
const SHARES = sourceShares([
  { name: 'a', adapter: 'meddialog' },
  { name: 'b', adapter: 'healthcaremagic' },
  { name: 'c', adapter: 'custom' },
]);

describe('the candidate order', () => {
  it('holds each stratum within one of its share in every prefix', () => {
    fc.assert(
      fc.property(members, fc.string(), (list, seed) => {
        const weights = stratumWeights(list, SHARES);
        const order = buildOrder(list, 'health', seed, weights);
        const capacity = new Map<string, number>();
        for (const item of list) capacity.set(stratumOf(item), (capacity.get(stratumOf(item)) ?? 0) + 1);
        const counts = new Map<string, number>();
        for (const { stratum } of order) {
          const rank = counts.get(stratum) ?? 0;
          counts.set(stratum, rank + 1);
          const time = (rank + 0.5) / (weights[stratum] ?? 0);
          for (const [name, total] of capacity) {
            const wanted = Math.min(total, time * (weights[name] ?? 0));
            expect(Math.abs((counts.get(name) ?? 0) - wanted)).toBeLessThanOrEqual(1);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('does not depend on the order of the input', () => {
    fc.assert(
      fc.property(members, (list) => {
        const weights = stratumWeights(list, SHARES);
        const ids = (input: readonly OrderMember[]): readonly string[] =>
          buildOrder(input, 'health', 's', weights).map((item) => input[item.member]?.id ?? '');
        expect(ids([...list].reverse())).toEqual(ids(list));
        expect(stratumWeights([...list].reverse(), SHARES)).toEqual(weights);
      }),
      { numRuns: 30 },
    );
  });

  it('changes with the seed, holds everybody once, and other domains not at all', () => {
    const list = Array.from({ length: 80 }, (_item, at): OrderMember => ({
      id: candidateId('d', String(at)),
      domain: at % 4 === 0 ? 'coding' : 'health',
      source: 'a',
      measures: { topic: 't', complexity: 'simple', qualityScore: 60 + (at % 40), signalFamilies: [] },
    }));
    const weights = stratumWeights(
      list.filter((item) => item.domain === 'health'),
      SHARES,
    );
    const one = buildOrder(list, 'health', 'one', weights);
    const two = buildOrder(list, 'health', 'two', weights);
    expect(new Set(one.map((item) => item.member)).size).toBe(60);
    expect(one.map((item) => item.position)).toEqual(Array.from({ length: 60 }, (_item, at) => at));
    expect(one.map((item) => item.member)).not.toEqual(two.map((item) => item.member));
  });

  it('puts better rows earlier on the whole', () => {
    const list = Array.from({ length: 400 }, (_item, at): OrderMember => ({
      id: candidateId('d', String(at)),
      domain: 'health',
      source: 'a',
      measures: { topic: 't', complexity: 'simple', qualityScore: at % 2 === 0 ? 60 : 100, signalFamilies: [] },
    }));
    const order = buildOrder(list, 'health', 's', stratumWeights(list, SHARES));
    const good = order.slice(0, 100).filter((item) => list[item.member]?.measures.qualityScore === 100).length;
    expect(good).toBeGreaterThan(70);
    expect(good).toBeLessThan(100);
  });

  it('refuses a stratum without a weight, naming it and what to type', () => {
    const list = [
      {
        id: 'x',
        domain: 'health' as const,
        source: 'a',
        measures: { topic: 't', complexity: 'simple' as const, qualityScore: 70, signalFamilies: [] },
      },
    ];
    expect(() => buildOrder(list, 'health', 's', {})).toThrow(OrderError);
    expect(() => buildOrder(list, 'health', 's', {})).toThrow(/health\/a\/t\/simple.*memcalib plan --restratify/);
  });
});

const membersOf = (topic: string, complexity: (typeof COMPLEXITIES)[number], count: number) =>
  Array.from({ length: count }, () => ({ domain: 'health' as const, source: 'a', measures: { topic, complexity } }));

describe('shares and weights', () => {
  it.each<[string, Parameters<typeof sourceShares>[0], Record<string, number>]>([
    [
      'the published mix',
      [
        { name: 'o1', adapter: 'oasst1' },
        { name: 'o2', adapter: 'oasst2' },
      ],
      { o1: 470 / 1373, o2: 903 / 1373 },
    ],
    [
      'quotas',
      [
        { name: 'o1', adapter: 'oasst1', quota: 30 },
        { name: 'o2', adapter: 'oasst2', quota: 10 },
      ],
      { o1: 0.75, o2: 0.25 },
    ],
    [
      'one quota, the rest by the mix in its unit',
      [
        { name: 'o1', adapter: 'oasst1', quota: 47 },
        { name: 'o2', adapter: 'oasst2' },
      ],
      { o1: 470 / 1373, o2: 903 / 1373 },
    ],
    [
      'an unknown dataset gets the mean of the known',
      [
        { name: 'o1', adapter: 'oasst1' },
        { name: 'c', adapter: 'custom' },
      ],
      { o1: 0.5, c: 0.5 },
    ],
    [
      'a quota of 0 comes last',
      [
        { name: 'o1', adapter: 'oasst1', quota: 0 },
        { name: 'o2', adapter: 'oasst2', quota: 5 },
      ],
      { o1: 0, o2: 1 },
    ],
  ])('come from %s', (_name, sources, expected) => {
    const shares = sourceShares(sources);
    for (const [name, share] of Object.entries(expected)) expect(shares.get(name)).toBeCloseTo(share, 5);
  });

  it('sum to one, give topics the root of their capacity and complexities 25 / 50 / 25', () => {
    const weights = stratumWeights(
      [
        ...membersOf('big', 'simple', 50),
        ...membersOf('big', 'medium', 25),
        ...membersOf('big', 'complex', 25),
        ...membersOf('small', 'medium', 25),
      ],
      SHARES,
    );
    expect(Object.values(weights).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
    expect(weights['health/a/small/medium']).toBeCloseTo(1 / 3, 9);
    expect(weights['health/a/big/medium']).toBeCloseTo(1 / 3, 9);
    expect(weights['health/a/big/simple']).toBeCloseTo(1 / 6, 9);
  });

  it('name candidates neutrally by 16 hexadecimal digits', () => {
    expect(candidateId('OpenMed/MedDialog', 'meddialog:train:1')).toMatch(/^[0-9a-f]{16}$/);
    expect(candidateId('a', 'b:c')).not.toBe(candidateId('a:b', 'c'));
  });
});
