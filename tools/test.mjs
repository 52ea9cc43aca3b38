// The fast suites: TypeScript tests, and beside them the static checks and the trainer's fast tests, which use one core only.
import { join } from 'node:path';
import { close, command, pytest, ROOT, runCleanly, vitest } from './suite.mjs';

const bin = (name) => join(ROOT, 'node_modules', '.bin', name);
close(
  await runCleanly([
    [['typescript', vitest([])]],
    [
      ['format', command(bin('oxfmt'), ['--check'])],
      ['lint', command(bin('oxlint'), ['--type-aware', '--deny-warnings'])],
      ['imports', command(process.execPath, ['tools/check-imports.mjs'])],
      ['sizes', command(process.execPath, ['tools/size-report.mjs'])],
      ['types', command(bin('tsc'), ['-p', 'tsconfig.json', '--noEmit'])],
      ['trainer', pytest(['trainer/tests', '-m', 'not learn and not slow'])],
    ],
  ]),
);
