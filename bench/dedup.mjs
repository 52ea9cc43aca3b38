// Near-duplicates: speed (tokenising included) and recall beside rensa and datasketch on the same texts.
// usage (after `npm run build`): node bench/dedup.mjs [texts, default 20000]; MEMCALIB_PYTHON names a Python with rensa and datasketch
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNearDuplicateIndex } from '../dist/datasets/near-duplicates.js';
import { textSimilarity } from '../dist/datasets/shingle-sets.js';
import { makeDocs } from './dedup/make-docs.mjs';

const COUNT = Number(process.argv[2] ?? 20_000);
const TRUTH = Math.min(COUNT, 3000);
const python = process.env.MEMCALIB_PYTHON ?? 'python3';
const docs = makeDocs(COUNT);
// A slice with whole clusters: the last texts are the planted copies, so both ends are taken.
const slice = [...docs.slice(0, TRUTH / 2), ...docs.slice(-TRUTH / 2)];

/** Pairs at or above 0.85 by looking at every pair: what each must find. */
function truthOf(texts) {
  const pairs = [];
  const words = texts.map((text) => new Set(text.toLowerCase().split(' ')));
  for (let a = 0; a < texts.length; a += 1)
    for (let b = a + 1; b < texts.length; b += 1) {
      // Word sets far apart cannot have near shingle sets: spares most of the work, loses nothing.
      let common = 0;
      for (const word of words[a]) common += Number(words[b].has(word));
      if (common / Math.max(words[a].size, words[b].size) < 0.7) continue;
      const similarity = textSimilarity(texts[a], texts[b]);
      if (similarity >= 0.8) pairs.push({ key: `${a} ${b}`, similarity });
    }
  return pairs;
}

function ours(texts) {
  const began = process.cpuUsage();
  const index = createNearDuplicateIndex(0.8);
  const pairs = [];
  texts.forEach((text, number) => {
    for (const other of index.addAndMatch(text)) pairs.push([other, number]);
  });
  const { user, system } = process.cpuUsage(began);
  return { seconds: (user + system) / 1e6, pairs };
}

const folder = mkdtempSync(join(tmpdir(), 'memcalib-dedup-'));
function rival(name, texts) {
  const file = join(folder, 'texts.json');
  writeFileSync(file, JSON.stringify(texts));
  const result = spawnSync(python, [join(import.meta.dirname, 'dedup', 'rivals.py'), file, name], { encoding: 'utf8', maxBuffer: 1 << 28 });
  return result.status === 0 ? JSON.parse(result.stdout) : null;
}

try {
  const truth = truthOf(slice);
  const must = truth.filter(({ similarity }) => similarity >= 0.85).map(({ key }) => key);
  const may = new Set(truth.map(({ key }) => key));
  console.log(
    `${COUNT} texts of ${Math.round(docs.reduce((sum, text) => sum + text.split(' ').length, 0) / COUNT)} words; load ${loadavg()[0].toFixed(1)}; CPU seconds of one thread`,
  );
  ours(docs.slice(0, 2000)); // warm
  const runs = {
    memcalib: ours,
    rensa: (texts) => rival('rensa', texts),
    datasketch: (texts) => rival('datasketch', texts),
  };
  for (const [name, run] of Object.entries(runs)) {
    const timed = run(docs);
    if (timed === null) {
      console.log(`${name.padEnd(11)} not there: pip install ${name}, then MEMCALIB_PYTHON=/path/to/python`);
      continue;
    }
    const found = new Set(run(slice).pairs.map(([a, b]) => `${a} ${b}`));
    const recall = must.filter((key) => found.has(key)).length / Math.max(1, must.length);
    const precision = [...found].filter((key) => may.has(key)).length / Math.max(1, found.size);
    console.log(
      `${name.padEnd(11)} ${Math.round(COUNT / timed.seconds)
        .toLocaleString('en-US')
        .padStart(7)} texts/s, recall ${recall.toFixed(4)} of ${must.length} pairs at 0.85 or more, precision ${precision.toFixed(4)}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
