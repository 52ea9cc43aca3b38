import { expect, it } from 'vitest';
import { drawOf } from '../../datasets/candidate-order.ts';
import { HeldRows } from '../../datasets/held-rows.ts';
import { PassedBuilder } from '../../datasets/passed-rows.ts';
import { rankRows } from '../../datasets/row-rank.ts';
import { seededUniforms } from '../../schemas/hash.ts';
import type { SourceRow } from '../../schemas/source-row.ts';

const rowOf = (number: number, id = `made:train:${number}`): SourceRow => ({
  source: 'made',
  sourceDataset: 'made',
  sourceId: id,
  sourceRevision: 'x',
  sourceLicense: 'CC0-1.0',
  attribution: '',
  groupKey: id,
  domain: 'health',
  question: `Question ${number}?`,
  context: [],
  answer: 'Answer.',
  origin: { file: `part-${number % 3}.jsonl`, row: number + 1 },
  metadata: {},
});

function batchOf(rows: readonly SourceRow[], scoreOf: (at: number) => number, seed = 's') {
  const builder = new PassedBuilder(seed);
  rows.forEach((row, at) =>
    builder.add(
      { row, measures: { qualityScore: scoreOf(at), topic: 't', complexity: 'simple', signalFamilies: ['x', 'y'] }, masked: { email: 2 } },
      Uint32Array.from([at, at + 1]),
      at % 3,
    ),
  );
  return builder.end();
}

it('says what to do when more rows pass than it can hold', () => {
  const held = new HeldRows('s', 5);
  const source = { source: 'made', sourceDataset: 'made' };
  held.add(
    source,
    batchOf(
      [0, 1, 2].map((n) => rowOf(n)),
      () => 70,
    ),
    new Int32Array(3),
    null,
  );
  expect(() =>
    held.add(
      source,
      batchOf(
        [3, 4, 5].map((n) => rowOf(n)),
        () => 70,
      ),
      new Int32Array(3),
      null,
    ),
  ).toThrow(/^More than 5 rows pass screening \(reached in source made, file part-2\.jsonl\).*memcalib\.config\.ts.*`memcalib plan`/);
});

it('gives back of every row what was put in, batch after batch', () => {
  const held = new HeldRows('s');
  const rows = Array.from({ length: 300 }, (_, n) => rowOf(n));
  for (let from = 0; from < 300; from += 100)
    held.add(
      { source: 'made', sourceDataset: 'made' },
      batchOf(rows.slice(from, from + 100), (at) => (from + at) % 101),
      new Int32Array(100).fill(from),
      from,
    );
  rows.forEach((row, at) => {
    expect(held.sourceId(at)).toBe(row.sourceId);
    expect(held.origin(at)).toEqual(row.origin);
    expect(held.measures(at)).toEqual({ qualityScore: at % 101, topic: 't', complexity: 'simple', signalFamilies: ['x', 'y'] });
    expect(held.masked(at)).toEqual({ email: 2 });
    expect([...held.keys(at)]).toEqual([at % 100, (at % 100) + 1].slice(0, (at % 100) % 3));
    expect(held.rowNo(at)).toBe(at - (at % 100));
    expect(held.questionAt(at)).toBe(at);
  });
});

it('ranks rows by age, then score, id and place, as comparing them one by one does', () => {
  const next = seededUniforms('ranks');
  const held = new HeldRows('s');
  // Equal ids and scores are many, so that every key decides somewhere.
  const rows = Array.from({ length: 2000 }, (_, n) => rowOf(n, `made:train:${Math.floor(next() * 400)}`));
  held.add(
    { source: 'made', sourceDataset: 'made' },
    batchOf(rows, () => 60 + Math.floor(next() * 3)),
    new Int32Array(2000),
    null,
  );
  const ageOf = (row: number): number => (row * 7) % 3;
  const slow = rows
    .map((_, row) => row)
    .sort(
      (a, b) =>
        ageOf(a) - ageOf(b) ||
        held.score(b) - held.score(a) ||
        (held.id(a) < held.id(b) ? -1 : held.id(a) > held.id(b) ? 1 : 0) ||
        (held.origin(a).file < held.origin(b).file ? -1 : held.origin(a).file > held.origin(b).file ? 1 : 0) ||
        held.origin(a).row - held.origin(b).row,
    );
  expect([...rankRows(held, ageOf)]).toEqual(slow);
});

it('lets rows that were kept under another seed draw anew', () => {
  const [own, other] = [new HeldRows('s'), new HeldRows('s')];
  const rows = [0, 1, 2].map((n) => rowOf(n));
  own.add(
    { source: 'made', sourceDataset: 'made' },
    batchOf(rows, () => 70),
    new Int32Array(3),
    null,
  );
  other.add(
    { source: 'made', sourceDataset: 'made' },
    batchOf(rows, () => 70, 'another'),
    new Int32Array(3),
    null,
  );
  for (const row of [0, 1, 2]) {
    expect(own.draw(row)).toBe(drawOf('s', own.id(row)));
    expect(other.draw(row)).toBe(own.draw(row));
  }
});
