// Deterministic screening without duplicates: rows a second on one core, 300-word rows, and where the time goes.
// usage (after `npm run build`): node bench/screen.mjs [--count 6000], or --rows 1000000 [--added 10000] for everything up to the stored order
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { screenRow } from '../dist/datasets/screening/screen-row.js';
import { benchIngest } from './ingest.mjs';
import { makeRows } from './overhead/make-rows.mjs';

const { values } = parseArgs({ options: { count: { type: 'string' }, rows: { type: 'string' }, added: { type: 'string' } } });
if (values.rows !== undefined) {
  await benchIngest(Number(values.rows), Number(values.added ?? 0));
  process.exit(0);
}
const COUNT = Number(values.count ?? 6000);
const WORDS = 300;
const folder = mkdtempSync(join(tmpdir(), 'memcalib-screen-'));
try {
  makeRows(folder, COUNT);
  const joined = ['health', 'general', 'coding'].flatMap((domain) => {
    const lines = readFileSync(join(folder, `${domain}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return lines.map(({ id, question, answer }, n) => {
      let long = answer;
      for (let next = n + 1; `${question} ${long}`.split(' ').length < WORDS; next += 1) long += ` ${lines[next % lines.length].answer}`;
      return {
        source: domain,
        sourceDataset: domain,
        sourceId: id,
        sourceRevision: 'x',
        sourceLicense: 'CC0-1.0',
        attribution: '',
        groupKey: id,
        domain,
        question,
        context: [],
        answer: long,
        origin: { file: 'x', row: 1 },
        metadata: {},
      };
    });
  });
  // Texts as readers give them: not glued together from pieces.
  const rows = JSON.parse(JSON.stringify(joined));
  const run = () => {
    let passed = 0;
    const began = process.cpuUsage();
    for (const row of rows) passed += Number(screenRow(row, { minQualityScore: 60, identifiers: 'mask' }).ok);
    const { user, system } = process.cpuUsage(began);
    return { passed, perSecond: rows.length / ((user + system) / 1e6) };
  };
  run();
  const best = [run(), run(), run()].reduce((a, b) => (a.perSecond > b.perSecond ? a : b));
  console.log(
    `${rows.length} rows of about ${WORDS} words, ${best.passed} pass; load ${loadavg()[0].toFixed(1)}; best of three, CPU seconds`,
  );
  console.log(`screening ${Math.round(best.perSecond).toLocaleString('en-US')} rows/s`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
