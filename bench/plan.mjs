// What reruns cost besides calls: `plan`, `build`, `why` and `diff` on a built project, each a command of its own as a person types it.
// The project is made by `bench/plan/make-project.mjs` through the real store; the rehearsal model answers.
// Usage: npm run bench:plan -- [--examples 150] [--folder KEPT] [--rounds 1]   (15000 is the size the aims are for; a kept folder is made
// once and measured as often as one likes: `--rounds 3` types every command three times)
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sourceOf } from './overhead/make-rows.mjs';
import { cpuOfEnded, watch } from './overhead/watch-process.mjs';
import { writeRows } from './plan/rows.mjs';

const ROOT = join(import.meta.dirname, '..');
/** Rows of a domain for each example wanted: about two thirds of the candidates are accepted. */
const ROWS_PER_EXAMPLE = 2.1;
const { values } = parseArgs({
  options: { examples: { type: 'string', default: '150' }, folder: { type: 'string' }, rounds: { type: 'string', default: '1' } },
});
const rounds = Number(values.rounds);
const examples = Number(values.examples);
const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), 'memcalib-bench-plan-')) : resolve(values.folder);
const configFile = join(folder, 'memcalib.config.json');
const project = join(folder, '.memcalib');
const naturalize = join(folder, 'prompts', 'naturalize.md');
/** What is built under label b, and what is only planned: another one, so that it can be planned again on a kept folder. */
const BUILT_EDIT = '\nTake your time.\n';
const PLANNED_EDIT = '\nTake all the time you need.\n';
const children = new Set();

function start(args, env = process.env) {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], env });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

const heaps = mkdtempSync(join(tmpdir(), 'memcalib-bench-heaps-'));
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

async function outputOf(child) {
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const code = await new Promise((done) => child.once('close', done));
  return { code, output };
}

/** Types a command; gives its wall time, exit code, output, and the memory of it and its owner together. */
async function type(env, ...args) {
  while (owner() !== null) await new Promise((done) => setTimeout(done, 50));
  rmSync(heaps, { recursive: true, force: true });
  mkdirSync(heaps);
  const began = performance.now();
  const endedBefore = cpuOfEnded();
  const child = start([join(ROOT, 'bin/memcalib.js'), ...args, '--config', configFile], env);
  const stop = watch({ cli: () => child.pid, owner: () => owner()?.pid });
  const { code, output } = await outputOf(child);
  const wallS = (performance.now() - began) / 1000;
  const watched = stop();
  const ended = cpuOfEnded();
  // What the kernel counted at the end of the command is exact; its owner ends later and is sampled.
  if (ended !== null && endedBefore !== null && watched.cli !== undefined) watched.cli.cpuS = ended - endedBefore;
  const use = Object.values(watched);
  const sum = (pick) => use.reduce((total, item) => total + pick(item), 0);
  const heapMb = readdirSync(heaps)
    .filter((name) => name.startsWith('heap-'))
    .reduce((total, name) => total + Number(readFileSync(join(heaps, name), 'utf8')) / 1048576, 0);
  return { code, output, wallS, cpuS: sum((item) => item.cpuS), rssMb: sum((item) => item.peakMb), heapMb };
}

function show(name, aim, { wallS, cpuS, rssMb, heapMb }, more = '') {
  const heap = heapMb > 0 ? `, heap ${Math.round(heapMb)} MB` : '';
  console.log(
    `${name.padEnd(34)} ${wallS.toFixed(2).padStart(6)} s, cpu ${cpuS.toFixed(2)} s  (aim ${aim} at 15,000 examples)  peak rss ${Math.round(rssMb)} MB${heap}${more}`,
  );
}

function expectCode(wanted, { code, output }) {
  if (!wanted.includes(code)) throw new Error(`ended ${code}: ${output.trim().split('\n').at(-1)}`);
}

