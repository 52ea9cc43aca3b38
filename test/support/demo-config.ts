import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Rows written for this project (CC0). */
export const DEMO_ROWS = resolve(import.meta.dirname, '..', '..', 'datasets', 'demo', 'rows');

/** A small config over one demo source; parts may be replaced. */
export function demoConfig(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    name: 'small',
    seed: 'small-1',
    target: { health: 1, general: 0, coding: 0 },
    sources: [{ name: 'demo', adapter: 'meddialog', path: join(DEMO_ROWS, 'meddialog.jsonl'), licence: 'CC0-1.0' }],
    construction: { chunkSize: 4, window: 2 },
    ...changes,
  };
}

/** Writes a config as JSON and returns its file name. */
export function writeConfig(folder: string, value: unknown, name = 'memcalib.config.json'): string {
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  return name;
}
