import { describe, expect, it } from 'vitest';
import { Spool } from '../../hub/spool.ts';

const MB = 1024 * 1024;

describe('texts put aside', () => {
  it('come back by number, few and short ones', () => {
    const spool = new Spool();
    const texts = ['', 'a', 'ä €😀', '\n', ...Array.from({ length: 3000 }, (_, number) => `text ${number}`)];
    expect(texts.map((text) => spool.add(text))).toEqual(texts.map((_, number) => number));
    expect(texts.map((_, number) => spool.read(number))).toEqual(texts);
    spool.close();
  });

  it('come back from the file when they are more than stays in memory, one of them longer than that', () => {
    const spool = new Spool();
    const lengths = [5, 20 * MB, 11 * MB, 3, 40 * MB, 0, 7 * MB, 30 * MB, 1];
    const textOf = (number: number): string => String(number).repeat(lengths[number] ?? 0);
    lengths.forEach((_, number) => spool.add(textOf(number)));
    for (const number of [4, 0, 8, 1, 3, 5, 7, 2, 6]) expect(spool.read(number) === textOf(number)).toBe(true);
    spool.close();
  });
});
