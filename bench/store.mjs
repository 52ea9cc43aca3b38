// Speed and size of the ledger through the real store (after `npm run build`): node bench/store.mjs [calls, default 400000]
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCalls, readCost } from '../dist/cli/queries/calls.js';
import { latestRunFact } from '../dist/cli/queries/latest-run.js';
import { readStatus } from '../dist/cli/queries/status.js';
import { readPrompts } from '../dist/cli/prompt-files.js';
import { specFact } from '../dist/activities/read-spec.js';
import { Config } from '../dist/schemas/config.js';
import { openStore } from '../dist/store/open.js';

const [mode = '400000', given] = process.argv.slice(2);
const keyOf = (n) => createHash('sha256').update(`call ${n}`).digest('hex');
const STEPS = ['screen', 'derive', 'atomize', 'hard-distractor', 'rubrics', 'naturalize', 'review-fidelity', 'review-calibration'];
const system = 'You split passages into atoms. '.repeat(150);
// About 3 KB of reply that deflates to a bit more than half, as real replies do.
const noise = randomBytes(1 << 20).toString('base64');
const replyOf = (n) =>
  JSON.stringify({
    atoms: Array.from(
      { length: 12 },
      (_, i) =>
        `The user has fact ${noise.slice((n * 131 + i * 977) % 900_000).slice(0, 60)} and keeps to it over many words that say little`,
    ),
  });

function intentOf(n) {
  const request = {
    key: keyOf(n),
    provider: 'rehearsal',
    model: 'model-a',
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: JSON.stringify({ task: 'atomize', n, text: noise.slice(n % 900_000, (n % 900_000) + 600) }) },
    ],
    sampling: { temperature: 0 },
    responseFormat: { type: 'json_object' },
    sampleIndex: 0,
    maxTokens: 1024,
    runId: 'run-1',
    step: STEPS[n % STEPS.length],
    partId: 'main',
    candidateId: keyOf(n).slice(0, 16),
    role: 'builder',
    turn: 'first',
  };
  return { request, attempt: 1, series: 0, maxTokens: 1024, intendedAt: 1_790_000_000_000 + n };
}

function completionOf(n) {
  const replyText = replyOf(n);
  return {
    key: keyOf(n),
    attempt: 1,
    series: 0,
    class: 'ok',
    replyText,
    rawBody: JSON.stringify({ id: `req-${n}`, choices: [{ message: { role: 'assistant', content: replyText }, finish_reason: 'stop' }] }),
    finishReason: 'stop',
    usage: { freshInput: 1000, cachedInput: 0, output: 700 },
    costMicroUsd: 321,
    latencyMs: 900,
    returnedModel: 'model-a',
    fingerprint: null,
    requestId: `req-${n}`,
    message: null,
    completedAt: 1_790_000_001_000 + n,
  };
}

const range = (from, count) => Array.from({ length: count }, (_, i) => from + i);
const rss = () => `rss ${Math.round(process.memoryUsage().rss / 1e6)} MB, heap ${Math.round(process.memoryUsage().heapUsed / 1e6)} MB`;
async function timed(label, units, work) {
  const begun = performance.now();
  const cpuBefore = process.cpuUsage();
  const result = await work();
  const seconds = (performance.now() - begun) / 1000;
  const rate = units === null ? '' : `, ${Math.round(units / seconds)} a second`;
  const cpu = process.cpuUsage(cpuBefore);
  console.log(`${label}: ${(seconds * 1000).toFixed(0)} ms${rate} (cpu ${Math.round((cpu.user + cpu.system) / 1000)} ms, ${rss()})`);
  return result;
}

async function fill(store, from, count, batch) {
  for (let n = from; n < from + count; n += batch) {
    const numbers = range(n, Math.min(batch, from + count - n));
    await store.ledger.writeIntents(numbers.map(intentOf));
    await store.ledger.writeCompletions(numbers.map(completionOf));
  }
}

async function writers(file) {
  const store = await openStore(file);
  let n = 10_000_000;
  for (const [concurrency, calls] of [
    [1, 100],
    [16, 1600],
    [64, 6400],
    [128, 12800],
  ]) {
    const each = calls / concurrency;
    await timed(`${concurrency} writers, intent and completion each in a commit of its own call`, calls * 2, () =>
      Promise.all(
        range(0, concurrency).map(async () => {
          for (let i = 0; i < each; i += 1) {
            const mine = n++;
            await store.ledger.writeIntents([intentOf(mine)]);
            await store.ledger.writeCompletions([completionOf(mine)]);
          }
        }),
      ),
    );
  }
  await store.close();
}