async function make(label, ...seed) {
  const result = await outputOf(start([join(ROOT, 'bench/plan/make.mjs'), folder, label, ...seed]));
  expectCode([0], result);
  const { accepted, waived, calls, wallS, cpuS, rssMb } = JSON.parse(result.output);
  const kept = Object.values(accepted).reduce((sum, count) => sum + count, 0);
  console.log(
    `${label}: ${kept} examples, ${calls} calls in the ledger, ${waived} candidates waived; made in ${wallS.toFixed(0)} s, cpu ${cpuS.toFixed(0)} s, peak rss ${Math.round(rssMb)} MB`,
  );
}

function writeProject() {
  const target = { health: Math.ceil(examples / 2), general: Math.ceil(examples / 4), coding: Math.ceil(examples / 4) };
  const counts = Object.fromEntries(Object.entries(target).map(([domain, wanted]) => [domain, Math.ceil(wanted * ROWS_PER_EXAMPLE)]));
  mkdirSync(folder, { recursive: true });
  writeRows(folder, counts);
  cpSync(join(ROOT, 'prompts'), join(folder, 'prompts'), { recursive: true });
  const sources = Object.keys(target).map((domain) => sourceOf(domain));
  writeFileSync(configFile, JSON.stringify({ name: 'bench-plan', target, sources, promptsDir: 'prompts' }));
}

async function callsNow() {
  const result = await type(process.env, 'status', '--json');
  expectCode([0], result);
  return JSON.parse(result.output).calls.total;
}

/** Runs something while one prompt reads otherwise. */
async function withEdit(line, run) {
  const unedited = readFileSync(naturalize, 'utf8');
  appendFileSync(naturalize, line);
  try {
    await run();
  } finally {
    writeFileSync(naturalize, unedited);
  }
}

/** Plans an edit of one prompt. */
async function planEdit() {
  const edited = await type(probed, 'plan');
  expectCode([9], edited);
  show('plan after an edit of naturalize', '<= 10 s', edited);
  console.log(edited.output.split('\n').find((line) => line.startsWith('About')) ?? '');
}

/** Builds an edit of one prompt that changes the data, under another label. */
async function makeSecond() {
  await make('b', 'otherwise');
  writeFileSync(join(folder, 'b-made'), '');
}

async function repeat(run) {
  for (let round = 0; round < rounds; round += 1) await run();
}

async function measureSettled() {
  const nothing = await type(probed, 'plan');
  expectCode([0], nothing);
  show('plan, nothing to do', '<= 5 s, heap <= 512 MB', nothing);
  const before = await callsNow();
  const again = await type(probed, 'build');
  expectCode([0, 6], again);
  show('build, nothing to do', '<= 10 s', again, `, ${(await callsNow()) - before} calls`);
}

async function measureWhy() {
  const calls = JSON.parse((await type(process.env, 'calls', '--json', '--step', 'review-calibration')).output);
  const ids = [...new Set(calls.map(({ candidateId }) => candidateId))].slice(0, 5);
  for (const id of ids) {
    const why = await type(process.env, 'why', id);
    expectCode([0], why);
    show('why ID', '<= 0.3 s', why);
  }
}

async function measureDiff() {
  const compared = await type(probed, 'diff', 'main', 'b');
  expectCode([0], compared);
  show('diff of two builds', '<= 15 s', compared);
  console.log(compared.output.split('\n').slice(0, 3).join('\n'));
}

async function measure() {
  await repeat(measureSettled);
  await repeat(measureWhy);
  if (!existsSync(join(folder, 'b-made'))) await withEdit(BUILT_EDIT, makeSecond);
  await repeat(() => withEdit(PLANNED_EDIT, planEdit));
  await repeat(measureDiff);
}

try {
  console.log(`load ${loadavg()[0].toFixed(1)} before`);
  if (!existsSync(project)) {
    writeProject();
    await make('main');
  }
  await measure();
  console.log(`load ${loadavg()[0].toFixed(1)} after`);
} finally {
  for (const child of children) child.kill();
  rmSync(heaps, { recursive: true, force: true });
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
