// Orchestration overhead: `memcalib build` on 1,000 candidates (real owner, Temporal, DuckDB) against a bare loop that makes the same
// calls, on a server with a fixed delay, 64 in flight. Interleaved pairs, medians. Usage: npm run bench:overhead -- [--pairs 5] [--candidates 1000]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeRows, sourceOf } from './overhead/make-rows.mjs';
import { watch, watchHeap } from './overhead/watch-process.mjs';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '5' },
    candidates: { type: 'string', default: '1000' },
    latency: { type: 'string', default: '200' },
    floor: { type: 'string', default: 'openai' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'memcalib-overhead-'));
const children = new Set();

function start(args, options = {}) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

function ended(child) {
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}

const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};

function writeConfig(baseUrl) {
  // One model, so that one lane of 64 serves all roles; the temperatures keep the reviewers' calls apart.
  const model = (temperature) => ({ provider: 'bench', model: 'rehearsal', temperature });
  const many = Number(values.candidates);
  const config = {
    name: 'overhead',
    target: { health: many, general: many, coding: many },
    sources: ['health', 'general', 'coding'].map(sourceOf),
    providers: { bench: { baseUrl: `${baseUrl}/v1`, concurrency: 64, startConcurrency: 64, structuredOutput: 'json_schema' } },
    models: { builder: model(0), reviewerA: model(0.1), reviewerB: model(0.2) },
  };
  writeFileSync(join(folder, 'memcalib.config.json'), JSON.stringify(config));
}

async function ours() {
  const project = join(folder, '.memcalib');
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(project, 'heap'), { recursive: true });
  const env = {
    ...process.env,
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${join(ROOT, 'bench/overhead/heap-probe.mjs')}`,
    MEMCALIB_HEAP_DIR: join(project, 'heap'),
  };
  const began = performance.now();
  const cli = start([join(ROOT, 'bin/memcalib.js'), 'build', '--json', '--config', join(folder, 'memcalib.config.json')], {
    cwd: folder,
    env,
  });
  const ownerFile = () => readJson(join(project, 'owner.json'));
  const stopWatching = watch({ cli: () => cli.pid, owner: () => ownerFile()?.pid, temporal: () => ownerFile()?.temporalPid });
  const heapOf = watchHeap(join(project, 'heap'));
  const { code, text } = await ended(cli);
  const wallMs = performance.now() - began;
  const use = stopWatching();
  const report = JSON.parse(text);
  const heapMb = heapOf();
  while (ownerFile() !== null) await new Promise((resolve) => setTimeout(resolve, 100));
  if (code !== 0 && report.state !== 'dry') throw new Error(`the build ended ${report.state}: ${report.reason}`);
  return { wallMs, use, heapMb, report };
}

const ask = async (path) => (await fetch(`${baseUrl}${path}`)).text();
const counted = async () => JSON.parse(await ask('/count'));
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const seconds = (ms) => (ms / 1000).toFixed(2);

const server = start([join(ROOT, 'bench/overhead/delay-server.mjs'), values.latency]);
const baseUrl = await new Promise((resolve) => server.stdout.once('data', (chunk) => resolve(String(chunk).trim())));
try {
  makeRows(folder, Number(values.candidates));
  writeConfig(baseUrl);
  await ask('/mark?latency=0&keep=1');
  const warm = await ours();
  const bodies = join(folder, 'bodies.jsonl');
  writeFileSync(bodies, await ask('/bodies'));
  const candidates = Object.values(warm.report.candidates).reduce((sum, count) => sum + count, 0);
  console.log(
    `${candidates} candidates, accepted ${Object.values(warm.report.accepted).join(' + ')}; ${warm.report.calls.total} calls; delay ${values.latency} ms, 64 in flight, floor: ${values.floor}`,
  );
  const pairs = [];
  for (let pair = 1; pair <= Number(values.pairs); pair += 1) {
    const load = loadavg()[0];
    await ask(`/mark?latency=${values.latency}`);
    const floor = JSON.parse((await ended(start([join(ROOT, 'bench/overhead/bare-loop.mjs'), baseUrl, bodies, values.floor]))).text);
    await ask(`/mark?latency=${values.latency}`);
    const before = await counted();
    const full = await ours();
    const seen = await counted();
    const { owner, temporal, cli } = full.use;
    const one = { ratio: full.wallMs / floor.wallMs, span: seen.spanMs / floor.wallMs, rss: owner.peakMb, heap: full.heapMb };
    pairs.push(one);
    console.log(
      `pair ${pair}: bare ${seconds(floor.wallMs)} s (cpu ${seconds(floor.cpuMs)}), build ${seconds(full.wallMs)} s, first to last call ${seconds(seen.spanMs)} s, ratio ${one.ratio.toFixed(3)} (calls alone ${one.span.toFixed(3)}); ` +
        `cpu owner ${owner.cpuS} + temporal ${temporal?.cpuS ?? 0} + cli ${cli.cpuS} + server ${seconds(seen.cpuMs - before.cpuMs)} s; ` +
        `peak rss owner ${Math.round(owner.peakMb)} + temporal ${Math.round(temporal?.peakMb ?? 0)} MB, heap ${Math.round(full.heapMb)} MB; ` +
        `${floor.calls} and ${seen.calls} calls (${seen.misses} unforeseen), most in flight ${seen.most}; load ${load.toFixed(1)}`,
    );
  }
  const of = (name) => median(pairs.map((pair) => pair[name]));
  console.log(
    `median of ${pairs.length}: whole build / bare loop ${of('ratio').toFixed(3)}, first to last call / bare loop ${of('span').toFixed(3)}, peak rss ${Math.round(of('rss'))} MB, heap ${Math.round(of('heap'))} MB`,
  );
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
