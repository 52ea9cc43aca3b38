// Runs test suites as children, shows their output, and counts how many tests passed and failed.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '..');

/** Runs a program to its end; its output goes to `write` as it comes, and is returned whole. One that cannot be started has failed. */
export function runChild(program, args, { write }) {
  return new Promise((resolved) => {
    const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
    const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...colour } });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      write(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors = (errors + text).slice(-20_000);
      write(text);
    });
    child.once('error', (error) => {
      write(`${program}: ${error.message}\n`);
      resolved({ status: null, output, errors: error.message });
    });
    child.once('close', (status) => resolved({ status, output, errors }));
  });
}

/** What a run that failed without a failing test said of it, or said last; for a recap that stands where the whole output does not. */
function lastWords({ status, output, errors }) {
  const said = stripVTControlCharacters(`${output}\n${errors}`);
  const unhandled = said.lastIndexOf('Unhandled Error');
  const lines = (unhandled === -1 ? said : said.slice(unhandled)).split('\n').map((line) => line.trim());
  const worded = lines.filter((line) => /\w/.test(line));
  return `ended with status ${status}: ${(unhandled === -1 ? worded.slice(-8) : worded.slice(0, 12)).join(' | ').slice(0, 1_200)}`;
}

const failedTests = ({ testResults = [] }) =>
  testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(ROOT, name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0) return status === 'failed' ? [`${file}: ${stripVTControlCharacters(message).slice(0, 600)}`] : [];
    return tests.map((test) => `${file} > ${test.fullName}: ${stripVTControlCharacters(test.failureMessages.join(' ')).slice(0, 600)}`);
  });

/** vitest with its JSON report; a run that reports nothing counts as one failure. */
export const vitest = (args) => async (write) => {
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-vitest-'));
  const report = join(folder, 'report.json');
  try {
    const program = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const ended = await runChild(process.execPath, [program, 'run', ...reporters, ...args], { write });
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, failures: [lastWords(ended)] };
    const results = JSON.parse(readFileSync(report, 'utf8'));
    const { numPassedTests = 0, numPendingTests = 0 } = results;
    const failures = failedTests(results);
    if (failures.length === 0 && ended.status !== 0) failures.push(lastWords(ended));
    return { passed: numPassedTests, failed: failures.length, skipped: numPendingTests, failures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** pytest of the trainer; absent when there is no trainer yet. */
export const pytest = (args) => async (write) => {
  if (!existsSync(join(ROOT, 'trainer', 'pyproject.toml'))) return { passed: 0, failed: 0, skipped: 0 };
  const python = join(ROOT, 'trainer', '.venv', 'bin', 'python');
  const ended = await runChild(python, ['-m', 'pytest', '-q', '--no-header', '-p', 'no:cacheprovider', ...args], { write });
  const { status, output } = ended;
  const last = output.trim().split('\n').at(-1) ?? '';
  const number = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(last)?.[1] ?? 0);
  const failed = number('failed') + number('errors?');
  const outside = failed === 0 && status !== 0;
  const failures = outside
    ? [lastWords(ended)]
    : [...stripVTControlCharacters(output).matchAll(/^(?:FAILED|ERROR) (.*)$/gm)].map(([, line]) => line);
  return { passed: number('passed'), failed: outside ? 1 : failed, skipped: number('skipped'), failures };
};

/** A command whose exit status is its verdict. */
export const command = (program, args) => async (write) => {
  const ended = await runChild(program, args, { write });
  return ended.status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0, failures: [lastWords(ended)] };
};

/**
 * Runs lanes of suites side by side, the suites of a lane in order, and sums their counts, saying each one's time.
 * The first lane shows its output as it comes; a suite of another lane shows its own whole when it ends.
 */
export async function runLanes(lanes) {
  const total = { passed: 0, failed: 0, skipped: 0, failures: [] };
  const runLane = async (suites, live) => {
    for (const [name, run] of suites) {
      const started = Date.now();
      const held = [];
      const write = live ? (text) => process.stdout.write(text) : (text) => held.push(text);
      if (live) console.log(`\n== ${name}`);
      const { passed, failed, skipped, failures = [] } = await run(write);
      if (!live) console.log(`\n== ${name}\n${held.join('')}`);
      console.log(`== ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${((Date.now() - started) / 1000).toFixed(0)} s`);
      total.passed += passed;
      total.failed += failed;
      total.skipped += skipped;
      total.failures.push(...failures.map((failure) => `${name}: ${failure.replaceAll(/\s*\n\s*/g, ' | ')}`));
    }
  };
  await Promise.all(lanes.map((suites, index) => runLane(suites, index === 0)));
  return total;
}

/** An owner that lost its client ends within seconds; one that waits for Temporal to let go takes longest. */
const PATIENCE_MS = 45_000;

/** Processes that live with this folder for their temporary files: all that the suites started, however they were detached (Linux only). */
function processesWith(temp) {
  const wanted = `TMPDIR=${temp}`;
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const belongs = readFileSync(join('/proc', pid, 'environ'), 'utf8')
        .split('\0')
        .includes(wanted);
      const command = readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
        .split('\0')
        .join(' ')
        .trim();
      return belongs && command !== '' ? [`process ${pid}: ${command.slice(0, 200)}`] : [];
    } catch {
      return [];
    }
  });
}

async function leftBehind(temp) {
  const deadline = Date.now() + PATIENCE_MS;
  const processes = () => (existsSync('/proc') ? processesWith(temp) : []);
  while (processes().length > 0 && Date.now() < deadline) await new Promise((resolved) => setTimeout(resolved, 500));
  return [...processes(), ...readdirSync(temp).filter((name) => name.startsWith('memcalib'))];
}

/** Runs lanes with a folder for temporary files of their own; what still lives or lies there in the end counts as one failed test. */
export async function runCleanly(lanes) {
  const temp = mkdtempSync(join(tmpdir(), 'memcalib-suite-'));
  // Like /tmp: some tests become another user.
  chmodSync(temp, 0o1777);
  process.env['TMPDIR'] = temp;
  const total = await runLanes(lanes);
  const left = await leftBehind(temp);
  rmSync(temp, { recursive: true, force: true });
  if (left.length === 0) return { ...total, passed: total.passed + 1 };
  const failures = [...total.failures, `left behind: ${left.join(' | ')}`];
  return { ...total, failed: total.failed + 1, failures };
}

/** What marks a line of the recap; `.ci/run` reads those of `npm test` back. */
export const FAILED = 'failed: ';

/** Every failure by name once more (a record may keep only the end of the output), the plain closing line, and the exit status. */
export function close(total) {
  for (const failure of total.failures) console.log(`${FAILED}${failure}`);
  console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
  process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
}
