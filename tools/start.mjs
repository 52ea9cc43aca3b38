// `npm start`: the whole main job on the demo sources, with the rehearsal model only, to a checked export.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const started = Date.now();

function memcalib(args) {
  const result = spawnSync(process.execPath, [join(ROOT, 'bin', 'memcalib.js'), ...args], { cwd: ROOT, stdio: 'inherit' });
  if (result.error !== undefined) console.error(`memcalib could not be started: ${result.error.message}`);
  return result.status ?? 1;
}

const built = memcalib(['build']);
if (built !== 0) process.exit(built);
const exported = memcalib(['export']);
console.log(`done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
process.exit(exported);
