import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Compiles before tests that start real processes, and only then; quick when nothing changed. */
export default async function compileOnce(project: TestProject): Promise<void> {
  const filters = process.argv.slice(2).filter((argument) => argument !== 'run' && !argument.startsWith('-'));
  const { testFiles } = await project.globTestFiles(filters.length > 0 ? filters : undefined);
  const root = resolve(import.meta.dirname, '..', '..');
  if (!testFiles.some((file) => file.startsWith(join(root, 'test', 'cli')))) return;
  execFileSync(process.execPath, [join(root, 'tools', 'setup.mjs')], { stdio: 'inherit' });
}
