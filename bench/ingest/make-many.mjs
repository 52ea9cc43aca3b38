// Writes any number of rows by recombining the sentences of the demo rows: 88 % stand alone, the rest are altered copies in clusters of 2 to 6.
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom, sentencePools } from '../overhead/make-rows.mjs';

const ALONE = 0.88;
const pick = (list, random) => list[Math.floor(random() * list.length)];

/** A sentence with about one word in eight replaced by another of the domain, so that rows that share sentences are no near-duplicates. */
function varied(sentence, vocabulary, random) {
  return sentence
    .split(' ')
    .map((word) => (random() < 0.125 ? pick(vocabulary, random) : word))
    .join(' ');
}

/** The same text with one word in 40 to 200 changed. */
function altered(text, random) {
  const every = 40 + random() * 160;
  return text
    .split(' ')
    .map((word) => (random() < 1 / every ? `${word}${Math.floor(random() * 90) + 10}` : word))
    .join(' ');
}

/** Writes `<domain>-<prefix>.jsonl` for the three domains into a folder, `count` rows in all; equal on every machine. Ids begin with the prefix. */
export function makeMany(folder, count, prefix = 'row', seed = 11) {
  const pools = sentencePools();
  pools.forEach(({ domain, told, asked, said }, index) => {
    const random = randomFrom(seed + index);
    const vocabulary = [...new Set([...told, ...said].flatMap((part) => part.split(' ')).filter((word) => /^[a-z]{4,}$/.test(word)))];
    const file = openSync(join(folder, `${domain}-${prefix}.jsonl`), 'w');
    const share = Math.floor(count / pools.length) + (index < count % pools.length ? 1 : 0);
    const several = (pool, many) => Array.from({ length: many }, () => varied(pick(pool, random), vocabulary, random)).join(' ');
    let lines = '';
    let copies = [];
    for (let n = 0; n < share; n += 1) {
      const isCopy = copies.length > 0 && random() > ALONE;
      const question = isCopy ? altered(pick(copies, random), random) : `${several(told, 6)} ${several(asked, 1)}`;
      // A few of the latest have copies.
      if (!isCopy && random() < 0.04) copies = [...copies.slice(-200), question];
      lines += `${JSON.stringify({ id: `${prefix}-${domain}-${n}`, question, answer: several(said, 8) })}\n`;
      if (lines.length < 1 << 20 && n + 1 < share) continue;
      writeSync(file, lines);
      lines = '';
    }
    closeSync(file);
  });
}
