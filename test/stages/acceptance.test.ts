import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PositionOutcome } from '../../store/port.ts';
import type { FoldCandidate, NearQueries } from '../../stages/acceptance.ts';
import { QuotaError, foldBuild, foldDomain, foldDomainPages, isCovered } from '../../stages/acceptance.ts';

type Status = 'accepted' | 'rejected' | 'failed' | 'no_verdict' | 'pending';

function exactQueries(): NearQueries {
  const kept = new Set<string>();
  return { isNearDuplicate: (query) => kept.has(query), add: (query) => kept.add(query) };
}

function candidates(list: readonly (readonly [Status, string?, (string | undefined)?, boolean?])[]): readonly FoldCandidate[] {
  return list.map(([status, source = 'one', query, waived = false], position) => ({
    position,
    candidateId: `c${position}`,
    source,
    waived,
    outcome: status === 'pending' ? null : { status, query: status === 'accepted' ? (query ?? `query ${position}`) : null },
  }));
}

async function* onePage(list: readonly FoldCandidate[]): AsyncGenerator<readonly FoldCandidate[]> {
  yield list;
}

const ok = ['accepted'] as const;
const no = ['rejected'] as const;

test('the fold keeps accepted candidates in order up to the quota; later ones are the reserve', () => {
  expect(foldDomain(candidates([ok, no, ok, ok, no, ok]), { total: 2 }, exactQueries())).toEqual({
    kept: ['c0', 'c2'],
    nearDuplicates: [],
    rejected: 1,
    waived: [],
    stoppedAt: null,
    met: true,
    cutoffs: { '*': 2 },
    reserve: ['c3', 'c5'],
  });
});

test.each([['pending'], ['failed'], ['no_verdict']] as const)(
  'a candidate that is %s stops the fold, unless it is waived or behind the cut-off',
  (status) => {
    const stopped = foldDomain(candidates([ok, [status], ok]), { total: 2 }, exactQueries());
    expect(stopped).toMatchObject({
      kept: ['c0'],
      met: false,
      stoppedAt: { position: 1, candidateId: 'c1', why: status },
      reserve: ['c2'],
    });
    const waived = foldDomain(candidates([ok, [status, 'one', undefined, true], ok]), { total: 2 }, exactQueries());
    expect(waived).toMatchObject({ kept: ['c0', 'c2'], waived: ['c1'], met: true, stoppedAt: null });
    expect(foldDomain(candidates([ok, [status]]), { total: 1 }, exactQueries())).toMatchObject({
      kept: ['c0'],
      stoppedAt: null,
      met: true,
    });
  },
);

test('a near-duplicate query is dropped, also against an earlier domain and with another answer contract', () => {
  const near = exactQueries();
  foldDomain(candidates([['accepted', 'one', 'Which pump fits?']]), { total: 1 }, near);
  const later = foldDomain(
    candidates([
      ['accepted', 'one', 'Which pump fits? Answer in prose without code blocks.'],
      ['accepted', 'one', 'Why so?'],
      ['accepted', 'one', 'Why so?'],
    ]),
    { total: 2 },
    near,
  );
  expect(later).toMatchObject({ kept: ['c1'], nearDuplicates: ['c0', 'c2'], met: false, stoppedAt: null });
});

test('a build folds health, general, coding in this order, and what follows a stop is provisional', async () => {
  const same = candidates([['accepted', 'one', 'Which pump fits?']]);
  const intake = (general: readonly FoldCandidate[]): Parameters<typeof foldBuild>[0] => ({
    coding: { pages: onePage(same), quota: { total: 1 } },
    general: { pages: onePage(general), quota: { total: 1 } },
    health: { pages: onePage(candidates([no])), quota: { total: 1 } },
  });
  const open = await foldBuild(intake(candidates([['pending']])), exactQueries());
  expect(open).toMatchObject({
    health: { met: false, provisional: false },
    general: { provisional: false },
    coding: { kept: ['c0'], provisional: true },
  });
  const done = await foldBuild(intake(same), exactQueries());
  expect(done).toMatchObject({ general: { kept: ['c0'], met: true }, coding: { kept: [], nearDuplicates: ['c0'], provisional: false } });
});

