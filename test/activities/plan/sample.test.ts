import { assert, nat, property, string, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import { drawSample } from '../../../activities/plan/sample.ts';

const ids = uniqueArray(string({ minLength: 4, maxLength: 8 }), { maxLength: 40 });

test('a sample is the same for any order of its rows, a larger one holds a smaller one, and what was drawn before stays in', () => {
  assert(
    property(ids, nat(40), nat(40), (all, a, b) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)];
      const small = drawSample('seed', all, less, []);
      expect(small).toHaveLength(Math.min(less, all.length));
      expect(drawSample('seed', [...all].reverse(), less, [])).toEqual(small);
      expect(drawSample('seed', all, more, []).slice(0, small.length)).toEqual(small);
      const rest = all.filter((id) => !small.includes(id));
      expect(new Set(drawSample('seed', rest, more, small))).toEqual(new Set(drawSample('seed', all, more, [])));
    }),
  );
});

test('another seed draws other rows', () => {
  const all = Array.from({ length: 200 }, (_, n) => `row-${n}`);
  expect(drawSample('one', all, 20, [])).not.toEqual(drawSample('two', all, 20, []));
});
