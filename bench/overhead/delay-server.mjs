// An OpenAI-compatible server with a fixed delay: answers as the rehearsal model does, each body computed once and kept.
// usage: node delay-server.mjs LATENCY_MS; prints its base URL. POST /mark starts a new count, GET /count reads it, GET /bodies the last run's bodies.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { startRehearsalServer } from '../../dist/llm/rehearsal/server.js';

let latencyMs = Number(process.argv[2] ?? 200);
const model = await startRehearsalServer({});
const replies = new Map();
let run = { calls: 0, misses: 0, inFlight: 0, most: 0, firstAt: 0, lastAt: 0, bodies: [] };

async function replyTo(body) {
  const key = createHash('sha1').update(body).digest('base64');
  const known = replies.get(key);
  if (known !== undefined) return known;
  run.misses += 1;
  const made = fetch(`${model.url}/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
    async (response) => ({ status: response.status, payload: Buffer.from(await response.arrayBuffer()) }),
  );
  replies.set(key, made);
  const reply = await made;
  replies.set(key, reply);
  return reply;
}

function chat(request, response) {
  const chunks = [];
  run.inFlight += 1;
  run.most = Math.max(run.most, run.inFlight);
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const arrived = performance.now();
    if (run.firstAt === 0) run.firstAt = arrived;
    run.calls += 1;
    const body = Buffer.concat(chunks);
    if (run.keep === true) run.bodies.push(body);
    const { status, payload } = await replyTo(body);
    setTimeout(
      () => {
        run.inFlight -= 1;
        run.lastAt = performance.now();
        response.writeHead(status, { 'content-type': 'application/json', 'content-length': payload.length }).end(payload);
      },
      Math.max(0, latencyMs - (performance.now() - arrived)),
    );
  });
}

const server = createServer((request, response) => {
  if (request.url === '/v1/chat/completions') return chat(request, response);
  if (request.url?.startsWith('/mark')) {
    const wanted = new URL(request.url, 'http://x').searchParams;
    if (wanted.has('latency')) latencyMs = Number(wanted.get('latency'));
    run = { calls: 0, misses: 0, inFlight: 0, most: 0, firstAt: 0, lastAt: 0, bodies: [], keep: wanted.has('keep') };
    return response.end('{}');
  }
  if (request.url === '/count') {
    const { user, system } = process.cpuUsage();
    const { bodies: _bodies, ...counts } = run;
    return response.end(JSON.stringify({ ...counts, spanMs: run.lastAt - run.firstAt, cpuMs: (user + system) / 1000 }));
  }
  if (request.url === '/bodies') {
    for (const body of run.bodies) response.write(Buffer.concat([body, Buffer.from('\n')]));
    run.bodies = [];
    return response.end();
  }
  response.writeHead(404).end();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