async function lookUps(store, calls) {
  const chunks = Math.min(50, Math.floor(calls / 400));
  const serve = async (keys) => {
    const attempts = await store.ledger.attempts(keys);
    const replies = await store.ledger.replies([...attempts.values()].map(([{ key, attempt }]) => ({ key, attempt })));
    if (replies.length !== keys.length) throw new Error('a reply is missing');
  };
  await timed(`look-ups of ${chunks} chunks of 400 calls in stored order, replies verified`, chunks * 400, async () => {
    for (const c of range(0, chunks)) await serve(range(Math.floor((c * calls) / chunks), 400).map(keyOf));
  });
  await timed('look-up of 200 calls spread over the whole file', 200, () =>
    serve(range(0, 200).map((i) => keyOf(Math.floor((i * calls) / 200)))),
  );
  await timed('look-up of 20,000 keys that are not stored', 20_000, () => store.ledger.attempts(range(50_000_000, 20_000).map(keyOf)));
  await timed('spent by run and step, 1,000 times', 1000, async () => {
    for (let i = 0; i < 1000; i += 1) await store.ledger.spent({ runId: 'run-1', step: 'derive' });
  });
  await timed('spent since a time', null, () => store.ledger.spent({ sinceMs: 1_790_000_001_000 + calls / 2 }));
}

/** What `status`, `cost` and `calls` ask of the store. The run has no rows, so that of `status` this is the part that grows with the calls. */
async function questions(store) {
  const config = Config.parse({
    name: 'bench',
    target: { health: 1, general: 1, coding: 1 },
    sources: [{ name: 'none', adapter: 'meddialog', path: 'none.jsonl' }],
  });
  const loaded = { config, file: 'memcalib.config.ts', baseDir: process.cwd(), projectFolder: '' };
  const spec = { runId: 'run-1', label: 'main', startedAt: 1, config, baseDir: '', rehearsal: true, prompts: readPrompts(loaded) };
  await store.putFact(specFact('run-1'), JSON.stringify(spec));
  await store.putFact(latestRunFact('main'), 'run-1');
  await store.startRun({
    id: 'run-1',
    label: 'main',
    kind: 'build',
    pipelineHash: 'p',
    orderId: 'o',
    seed: 's',
    config: JSON.stringify({ modes: {} }),
    startedAt: 1,
  });
  await timed('status', null, () => readStatus(store, 'main'));
  await timed('cost', null, () => readCost(store, { label: 'main' }));
  await timed('the latest 50 calls', null, () => readCalls(store, { filter: {}, limit: 50 }));
}

async function killedWriter(file, from) {
  const child = spawn(process.execPath, [import.meta.filename, 'fill-for-ever', `${file}:${from}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const wal = () => {
    try {
      return statSync(`${file}.wal`).size;
    } catch {
      return 0;
    }
  };
  while (wal() < 115e6) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.on('close', resolve));
  console.log(`killed a writer with a write-ahead log of ${Math.round(wal() / 1e6)} MB`);
}

async function main(calls) {
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-bench-'));
  try {
    await writers(join(folder, 'writers.duckdb'));
    const file = join(folder, 'memcalib.duckdb');
    const store = await openStore(file);
    await timed(`${calls} calls in batches of 500`, calls, () => fill(store, 0, calls, 500));
    await timed('closing', null, () => store.close());
    console.log(`file ${Math.round(statSync(file).size / 1e6)} MB`);
    const again = await timed('opening after a clean close', null, () => openStore(file));
    await lookUps(again, calls);
    await questions(again);
    await again.close();
    await killedWriter(file, calls);
    const after = await timed('opening after a kill', null, () => openStore(file));
    console.log(JSON.stringify(after.ledger.counts()));
    await after.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (mode === 'fill-for-ever') {
  const [file, from] = given.split(':');
  await fill(await openStore(file), Number(from), Number.MAX_SAFE_INTEGER / 2, 500);
} else {
  await main(Number(mode));
}
