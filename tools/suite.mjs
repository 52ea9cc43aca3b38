// Runs one test suite as a child, shows its output, and returns how many tests passed and failed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..');

/** vitest with its JSON report; a run that reports nothing counts as one failure. */
export function vitest(args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-vitest-'));
  const report = join(folder, 'report.json');
  try {
    const result = spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...args,
      ],
      { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } },
    );
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
    const {
      numPassedTests = 0,
      numFailedTests = 0,
      numPendingTests = 0,
      numFailedTestSuites = 0,
    } = JSON.parse(readFileSync(report, 'utf8'));
    const failed = numFailedTests > 0 ? numFailedTests : numFailedTestSuites;
    return { passed: numPassedTests, failed: failed === 0 && result.status !== 0 ? 1 : failed, skipped: numPendingTests };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** pytest of the trainer; absent when there is no trainer yet. */
export function pytest(args) {
  if (!existsSync(join(ROOT, 'trainer', 'pyproject.toml'))) return { passed: 0, failed: 0, skipped: 0 };
  const python = join(ROOT, 'trainer', '.venv', 'bin', 'python');
  const result = spawnSync(python, ['-m', 'pytest', '-q', '--no-header', '-p', 'no:cacheprovider', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.stdout.write(result.stdout ?? '');
  const last = (result.stdout ?? '').trim().split('\n').at(-1) ?? '';
  const number = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(last)?.[1] ?? 0);
  const failed = number('failed') + number('errors?');
  return { passed: number('passed'), failed: failed === 0 && result.status !== 0 ? 1 : failed, skipped: number('skipped') };
}

/** A command whose exit status is its verdict. */
export function command(program, args, env = {}) {
  const result = spawnSync(program, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
  return result.status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

/** Runs suites in order and sums their counts, saying each one's time. */
export function runAll(suites) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, run] of suites) {
    const started = Date.now();
    console.log(`\n== ${name}`);
    const { passed, failed, skipped } = run();
    console.log(`== ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${((Date.now() - started) / 1000).toFixed(0)} s`);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}

/** The plain closing line, and the exit status. */
export function close(total) {
  console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
  process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
}
