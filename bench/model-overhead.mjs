// What our client costs over a bare loop of the openai client on the same mock: interleaved pairs, medians, at 200 ms and at 5 ms.
// Usage: npm run build && node bench/model-overhead.mjs [--pairs 5] [--calls 2000] [--latency 200] [--ledger ./dist/...js#factory]
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import OpenAI from 'openai';

const ROOT = resolve(import.meta.dirname, '..');
const CONCURRENCY = 64;
const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '5' },
    calls: { type: 'string', default: '2000' },
    latency: { type: 'string', default: '200' },
    ledger: { type: 'string' },
    dist: { type: 'string', default: join(ROOT, 'dist') },
  },
});
const shared = process.env['MEMCALIB_SHARED'] ?? resolve(ROOT, '../shared');
const mockPath = join(shared, 'bench-rivals/mock.mjs');
if (!existsSync(mockPath)) throw new Error(`${mockPath} is absent; set MEMCALIB_SHARED to the folder that holds bench-rivals`);

const load = (path) => import(join(resolve(values.dist), path));
const [{ createModelClient }, { createLimiter }, { createEndpoint }, { callKey }, { systemClock }, { priceBook }, { parseReply }] =
  await Promise.all(
    ['ledger-client', 'limiter', 'openai-client', 'key', 'clock', 'prices', 'reply-parser'].map((name) => load(`llm/${name}.js`)),
  );
const { z } = await import('zod');
const Reply = z.strictObject({ a: z.string(), b: z.string(), c: z.string() });

const port = await new Promise((done) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const free = probe.address().port;
    probe.close(() => done(free));
  });
});
const mock = spawn(process.execPath, [mockPath], {
  env: { ...process.env, PORT: String(port), LATENCY_MS: values.latency },
  stdio: ['ignore', 'pipe', 'inherit'],
});
await new Promise((done) => mock.stdout.once('data', done));
const baseURL = `http://127.0.0.1:${port}/v1`;

const messages = (id) => [
  { role: 'system', content: 'Rewrite the input and answer with the fields a, b and c. '.repeat(20) },
  { role: 'user', content: `row ${id}: a user asks for help with task number ${id} and gives some context about it. `.repeat(8) },
];

async function bare(calls, tag) {
  const client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 });
  let next = 0;
  const worker = async () => {
    while (next < calls) {
      const reply = await client.chat.completions.create({
        model: 'mock',
        messages: messages(`${tag}-${next++}`),
        temperature: 0,
        max_tokens: 400,
      });
      JSON.parse(reply.choices[0].message.content);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

const validate = (text) => {
  const parsed = parseReply(text, Reply);
  return parsed.ok ? { ok: true } : parsed;
};

async function ours(calls, tag) {
  const { ledger, close } = await makeLedger();
  const endpoint = createEndpoint({ name: 'mock', baseUrl: baseURL, timeoutMs: 60_000, clock: systemClock });
  const client = createModelClient({
    ledger,
    providers: new Map([['mock', { endpoint, limits: { concurrency: CONCURRENCY, startConcurrency: CONCURRENCY } }]]),
    limiter: createLimiter(systemClock),
    priceOf: priceBook({}),
    caps: () => ({}),
    gate: {
      state: () => ({ closed: false, reason: '', until: null }),
      close: async (reason, detail) => {
        throw new Error(`${reason}: ${detail}`);
      },
      onChange: () => () => {},
    },
    clock: systemClock,
  });
  const requests = Array.from({ length: calls }, (_, index) => {
    const content = {
      provider: 'mock',
      model: 'mock',
      messages: messages(`${tag}-${index}`),
      sampling: { temperature: 0 },
      responseFormat: { type: 'text' },
      sampleIndex: 0,
    };
    return {
      ...content,
      key: callKey(content),
      maxTokens: 400,
      runId: 'bench',
      step: 'screen',
      partId: 'main',
      candidateId: `c${index}`,
      role: 'builder',
      turn: 'first',
    };
  });
  const began = performance.now();
  // As activities do: chunks of 100 in flight, prefetched chunk by chunk.
  const chunks = Array.from({ length: Math.ceil(calls / 100) }, (_, index) => requests.slice(index * 100, index * 100 + 100));
  let next = 0;
  const worker = async () => {
    while (next < chunks.length) {
      const chunk = chunks[next++];
      await client.prefetch(chunk.map(({ key }) => key));
      for (const outcome of await Promise.all(chunk.map((request) => client.call(request, validate)))) {
        if (outcome.kind !== 'reply') throw new Error(JSON.stringify(outcome));
      }
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  const wallMs = performance.now() - began;
  const again = performance.now();
  await client.prefetch(requests.map(({ key }) => key));
  await Promise.all(requests.map((request) => client.call(request, validate)));
  const rerunMs = performance.now() - again;
  await client.close();
  await close();
  return { wallMs, rerunMs };
}

async function makeLedger() {
  if (values.ledger !== undefined) {
    const [path, factory] = values.ledger.split('#');
    return (await import(resolve(path)))[factory]();
  }
  const { openStore } = await load('store/open.js');
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-model-'));
  const store = await openStore(join(folder, 'memcalib.duckdb'));
  const close = async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ledger: store.ledger, close };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const timed = async (work) => {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: result?.wallMs ?? performance.now() - began, cpuMs: (user + system) / 1000, rerunMs: result?.rerunMs ?? 0 };
};

const calls = Number(values.calls);
const pairs = [];
try {
  await bare(CONCURRENCY * 2, 'warm');
  await ours(CONCURRENCY * 2, 'warm');
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const floor = await timed(() => bare(calls, `bare${pair}`));
    const full = await timed(() => ours(calls, `ours${pair}`));
    pairs.push({ floor, full, ratio: full.wallMs / floor.wallMs });
    console.log(
      `pair ${pair + 1}: bare ${(floor.wallMs / 1000).toFixed(2)} s (${Math.round((calls / floor.wallMs) * 1000)}/s, cpu ${(floor.cpuMs / calls).toFixed(2)} ms/call), ` +
        `ours ${(full.wallMs / 1000).toFixed(2)} s (${Math.round((calls / full.wallMs) * 1000)}/s, cpu ${(full.cpuMs / calls).toFixed(2)} ms/call), ` +
        `ratio ${(full.wallMs / floor.wallMs).toFixed(3)}, rerun ${Math.round((calls / full.rerunMs) * 1000)}/s`,
    );
  }
} finally {
  mock.kill();
}
console.log(
  `${calls} calls at ${values.latency} ms, ${CONCURRENCY} in flight, ledger ${values.ledger ?? 'DuckDB, every call durable'}: median ratio ${median(pairs.map(({ ratio }) => ratio)).toFixed(3)} ` +
    `(ours ÷ bare openai loop; below 1 is faster), rss ${Math.round(process.memoryUsage().rss / 1048576)} MB`,
);
