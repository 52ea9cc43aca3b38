import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startRehearsalServer } from '../../../llm/rehearsal/server.ts';
import type { RehearsalOptions, RehearsalServer } from '../../../llm/rehearsal/server.ts';
import type { Config, ConfigInput } from '../../../schemas/config.ts';
import { answerLine, openRequests } from '../../support/answer-batch.ts';
import { demoConfig, openInProcess } from '../../support/in-process-build.ts';
import type { BuildEnd, InProcess } from '../../support/in-process-build.ts';
import { readBooks } from '../../support/fault-books.ts';

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(options: RehearsalOptions = {}): Promise<RehearsalServer> {
  const server = await startRehearsalServer(options);
  open.push(() => server.close());
  return server;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'memcalib-batch-'));
  open.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function project(where = folder()): Promise<InProcess> {
  const made = await openInProcess(where);
  open.push(() => made.close());
  return made;
}

function configOf(url: string, mode: 'online' | 'batch' | 'file', over: Partial<ConfigInput> = {}): Config {
  const provider = { baseUrl: url, concurrency: 16, timeoutSeconds: 30, structuredOutput: 'json_schema' as const };
  const role = (model: string) => ({ provider: 'mock', model });
  return demoConfig(url, {
    sources: demoConfig(url).sources.slice(0, 1),
    providers: { mock: provider },
    models: { builder: { ...role('rehearsal'), mode }, reviewerA: role('rehearsal-a'), reviewerB: role('rehearsal-b') },
    ...over,
  });
}

async function examplesOf(built: InProcess): Promise<ReadonlyMap<string, unknown>> {
  const { outcomes } = await readBooks(built, 'run-1');
  return new Map([...outcomes].map(([id, { status, reason, example, callKeys }]) => [id, { status, reason, example, callKeys }]));
}

async function online(url: string): Promise<ReadonlyMap<string, unknown>> {
  const built = await project();
  expect(await built.drive('run-1', 'main', configOf(url, 'online'))).toMatchObject({ kind: 'ended' });
  return examplesOf(built);
}

/** Answers every open batch file whole. */
async function answerAll(where: string, url: string): Promise<number> {
  let answered = 0;
  for (const [file, requests] of openRequests(join(where, 'batches'))) {
    const lines = await Promise.all(requests.map((request) => answerLine(url, request)));
    writeFileSync(file, `${lines.join('\n')}\n`);
    answered += lines.length;
  }
  return answered;
}

describe('a build whose builder is answered by files', () => {
  it('writes requests, takes answers in, and ends with the examples and ledger keys of the build made one by one', async () => {
    const server = await serve();
    const wanted = await online(server.url);
    const where = folder();
    const built = await project(where);
    const rounds: BuildEnd[] = [];
    for (let round = 0; round < 40; round += 1) {
      rounds.push(await built.drive('run-1', 'main', configOf(server.url, 'file')));
      if (rounds.at(-1)?.kind === 'ended') break;
      expect(rounds.at(-1)).toMatchObject({ kind: 'waiting', forPerson: true });
      expect(await answerAll(where, server.url)).toBeGreaterThan(0);
    }
    expect(rounds.at(-1)).toMatchObject({ kind: 'ended' });
    expect(await examplesOf(built)).toEqual(wanted);
  }, 180_000);
});
