import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a path is a folder that holds a dataset. */
export function isExportFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory() && ['train.jsonl', 'test.jsonl'].some((file) => existsSync(join(path, file)));
}
