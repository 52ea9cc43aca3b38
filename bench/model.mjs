// The figures of the model layer, one bench after another: npm run bench:model -- [--pairs 5] [--stored 400000]
// The client over a bare loop of the openai client at 200 ms and at 5 ms, the store at so many calls, then the work of
// shared/bench-rivals beside what was measured of the rivals. Wants a quiet machine.
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '5' }, stored: { type: 'string', default: '400000' } } });

function bench(title, file, args) {
  console.log(`\n${title} (load ${loadavg()[0].toFixed(1)})`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file), ...args], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

for (const latency of ['200', '5'])
  bench(`Client over a bare loop, ${latency} ms`, 'model-overhead.mjs', ['--latency', latency, '--pairs', values.pairs]);
bench(`Store at ${values.stored} calls`, 'store.mjs', [values.stored]);
bench('The work of the rivals', 'rivals.mjs', []);
