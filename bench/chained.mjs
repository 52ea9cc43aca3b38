// The work of shared/bench-rivals on our model client: 1,000 rows of six chained calls, 64 in flight, every call durable in the ledger.
// Usage (after `npm run build`): MOCK_URL=http://127.0.0.1:8400/v1 node bench/chained.mjs OUT [--bare]
// A second run over the same OUT resumes; --bare is the floor: the openai client in a loop, nothing kept. bench/rivals.mjs measures both.
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
import OpenAI from 'openai';
import { z } from 'zod';

const ROWS = Number(process.env.ROWS ?? 1000);
const STAGES = 6;
const IN_FLIGHT = 64;
const FIELDS = ['a', 'b', 'c'];
const baseUrl = process.env.MOCK_URL ?? 'http://127.0.0.1:8400/v1';
const [out, mode] = process.argv.slice(2);
if (out === undefined) throw new Error('usage: node bench/chained.mjs OUT');
mkdirSync(out, { recursive: true });

const Reply = z.strictObject({ a: z.string(), b: z.string(), c: z.string() });
const schema = {
  type: 'object',
  properties: Object.fromEntries(FIELDS.map((name) => [name, { type: 'string' }])),
  required: FIELDS,
  additionalProperties: false,
};
const promptOf = (stage, previous) => `Stage ${stage}. Rewrite the input below and answer with fields a, b and c.\nInput: ${previous}`;
const validate = (text) => {
  const parsed = parseReply(text, Reply);
  return parsed.ok ? { ok: true } : parsed;
};

/** Runs all rows, so many at a time; `ask` gives the reply text of one call. */
async function drive(atOnce, ask) {
  const records = [];
  let next = 0;
  const worker = async () => {
    while (next < ROWS) {
      const id = next++;
      const text = `row ${id}: a user asks for help with task number ${id} and gives some context about it. `.repeat(4);
      const record = { id, text };
      let previous = text;
      for (let stage = 1; stage <= STAGES; stage++) {
        previous = await ask(id, stage, previous);
        record[`s${stage}`] = JSON.parse(previous);
      }
      records.push(record);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return records.sort((a, b) => a.id - b.id);
}

async function bare() {
  const client = new OpenAI({ apiKey: 'none', baseURL: baseUrl, maxRetries: 0 });
  return drive(IN_FLIGHT, async (_, stage, previous) => {
    const reply = await client.chat.completions.create({
      model: 'mock',
      messages: [{ role: 'user', content: promptOf(stage, previous) }],
      response_format: { type: 'json_schema', json_schema: { name: 'stage', schema, strict: true } },
    });
    return reply.choices[0].message.content;
  });
}

async function ours() {
  const store = await openStore(join(out, 'memcalib.duckdb'));
  const endpoint = createEndpoint({ name: 'mock', baseUrl, timeoutMs: 60_000, clock: systemClock });
  const client = createModelClient({
    ledger: store.ledger,
    providers: new Map([['mock', { endpoint, limits: { concurrency: IN_FLIGHT, startConcurrency: IN_FLIGHT } }]]),
    limiter: createLimiter(systemClock),
    priceOf: priceBook({}),
    caps: () => ({}),
    gate: {
      state: () => ({ closed: false, reason: '', until: null }),
      close: (reason, detail) => Promise.reject(new Error(`${reason}: ${detail}`)),
      onChange: () => () => undefined,
    },
    clock: systemClock,
  });
  // Rows wait for their commits too, so more are under way than the limiter lets on the wire.
  const records = await drive(2 * IN_FLIGHT, async (id, stage, previous) => {
    const content = {
      provider: 'mock',
      model: 'mock',
      messages: [{ role: 'user', content: promptOf(stage, previous) }],
      sampling: { temperature: 0 },
      responseFormat: { type: 'json_schema', name: 'stage', schema },
      sampleIndex: 0,
    };
    const place = { runId: 'bench', step: 'screen', partId: String(stage), candidateId: String(id), role: 'builder', turn: 'first' };
    const outcome = await client.call({ ...content, key: callKey(content), maxTokens: 400, ...place }, validate);
    if (outcome.kind !== 'reply') throw new Error(JSON.stringify(outcome));
    return outcome.text;
  });
  await client.close();
  await store.close();
  return records;
}

const began = performance.now();
const records = mode === '--bare' ? await bare() : await ours();
const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
writeFileSync(join(out, 'rows.jsonl'), lines);
console.log(`WORK_S ${((performance.now() - began) / 1000).toFixed(3)}`);
console.log(`ROWS_OUT ${records.length}`);
console.log(`COMPLETE ${records.filter((record) => Object.keys(record).length === STAGES + 2).length}`);
console.log(`DIGEST ${createHash('sha256').update(lines).digest('hex').slice(0, 12)}`);
