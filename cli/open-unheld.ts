import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../store/port.ts';
import { attach } from './attach.ts';
import type { LoadedConfig } from './config-file.ts';

/** Opens the store of a project for a question; null when there is none yet or somebody works on it: then the owner decides. */
export async function openUnheld(loaded: LoadedConfig): Promise<Store | null> {
  const file = join(loaded.projectFolder, 'memcalib.duckdb');
  if (!existsSync(file) || attach(loaded.projectFolder) !== null) return null;
  const { openForQuestion } = await import('../store/open.ts');
  try {
    return await openForQuestion(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'locked') return null;
    throw error;
  }
}
