import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** From here on this process and its children make files that only their user can read: row text and tokens lie in them (DESIGN §8). */
export function keepFilesPrivate(): void {
  process.umask(0o077);
}

/** Takes the rights of others away from the databases of a project, also from those that an earlier version or a copy left open. */
export function closeToOthers(projectFolder: string): void {
  if (!existsSync(projectFolder)) return;
  for (const name of readdirSync(projectFolder))
    if (/^(memcalib\.duckdb|temporal\.db)/.test(name)) chmodSync(join(projectFolder, name), 0o600);
}
