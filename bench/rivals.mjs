// Our model client on the work of shared/bench-rivals, measured by its own measure.py, beside what was measured of the rivals there.
// Usage (after `npm run build`): node bench/rivals.mjs [--latency 200]      MEMCALIB_SHARED names the folder that holds bench-rivals.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { latency: { type: 'string', default: '200' } } });
const rivals = join(process.env['MEMCALIB_SHARED'] ?? resolve(import.meta.dirname, '../../shared'), 'bench-rivals');
if (!existsSync(join(rivals, 'measure.py')))
  throw new Error(`${rivals} is absent; set MEMCALIB_SHARED to the folder that holds bench-rivals`);
const port = await new Promise((done) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const free = probe.address().port;
    probe.close(() => done(free));
  });
});
const mock = spawn(process.execPath, [join(rivals, 'mock.mjs')], {
  env: { ...process.env, PORT: String(port), LATENCY_MS: values.latency },
  stdio: ['ignore', 'pipe', 'inherit'],
});
await new Promise((done) => mock.stdout.once('data', done));
const out = mkdtempSync(join(tmpdir(), 'memcalib-rivals-'));
const chained = join(import.meta.dirname, 'chained.mjs');

function measured(label, args, folder, more = []) {
  const env = { ...process.env, MOCK_URL: `http://127.0.0.1:${port}/v1` };
  const command = [join(rivals, 'measure.py'), label, ...more, '--', process.execPath, chained, join(out, folder), ...args];
  const { stdout, status } = spawnSync('python3', command, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`measure.py ended with ${status}: ${stdout}`);
  return JSON.parse(stdout);
}

const lines = [];
const show = (run, wall, floor, cpu, rss, requests, repeated) =>
  lines.push(
    `| ${run} | ${wall.toFixed(1)} | ${floor === null ? '' : (wall / floor).toFixed(2)} | ${cpu.toFixed(1)} | ${rss} | ${requests} | ${repeated} |`,
  );

try {
  console.log(`load ${loadavg()[0].toFixed(1)}`);
  const bare = measured('bare', ['--bare'], 'bare');
  const cold = measured('cold', [], 'm');
  const rerun = measured('rerun', [], 'm');
  const killed = measured('killed', [], 'k', ['--kill-at', '3000']);
  const resumed = measured('resume', [], 'k');
  const whole = cold.requests;
  const same = new Set([cold, rerun, resumed].map((run) => run.DIGEST)).size === 1;
  show('bare loop, openai client', bare.wall, bare.wall, bare.cpu, bare.rss_mb, bare.requests, '');
  show('MemCalib model client, every call durable', cold.wall, bare.wall, cold.cpu, cold.rss_mb, cold.requests, '');
  show('... rerun', rerun.wall, null, rerun.cpu, rerun.rss_mb, rerun.requests, '');
  show(
    '... killed at 3,000 and resumed (the resume)',
    resumed.wall,
    null,
    resumed.cpu,
    resumed.rss_mb,
    resumed.requests,
    killed.requests + resumed.requests - whole,
  );
  console.log(
    `rows equal after rerun and resume: ${same ? 'yes' : 'NO'}; cores used by something else: ${[bare, cold, rerun, killed, resumed].map((run) => run.bg).join(', ')}`,
  );
  const quiet = readFileSync(join(rivals, 'raw-quiet.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const floor = Math.min(...quiet.filter(({ label }) => label.startsWith('floor-undici')).map(({ wall }) => wall));
  let cut = null;
  for (const run of quiet.filter(({ label }) => !label.startsWith('floor'))) {
    const name = `${run.label} (measured before, quiet)`;
    if (run.label.endsWith('/killed')) cut = run;
    else if (run.label.endsWith('/resume'))
      show(name, run.wall, null, run.cpu, run.rss_mb, run.requests, (cut?.requests ?? 0) + run.requests - 6000);
    else show(name, run.wall, run.label.endsWith('/cold') ? floor : null, run.cpu, run.rss_mb, run.requests, '');
  }
  console.log('| run | wall s | × bare loop | CPU s | peak RSS MB | requests | repeated |\n|---|---|---|---|---|---|---|');
  console.log(lines.join('\n'));
} finally {
  mock.kill();
  rmSync(out, { recursive: true, force: true });
}
