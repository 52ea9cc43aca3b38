import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../../cli/cli-error.ts';
import { readOwnerFile } from '../../../cli/owner/owner-file.ts';
import type { ConfigInput } from '../../../schemas/config.ts';
import { exportHashes, ledgerCounts } from '../../support/exports.ts';
import { askingServer, isAlive, makeProject, startRehearsal, until } from '../../support/project.ts';

const SIZE_MIB = 64;

/** Mounts a small file system of its own; null where this account may not. */
function smallDisk(folder: string): (() => void) | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    return null;
  }
  return () => execFileSync('umount', ['-l', folder], { stdio: 'pipe' });
}

test(
  'a disk that fills up pauses the build, nothing is half-written, and it goes on once there is space',
  { timeout: 500_000 },
  async (context) => {
    const disk = mkdtempSync(join(tmpdir(), 'memcalib-disk-'));
    const unmount = smallDisk(disk);
    if (unmount === null) return context.skip('this account may not mount a file system');
    const server = await startRehearsal('--latency', '60');
    const config: Partial<ConfigInput> = {
      target: { health: 2, general: 1, coding: 1 },
      construction: { chunkSize: 4, window: 2 },
      ...askingServer(server.url, 6),
    };
    const smooth = makeProject(config);
    mkdirSync(join(disk, 'project'));
    const cramped = makeProject({ ...config, projectDir: join(disk, 'project') });
    const inCramped = { ...cramped, folder: join(disk, 'project') };
    try {
      const wanted = await smooth.run('build');
      expect(wanted.code, wanted.output).toBe(EXIT.ok);
      const before = await server.calls();
      const build = cramped.start('build');
      await until('thirty calls', async () => ((await server.calls()) > before + 30 ? true : null));
      fillUp(join(disk, 'ballast'));
      const { code, output } = await build.ended;
      expect(output).toMatch(/disk is full/i);
      expect(output).not.toMatch(/\n\s+at |internal error/);
      expect(code).toBe(EXIT.paused);
      rmSync(join(disk, 'ballast'));
      const resumed = await cramped.run('resume');
      const pid = readOwnerFile(inCramped.folder)?.pid ?? 0;
      expect(pid).toBeGreaterThan(0);
      expect(resumed.code, resumed.output).toBe(EXIT.ok);
      expect(await exportHashes(inCramped)).toEqual(await exportHashes(smooth));
      // An owner says that it is gone before it has closed the store: its process is waited for.
      await until('the end of the owner', () => (isAlive(pid) ? null : true), { withinMs: 60_000 });
      expect(await ledgerCounts(inCramped)).toMatchObject({ duplicates: 0 });
    } finally {
      await cramped.cleanUp();
      await smooth.cleanUp();
      await server.stop();
      unmount();
      rmSync(disk, { recursive: true, force: true });
    }
  },
);

/** Writes until nothing more fits. */
function fillUp(path: string): void {
  for (let size = SIZE_MIB * 1024 * 1024; size >= 4096; size = Math.floor(size / 2)) {
    try {
      for (let part = 0; ; part += 1) writeFileSync(path, Buffer.alloc(size, part), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}