test('a source quota caps its source, keeps its share free, and gives it to the domain when the source runs dry', () => {
  const list = candidates([
    ['accepted', 'a'],
    ['accepted', 'b'],
    ['accepted', 'b'],
    ['accepted', 'a'],
    ['accepted', 'b'],
    ['accepted', 'a'],
  ]);
  expect(foldDomain(list, { total: 3, bySource: { a: 2 } }, exactQueries())).toMatchObject({
    kept: ['c0', 'c1', 'c3'],
    met: true,
    cutoffs: { a: 3, '*': 1 },
    reserve: ['c2', 'c4', 'c5'],
  });
  const dry = { total: 5, bySource: { a: 4 }, lastPositionBySource: { a: 5 } };
  expect(foldDomain(list, dry, exactQueries())).toMatchObject({
    kept: ['c0', 'c1', 'c2', 'c3', 'c5'],
    met: true,
    cutoffs: { a: 5, '*': 2 },
    reserve: ['c4'],
  });
  const waiting = foldDomain(list.slice(0, 5), dry, exactQueries());
  expect(waiting).toMatchObject({ kept: ['c0', 'c1', 'c3'], met: false, stoppedAt: null });
  const covered = list.filter((item) => isCovered(foldDomain(list, dry, exactQueries()), item)).map((item) => item.candidateId);
  expect(covered).toEqual(['c0', 'c1', 'c2', 'c3', 'c5']);
});

test('quotas that exceed their domain are an error with both numbers', () => {
  expect(() => foldDomain([], { total: 3, bySource: { a: 2, b: 2 } }, exactQueries())).toThrow(QuotaError);
  expect(() => foldDomain([], { total: 3, bySource: { a: 2, b: 2 } }, exactQueries())).toThrow(/4.*3/);
});

test('a row of the store is a candidate of the fold', () => {
  const row: PositionOutcome = { position: 0, candidateId: 'c0', source: 'one', stratum: 's', rowHash: 'h', outcome: null, waived: false };
  expect(foldDomain([row], { total: 1 }, exactQueries()).stoppedAt?.why).toBe('pending');
});

const status = fc.constantFrom<Status>('accepted', 'accepted', 'rejected', 'failed', 'pending', 'no_verdict');
const row = fc.tuple(status, fc.constantFrom('a', 'b', 'c'), fc.constantFrom('q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7', 'q8'), fc.boolean());
const quota = fc
  .record({ total: fc.integer({ min: 0, max: 6 }), a: fc.integer({ min: 0, max: 3 }) })
  .map(({ total, a }) => (a <= total ? { total, bySource: { a } } : { total }));

function withLast(
  list: readonly FoldCandidate[],
  base: { readonly total: number; readonly bySource?: { readonly a: number } },
): Parameters<typeof foldDomain>[1] {
  if (base.bySource === undefined) return { total: base.total };
  const last = list.findLast((item) => item.source === 'a')?.position ?? -1;
  return { total: base.total, bySource: base.bySource, lastPositionBySource: { a: last } };
}

test('the fold does not depend on paging, and never keeps more than asked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 25 }), quota, fc.integer({ min: 1, max: 7 }), async (rows, base, size) => {
      const list = candidates(rows);
      const limits = withLast(list, base);
      async function* pages(): AsyncGenerator<readonly FoldCandidate[]> {
        for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
      }
      const whole = foldDomain(list, limits, exactQueries());
      expect(await foldDomainPages(pages(), limits, exactQueries())).toEqual(whole);
      expect(whole.kept.length).toBeLessThanOrEqual(base.total);
      expect(whole.met).toBe(whole.kept.length >= base.total);
    }),
  );
});

test('what lies behind the cut-offs changes nothing that is kept or covered', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 25 }), quota, fc.infiniteStream(status), (rows, base, fresh) => {
      const list = candidates(rows);
      const limits = withLast(list, base);
      const before = foldDomain(list, limits, exactQueries());
      fc.pre(before.met);
      const changed = list.map((item) => {
        const next = fresh.next().value ?? 'pending';
        return isCovered(before, item)
          ? item
          : { ...item, outcome: next === 'pending' ? null : { status: next, query: next === 'accepted' ? 'q1' : null } };
      });
      const after = foldDomain(changed, limits, exactQueries());
      expect(after.kept).toEqual(before.kept);
      expect(after.cutoffs).toEqual(before.cutoffs);
      expect(after.nearDuplicates).toEqual(before.nearDuplicates);
    }),
  );
});

test('verdicts that come later only add to what was kept, whatever their order', () => {
  const final = fc.tuple(
    fc.constantFrom<Status>('accepted', 'rejected'),
    fc.constantFrom('a', 'b'),
    fc.constantFrom('q1', 'q2', 'q3', 'q4', 'q5', 'q6'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(final, fc.boolean()), { maxLength: 25 }), quota, (rows, base) => {
      const list = candidates(rows.map(([item]) => item));
      const limits = withLast(list, base);
      const partial = list.map((item, at) => (rows[at]?.[1] === true ? { ...item, outcome: null } : item));
      const early = foldDomain(partial, limits, exactQueries());
      const late = foldDomain(list, limits, exactQueries());
      expect(late.kept).toEqual(expect.arrayContaining([...early.kept]));
    }),
  );
});
