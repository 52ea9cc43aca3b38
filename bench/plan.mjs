// What reruns cost besides calls: `plan`, `build`, `why` and `diff` on a built project, each a command of its own as a person types it.
// Rows are recombined demo rows, replies come from the rehearsal model without delay. Usage: npm run bench:plan -- [--rows 60]
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeRows, sourceOf } from './overhead/make-rows.mjs';
import { watch } from './overhead/watch-process.mjs';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { rows: { type: 'string', default: '60' } } });
const rows = Number(values.rows);
const folder = mkdtempSync(join(tmpdir(), 'memcalib-bench-plan-'));
const project = join(folder, '.memcalib');
const prompts = join(folder, 'prompts');
const children = new Set();

function start(args, env = process.env) {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], env });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

const heaps = join(folder, 'heap');
const probed = {
  ...process.env,
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${join(ROOT, 'bench/overhead/heap-probe.mjs')}`,
  MEMCALIB_HEAP_DIR: heaps,
  MEMCALIB_HEAP_ALL: '1',
};

function owner() {
  try {
    return JSON.parse(readFileSync(join(project, 'owner.json'), 'utf8'));
  } catch {
    return null;
  }
}

/** Types a command; gives its wall time, exit code, output, and the memory of it and its owner together. */
async function type(...args) {
  while (owner() !== null) await new Promise((resolve) => setTimeout(resolve, 50));
  rmSync(heaps, { recursive: true, force: true });
  mkdirSync(heaps);
  const began = performance.now();
  const child = start([join(ROOT, 'bin/memcalib.js'), ...args, '--config', join(folder, 'memcalib.config.json')], probed);
  const stop = watch({ cli: () => child.pid, owner: () => owner()?.pid });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const wallS = (performance.now() - began) / 1000;
  const use = Object.values(stop());
  const heap = readdirSync(heaps).reduce((sum, name) => sum + Number(readFileSync(join(heaps, name), 'utf8')) / 1048576, 0);
  return {
    code,
    output,
    wallS,
    cpuS: use.reduce((sum, item) => sum + item.cpuS, 0),
    rssMb: use.reduce((sum, { peakMb }) => sum + peakMb, 0),
    heapMb: heap,
  };
}

function show(name, aim, { wallS, cpuS, rssMb, heapMb }, more = '') {
  const heap = heapMb > 0 ? `, heap ${Math.round(heapMb)} MB` : '';
  console.log(
    `${name.padEnd(34)} ${wallS.toFixed(2).padStart(6)} s, cpu ${cpuS.toFixed(2)} s  (aim ${aim} at 15,000 examples)  peak rss ${Math.round(rssMb)} MB${heap}${more}`,
  );
}

function writeConfig(baseUrl) {
  const model = (name) => ({ provider: 'bench', model: name });
  const config = {
    name: 'bench-plan',
    target: { health: rows, general: rows, coding: rows },
    sources: ['health', 'general', 'coding'].map(sourceOf),
    promptsDir: 'prompts',
    providers: { bench: { baseUrl: `${baseUrl}/v1`, concurrency: 64, startConcurrency: 64, structuredOutput: 'json_schema' } },
    models: { builder: model('rehearsal'), reviewerA: model('rehearsal-a'), reviewerB: model('rehearsal-b') },
  };
  writeFileSync(join(folder, 'memcalib.config.json'), JSON.stringify(config));
}

function expectCode(wanted, { code, output }) {
  if (!wanted.includes(code)) throw new Error(`ended ${code}: ${output.trim().split('\n').at(-1)}`);
}

mkdirSync(heaps);
const server = start([join(ROOT, 'bench/overhead/delay-server.mjs'), '0']);
const baseUrl = await new Promise((resolve) => server.stdout.once('data', (chunk) => resolve(String(chunk).trim())));
const calls = async () => JSON.parse(await (await fetch(`${baseUrl}/count`)).text()).calls;
try {
  makeRows(folder, rows * 3);
  cpSync(join(ROOT, 'prompts'), prompts, { recursive: true });
  writeConfig(baseUrl);
  const load = loadavg()[0];
  const built = await type('build', '--json');
  expectCode([0, 6], built);
  const report = JSON.parse(built.output);
  const accepted = Object.values(report.accepted).reduce((sum, count) => sum + count, 0);
  console.log(`${accepted} examples, ${report.calls.total} calls, built in ${built.wallS.toFixed(1)} s; load ${load.toFixed(1)} before`);
  const before = await calls();
  show('plan, nothing to do', '<= 5 s', await type('plan'));
  const again = await type('build', '--json');
  expectCode([0, 6], again);
  show('build, nothing to do', '<= 10 s', again, `, ${(await calls()) - before} calls`);
  const [call] = JSON.parse((await type('calls', '--json', '--step', 'review-calibration')).output);
  const why = await type('why', call.candidateId);
  expectCode([0], why);
  show('why ID', '<= 0.3 s', why);
  appendFileSync(join(prompts, 'naturalize.md'), '\nTake your time.\n');
  const edited = await type('plan');
  expectCode([9], edited);
  show('plan after an edit of naturalize', '<= 10 s', edited);
  const second = await type('build', '--label', 'b', '--json');
  expectCode([0, 6], second);
  console.log(`build b: ${(await calls()) - before} calls in ${second.wallS.toFixed(1)} s`);
  const compared = await type('diff', 'main', 'b');
  expectCode([0], compared);
  show('diff of two builds', '<= 15 s', compared);
  console.log(`load ${loadavg()[0].toFixed(1)} after`);
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
