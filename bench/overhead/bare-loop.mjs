// The floor: the same bodies with the openai client (or bare node:http), 64 at a time, replies parsed and nothing kept.
// usage: node bare-loop.mjs BASE_URL BODIES_FILE openai|http
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import OpenAI from 'openai';

const [baseUrl, file, kind] = process.argv.slice(2);
const bodies = readFileSync(file, 'utf8').split('\n').filter(Boolean);
const client = new OpenAI({ apiKey: 'none', baseURL: `${baseUrl}/v1`, maxRetries: 0 });
const agent = new Agent({ keepAlive: true });

function overHttp(body) {
  return new Promise((resolve, reject) => {
    const payload = Buffer.from(body);
    const sent = request(
      `${baseUrl}/v1/chat/completions`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', 'content-length': payload.length } },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}

const began = performance.now();
const cpu = process.cpuUsage();
let next = 0;
await Promise.all(
  Array.from({ length: 64 }, async () => {
    while (next < bodies.length) {
      const body = bodies[next++];
      const reply = kind === 'http' ? await overHttp(body) : await client.chat.completions.create(JSON.parse(body));
      try {
        JSON.parse(reply.choices[0].message.content);
      } catch {
        // Some rehearsal replies are broken on purpose.
      }
    }
  }),
);
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(`${JSON.stringify({ calls: bodies.length, wallMs: performance.now() - began, cpuMs: (user + system) / 1000 })}\n`);
agent.destroy();
