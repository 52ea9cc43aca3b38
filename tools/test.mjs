// The fast suites: static checks, TypeScript tests, the trainer's fast tests.
import { join } from 'node:path';
import { close, command, pytest, ROOT, runAll, vitest } from './suite.mjs';

const bin = (name) => join(ROOT, 'node_modules', '.bin', name);
close(
  runAll([
    ['format', () => command(bin('oxfmt'), ['--check'])],
    ['lint', () => command(bin('oxlint'), ['--type-aware', '--deny-warnings'])],
    ['imports', () => command(process.execPath, ['tools/check-imports.mjs'])],
    ['sizes', () => command(process.execPath, ['tools/size-report.mjs'])],
    ['types', () => command(bin('tsc'), ['-p', 'tsconfig.json', '--noEmit'])],
    ['typescript', () => vitest([])],
    ['trainer', () => pytest(['trainer/tests', '-m', 'not learn and not slow'])],
  ]),
);
