// Runs test suites as children, shows their output, and counts how many tests passed and failed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..');

/** Runs a program to its end; its output goes to `write` as it comes, and is returned whole. One that cannot be started has failed. */
export function runChild(program, args, { write }) {
  return new Promise((resolved) => {
    const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
    const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...colour } });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      write(text);
    });
    child.stderr.setEncoding('utf8').on('data', write);
    child.once('error', (error) => {
      write(`${program}: ${error.message}\n`);
      resolved({ status: null, output });
    });
    child.once('close', (status) => resolved({ status, output }));
  });
}

/** vitest with its JSON report; a run that reports nothing counts as one failure. */
export const vitest = (args) => async (write) => {
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-vitest-'));
  const report = join(folder, 'report.json');
  try {
    const program = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const { status } = await runChild(process.execPath, [program, 'run', ...reporters, ...args], { write });
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
    const {
      numPassedTests = 0,
      numFailedTests = 0,
      numPendingTests = 0,
      numFailedTestSuites = 0,
    } = JSON.parse(readFileSync(report, 'utf8'));
    const failed = numFailedTests > 0 ? numFailedTests : numFailedTestSuites;
    return { passed: numPassedTests, failed: failed === 0 && status !== 0 ? 1 : failed, skipped: numPendingTests };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** pytest of the trainer; absent when there is no trainer yet. */
export const pytest = (args) => async (write) => {
  if (!existsSync(join(ROOT, 'trainer', 'pyproject.toml'))) return { passed: 0, failed: 0, skipped: 0 };
  const python = join(ROOT, 'trainer', '.venv', 'bin', 'python');
  const { status, output } = await runChild(python, ['-m', 'pytest', '-q', '--no-header', '-p', 'no:cacheprovider', ...args], { write });
  const last = output.trim().split('\n').at(-1) ?? '';
  const number = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(last)?.[1] ?? 0);
  const failed = number('failed') + number('errors?');
  return { passed: number('passed'), failed: failed === 0 && status !== 0 ? 1 : failed, skipped: number('skipped') };
};

/** A command whose exit status is its verdict. */
export const command = (program, args) => async (write) => {
  const { status } = await runChild(program, args, { write });
  return status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
};

/**
 * Runs lanes of suites side by side, the suites of a lane in order, and sums their counts, saying each one's time.
 * The first lane shows its output as it comes; a suite of another lane shows its own whole when it ends.
 */
export async function runLanes(lanes) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const runLane = async (suites, live) => {
    for (const [name, run] of suites) {
      const started = Date.now();
      const held = [];
      const write = live ? (text) => process.stdout.write(text) : (text) => held.push(text);
      if (live) console.log(`\n== ${name}`);
      const { passed, failed, skipped } = await run(write);
      if (!live) console.log(`\n== ${name}\n${held.join('')}`);
      console.log(`== ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${((Date.now() - started) / 1000).toFixed(0)} s`);
      total.passed += passed;
      total.failed += failed;
      total.skipped += skipped;
    }
  };
  await Promise.all(lanes.map((suites, index) => runLane(suites, index === 0)));
  return total;
}

/** The plain closing line, and the exit status. */
export function close(total) {
  console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
  process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
}
