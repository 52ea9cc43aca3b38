// Questions made by recombining the sentences of the demo rows, with near-duplicates planted: 88 % stand alone, clusters of 2 to 6.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRows } from '../overhead/make-rows.mjs';

function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** The same text with some words changed: about one word in `every`. */
function altered(text, random, every) {
  return text
    .split(' ')
    .map((word) => (random() < 1 / every ? `${word}${Math.floor(random() * 90) + 10}` : word))
    .join(' ');
}

/** `count` texts; equal on every machine. */
export function makeDocs(count) {
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-docs-'));
  try {
    makeRows(folder, Math.ceil(count * 0.93));
    const texts = ['health', 'general', 'coding'].flatMap((domain) =>
      readFileSync(join(folder, `${domain}.jsonl`), 'utf8')
        .trim()
        .split('\n')
        // A number of its own keeps recombined rows from repeating one another.
        .map((line, n) => `${JSON.parse(line).question} ${domain} case ${n * 7919} of ${n * 104_729}`),
    );
    const random = randomFrom(7);
    const docs = [...texts];
    while (docs.length < count) {
      const base = texts[Math.floor(random() * texts.length)];
      const copies = 1 + Math.floor(random() * random() * 5);
      for (let i = 0; i < copies && docs.length < count; i += 1) docs.push(altered(base, random, 40 + random() * 160));
    }
    return docs.slice(0, count);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
