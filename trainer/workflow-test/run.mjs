// node run.mjs ADDRESS CONFIG.json STEPS ASKED.log: starts the workflow train-model, serves its judge, prints the result as JSON.
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, DefaultLogger } from '@temporalio/worker';

const [address, configFile, steps, askedFile] = process.argv.slice(2);
const RANK = { A: 0, B: 1, C: 2 };

/** MiniMem's rule: in its headline C, anywhere else B, absent A; more than a quarter values is a dump. */
function judge(line) {
  const words = line.model_response.split(' ');
  const dump = words.filter((w) => /^v\d\d$/.test(w)).length > 12;
  const levels = {};
  let over = 0;
  let under = 0;
  line.atomic_rubrics.forEach((atom, j) => {
    const level = dump || words[4 * j] === atom.text ? 'C' : words.includes(atom.text) ? 'B' : 'A';
    const gap = RANK[level] - RANK[atom.u_star];
    levels[atom.atom_id] = level;
    over += Math.max(gap, 0);
    under += Math.max(-gap, 0);
  });
  return { levels, over_use: over, under_use: under };
}

/** Judges once: a file that exists is returned; every response asked about is noted in ASKED.log. */
async function judgeRollout({ rows, step, folder }) {
  const path = join(folder, 'judgments', `judgments-${String(step).padStart(4, '0')}.jsonl`);
  if (existsSync(path)) return { path };
  const entries = readFileSync(rows, 'utf8').trim().split('\n').map((text) => {
    const line = JSON.parse(text);
    appendFileSync(askedFile, `${line.response_id}\n`);
    const head = { response_id: line.response_id, rollout_digest: line.rollout_digest };
    return JSON.stringify(line.model_response.trim() ? { ...head, ...judge(line) } : { ...head, invalid: 'empty response' });
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.partial`, `${entries.join('\n')}\n`);
  renameSync(`${path}.partial`, path);
  return { path };
}

Runtime.install({ logger: new DefaultLogger('ERROR') });
const taskQueue = 'train-model-test';
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./train-model.ts', import.meta.url)),
  activities: { judgeRollout },
});
const client = new Client({ connection: await Connection.connect({ address }) });
const result = await worker.runUntil(
  client.workflow.execute('trainModel', {
    workflowId: `train-${process.pid}`,
    taskQueue,
    args: [{ config: JSON.parse(readFileSync(configFile, 'utf8')), steps: Number(steps), heartbeatTimeout: '6 s', scheduleToStartTimeout: '6 s' }],
  }),
);
console.log(JSON.stringify(result));
process.exit(0);
