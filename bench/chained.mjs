// The work of shared/bench-rivals on our model client: 1,000 rows of six chained calls, 64 in flight, every call durable in the ledger.
// Usage (after `npm run build`): MOCK_URL=http://127.0.0.1:8400/v1 node bench/chained.mjs OUT      A second run over the same OUT resumes.
// `npm run bench:rivals` runs it through shared/bench-rivals/bench.sh: cold, rerun, kill -9 at 3,000 requests, resume.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEndpoint } from '../dist/llm/openai-client.js';
import { callKey } from '../dist/llm/key.js';
import { createLimiter } from '../dist/llm/limiter.js';
import { createModelClient } from '../dist/llm/ledger-client.js';
import { openStore } from '../dist/store/open.js';
import { parseReply } from '../dist/llm/reply-parser.js';
import { priceBook } from '../dist/llm/prices.js';
import { systemClock } from '../dist/llm/clock.js';
import { z } from 'zod';

const ROWS = Number(process.env.ROWS ?? 1000);
const STAGES = 6;
const IN_FLIGHT = 64;
const FIELDS = ['a', 'b', 'c'];
const baseUrl = process.env.MOCK_URL ?? 'http://127.0.0.1:8400/v1';
const out = process.argv[2];
if (out === undefined) throw new Error('usage: node bench/chained.mjs OUT');
mkdirSync(out, { recursive: true });

const began = performance.now();
const store = await openStore(join(out, 'memcalib.duckdb'));
const open = () => ({ closed: false, reason: '', until: null });
const client = createModelClient({
  ledger: store.ledger,
  providers: new Map([
    [
      'mock',
      {
        endpoint: createEndpoint({ name: 'mock', baseUrl, timeoutMs: 60_000, clock: systemClock }),
        limits: { concurrency: IN_FLIGHT, startConcurrency: IN_FLIGHT },
      },
    ],
  ]),
  limiter: createLimiter(systemClock),
  priceOf: priceBook({}),
  caps: () => ({}),
  gate: { state: open, close: (reason, detail) => Promise.reject(new Error(`${reason}: ${detail}`)), onChange: () => () => undefined },
  clock: systemClock,
});
const Reply = z.strictObject({ a: z.string(), b: z.string(), c: z.string() });
const schema = {
  type: 'object',
  properties: Object.fromEntries(FIELDS.map((name) => [name, { type: 'string' }])),
  required: FIELDS,
  additionalProperties: false,
};
const validate = (text) => {
  const parsed = parseReply(text, Reply);
  return parsed.ok ? { ok: true } : parsed;
};

function requestOf(id, stage, previous) {
  const content = {
    provider: 'mock',
    model: 'mock',
    messages: [{ role: 'user', content: `Stage ${stage}. Rewrite the input below and answer with fields a, b and c.\nInput: ${previous}` }],
    sampling: { temperature: 0 },
    responseFormat: { type: 'json_schema', name: 'stage', schema },
    sampleIndex: 0,
  };
  const place = { runId: 'bench', step: 'screen', partId: String(stage), candidateId: String(id), role: 'builder', turn: 'first' };
  return { ...content, key: callKey(content), maxTokens: 400, ...place };
}

const records = [];
let next = 0;
async function worker() {
  while (next < ROWS) {
    const id = next++;
    const text = `row ${id}: a user asks for help with task number ${id} and gives some context about it. `.repeat(4);
    const record = { id, text };
    let previous = text;
    for (let stage = 1; stage <= STAGES; stage++) {
      const outcome = await client.call(requestOf(id, stage, previous), validate);
      if (outcome.kind !== 'reply') throw new Error(JSON.stringify(outcome));
      previous = outcome.text;
      record[`s${stage}`] = JSON.parse(outcome.text);
    }
    records.push(record);
  }
}
// Rows wait for their commits too, so a few more than the calls on the wire are under way; the limiter holds those to 64.
await Promise.all(Array.from({ length: IN_FLIGHT + 16 }, worker));
await client.close();
await store.close();
records.sort((a, b) => a.id - b.id);
const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
writeFileSync(join(out, 'rows.jsonl'), lines);
console.log(`WORK_S ${((performance.now() - began) / 1000).toFixed(3)}`);
console.log(`ROWS_OUT ${records.length}`);
console.log(`COMPLETE ${records.filter((record) => Object.keys(record).length === STAGES + 2).length}`);
console.log(`DIGEST ${createHash('sha256').update(lines).digest('hex').slice(0, 12)}`);
