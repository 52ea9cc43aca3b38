// The fast suites through `npm test`'s own command, then the longer series that have scripts of their own.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { close, pytest, ROOT, runAll, vitest } from './suite.mjs';

/** `npm test` as a user types it; its closing line is read back so that its tests are counted here. */
function npmTest() {
  const result = spawnSync('npm', ['test', '--silent'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
  });
  process.stdout.write(result.stdout ?? '');
  const closing = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/m.exec((result.stdout ?? '').trim().split('\n').at(-1) ?? '');
  if (closing === null) return { passed: 0, failed: 1, skipped: 0 };
  const [passed, failed, skipped] = closing.slice(1).map((text) => Number(text ?? 0));
  return { passed, failed: failed === 0 && result.status !== 0 ? 1 : failed, skipped };
}

const long = (name) => vitest(['--config', 'vitest.long.config.ts', `test/long/${name}.test.ts`]);
const suites = [
  ['npm test', npmTest],
  ['test:books', () => vitest(['--config', 'vitest.long.config.ts', 'test/long/books'])],
];
for (const name of ['kill-series', 'real-rows', 'hub-pull', 'planted-identifiers', 'dry'])
  if (existsSync(join(ROOT, 'test', 'long', `${name}.test.ts`))) suites.push([name, () => long(name)]);
if (existsSync(join(ROOT, 'trainer', 'pyproject.toml'))) {
  suites.push(['test:learn', () => pytest(['trainer/tests', '-m', 'learn'])]);
}
close(runAll(suites));
