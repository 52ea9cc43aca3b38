import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigInput } from '../../schemas/config.ts';
import { answerLine, openRequests } from '../support/answer-batch.ts';
import { exportHashes, ledgerCounts } from '../support/exports.ts';
import { askingServer, makeProject, startRehearsal } from '../support/project.ts';
import type { TestProject, TestRehearsal } from '../support/project.ts';

const TARGET = { health: 2, general: 2, coding: 2 };
const MOST_ROUNDS = 40;
const cleanUps: (() => Promise<void>)[] = [];
let server: TestRehearsal;
let wanted: Readonly<Record<string, string>>;

function project(builder: Pick<NonNullable<ConfigInput['models']>['builder'], 'mode' | 'batch'>, url: string): TestProject {
  const asking = askingServer(url);
  if (asking.models === undefined) throw new Error('no models');
  const models = { ...asking.models, builder: { ...asking.models.builder, ...builder } };
  const made = makeProject({ target: TARGET, construction: { chunkSize: 10, window: 2 }, ...asking, models });
  cleanUps.push(() => made.cleanUp());
  return made;
}

beforeAll(async () => {
  server = await startRehearsal();
  cleanUps.push(() => server.stop());
  const online = project({ mode: 'online' }, server.url);
  const { code, output } = await online.run('build');
  if (code !== 0) throw new Error(`the build without batches ended ${String(code)}: ${output}`);
  wanted = await exportHashes(online);
  await online.endOwner('SIGTERM');
}, 240_000);

afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}, 60_000);

/** Answers half of a file, breaks two lines and names a stranger; gives the numbers of the lines that are no good. */
async function answerHalf(file: string, lines: readonly string[]): Promise<readonly number[]> {
  const half = lines.slice(0, Math.ceil(lines.length / 2));
  const broken = [
    ...half.slice(0, 2),
    (half[2] ?? '').slice(0, 40),
    ...half.slice(3),
    '{"custom_id":"nobody-1","response":{"body":{}}}',
    'no',
  ];
  writeFileSync(file, `${broken.join('\n')}\n`);
  return [3, half.length + 1, half.length + 2];
}

test('a build answered by files keeps good answers, names broken lines, asks the rest again, survives a kill, and exports the same bytes', async () => {
  const made = project({ mode: 'file', batch: { folder: 'to-answer' } }, server.url);
  const folder = join(made.folder, '..', 'to-answer');
  let code: number | null = null;
  let output = '';
  let expected: readonly string[] = [];
  let batches = 0;
  let resent = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    ({ code, output } = await made.run('build'));
    for (const part of expected) expect(output).toContain(part);
    expected = [];
    if (code === 0) break;
    expect(code, output).toBe(5);
    const open = openRequests(folder);
    expect(open.size, 'one file is to be answered').toBe(1);
    for (const [file, requests] of open) {
      batches += 1;
      const id = basename(file).replace('.results.jsonl', '');
      const status = await made.run('status');
      for (const part of ['waiting', file, `${requests.length} requests of builder`, 'next: memcalib build'])
        expect(status.output).toContain(part);
      const lines = await Promise.all(requests.map((request) => answerLine(server.url, request)));
      if (round === 1) await made.endOwner('SIGKILL');
      if (round !== 2) {
        writeFileSync(file, `${lines.join('\n')}\n`);
        continue;
      }
      const numbers = await answerHalf(file, lines);
      const kept = Math.ceil(lines.length / 2) - 1;
      resent = lines.length - kept;
      expected = [...numbers.map((number) => `line ${number} `), `Of batch ${id} ${kept} answers were kept`, `${resent} are asked again`];
    }
  }
  expect(code, output).toBe(0);
  expect(await exportHashes(made)).toEqual(wanted);
  await made.endOwner('SIGTERM');
  const ledger = await ledgerCounts(made);
  process.stdout.write(`${batches} files, ${ledger.keys} calls, ${resent} asked again, ${ledger.duplicates} answered twice\n`);
  expect(ledger).toMatchObject({ unfinished: 0, duplicates: 0 });
}, 600_000);

test("a build answered by the provider's batch API, with batches that expire half done, exports the same bytes", async () => {
  const slow = await startRehearsal('--batch-delay', '1500', '--batch-answered', '70');
  cleanUps.push(() => slow.stop());
  const made = project({ mode: 'batch', batch: { pollSeconds: 1 } }, slow.url);
  const first = made.start('build');
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  if (made.owner() !== null) await made.endOwner('SIGKILL');
  await first.ended;
  const { code, output } = await made.run('build');
  expect(code, output).toBe(0);
  expect(await exportHashes(made)).toEqual(wanted);
  await made.endOwner('SIGTERM');
  const ledger = await ledgerCounts(made);
  process.stdout.write(
    `${ledger.attempts} attempts for ${ledger.keys} calls, ${ledger.unfinished} unfinished, ${ledger.duplicates} answered twice\n`,
  );
  expect(ledger.duplicates).toBe(0);
}, 600_000);
