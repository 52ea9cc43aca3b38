// The fast suites through `npm test`'s own command, then the longer series that have scripts of their own.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { close, FAILED, pytest, ROOT, runChild, runCleanly, vitest } from './suite.mjs';

/** `npm test` as a user types it; its closing line is read back so that its tests are counted here. */
async function npmTest(write) {
  const { status, output } = await runChild('npm', ['test', '--silent'], { write });
  const lines = output.trim().split('\n');
  const closing = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/m.exec(lines.at(-1) ?? '');
  if (closing === null)
    return { passed: 0, failed: 1, skipped: 0, failures: [`ended without its closing line: ${lines.slice(-5).join(' | ')}`] };
  const [passed, failed, skipped] = closing.slice(1).map((text) => Number(text ?? 0));
  const failures = lines.filter((line) => line.startsWith(FAILED)).map((line) => line.slice(FAILED.length));
  return { passed, failed: failed === 0 && status !== 0 ? 1 : failed, skipped, failures };
}

const long = (path) => vitest(['--config', 'vitest.long.config.ts', `test/long/${path}`]);
const suites = [
  ['npm test', npmTest],
  ['test:books', long('books')],
];
for (const name of [
  'kill-series',
  'real-rows',
  'hub-pull',
  'planted-identifiers',
  'dry',
  'pausing-faults',
  'caps',
  'allow-unknown-licence',
  'same-order',
  'ingest-again',
  'staleness',
  'rerun-sequences',
  'kill-revert',
])
  if (existsSync(join(ROOT, 'test', 'long', `${name}.test.ts`))) suites.push([name, long(`${name}.test.ts`)]);
if (existsSync(join(ROOT, 'trainer', 'pyproject.toml'))) suites.push(['test:learn', pytest(['trainer/tests', '-m', 'learn'])]);
close(await runCleanly([suites]));
