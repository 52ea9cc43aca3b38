import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../cli/cli-error.ts';
import { openProvider } from '../../cli/owner/models.ts';
import { systemClock } from '../../llm/clock.ts';
import { createModelClient } from '../../llm/ledger-client.ts';
import { createLimiter } from '../../llm/limiter.ts';
import { ProviderConfig } from '../../schemas/config.ts';
import type { CallOutcome, CallRequest } from '../../schemas/ledger.ts';
import { openStore } from '../../store/open.ts';
import { MemoryGate, request, validate } from '../llm/bench.ts';
import { completion, scriptedServer } from '../llm/scripted-server.ts';
import type { Scripted, ScriptedServer } from '../llm/scripted-server.ts';
import { demoConfig, writeConfig } from '../support/demo-config.ts';
import { runCommand } from '../support/run-command.ts';
import type { CommandEnd } from '../support/run-command.ts';
import { tempFolders } from '../support/temp-folder.ts';

const KEY = 'sk-live-Q7xPlanted0Key4711';
const ENV = 'MEMCALIB_TEST_KEY';
const folder = tempFolders();
let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A project whose ledger holds one call, made at a server that gives the caller's key back. */
async function projectWithCall(
  reply: (echoed: string) => Scripted,
): Promise<{ readonly cwd: string; readonly request: CallRequest; readonly outcome: CallOutcome }> {
  server = await scriptedServer(({ headers }) => reply(String(headers.authorization)));
  const cwd = folder();
  const provider = { baseUrl: server.baseUrl, apiKeyEnv: ENV };
  const model = { provider: 'p', model: 'm' };
  const models = { builder: model, reviewerA: model, reviewerB: model };
  writeConfig(cwd, demoConfig({ projectDir: 'project', providers: { p: provider }, models }));
  const store = await openStore(join(cwd, 'project', 'memcalib.duckdb'));
  const client = createModelClient({
    ledger: store.ledger,
    providers: new Map([['p', openProvider('p', ProviderConfig.parse(provider), { [ENV]: KEY })]]),
    limiter: createLimiter(),
    priceOf: () => null,
    caps: () => ({}),
    gate: new MemoryGate(),
    clock: systemClock,
  });
  const asked = request('What does Mara take?');
  try {
    return { cwd, request: asked, outcome: await client.call(asked, validate) };
  } finally {
    await client.close();
    await store.close();
  }
}

const ended = ({ code, stdout, stderr }: CommandEnd): readonly [number, string] => [code, stdout + stderr];

/** Every file under a folder that holds a text. */
function filesWith(root: string, text: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = join(root, name);
    return statSync(file).isFile() && readFileSync(file).includes(text);
  });
}

describe('a provider that gives the key back', () => {
  it.each<[string, (echoed: string) => Scripted, CallOutcome['kind']]>([
    ['in a reply', (echoed) => completion(JSON.stringify({ a: `you sent ${echoed}` })), 'reply'],
    [
      'in an error',
      (echoed) => ({ status: 401, body: { error: { message: `Incorrect API key provided: ${echoed}`, code: 'invalid_api_key' } } }),
      'paused',
    ],
    ['in a page', (echoed) => ({ status: 403, body: `<html>${echoed}</html>` }), 'paused'],
  ])('%s: neither the ledger, nor `calls --show`, nor `record` shows it', async (_, reply, kind) => {
    const made = await projectWithCall(reply);
    expect(made.outcome.kind).toBe(kind);
    expect(JSON.stringify(made.outcome)).not.toContain(KEY);
    const config = ['--config', 'memcalib.config.json'];
    for (const args of [['calls'], ['calls', '--show', made.request.key], ['calls', '--show', made.request.key, '--json']]) {
      const [code, said] = ended(await runCommand([...args, ...config], made.cwd, { [ENV]: KEY }));
      expect(code, said).toBe(EXIT.ok);
      expect(said).not.toContain('Planted');
      if (args.length > 1) expect(said).toContain('[key removed]');
    }
    const [code, said] = ended(
      await runCommand(['record', '--call', made.request.key, '--out', 'fixture.json', ...config], made.cwd, { [ENV]: KEY }),
    );
    expect(code, said).toBe(EXIT.ok);
    expect(filesWith(made.cwd, 'Planted')).toEqual([]);
  });
});

describe('`record`', () => {
  it('adds fixtures to a file, one after the other, without the words of the reply', async () => {
    const made = await projectWithCall(() => completion('{"a":"lisinopril"}'));
    const record = ['record', '--call', made.request.key.slice(0, 16), '--out', 'fixtures.json', '--config', 'memcalib.config.json'];
    for (const nth of [1, 2])
      expect(ended(await runCommand(record, made.cwd, { [ENV]: KEY }))).toEqual([EXIT.ok, expect.stringContaining(`fixture ${nth}`)]);
    const text = readFileSync(join(made.cwd, 'fixtures.json'), 'utf8');
    expect(text).not.toMatch(/lisinopril|Mara/);
    const [first, second] = JSON.parse(text) as readonly { readonly name: string; readonly expect: object }[];
    expect(first).toMatchObject({ expect: { class: 'ok' } });
    expect(second?.name).toBe(`${first?.name ?? ''} 2`);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['without --out', ['record', '--call', 'ab'], /type `memcalib record --call ID --out FILE/],
    ['of a call that is not there', ['record', '--call', 'zz', '--out', 'f.json'], /No call has an id that begins with zz/],
    ['into a file of another kind', ['record', '--call', 'ab', '--out', 'memcalib.config.json'], /is no list of fixtures/],
  ])('%s is one sentence', async (_, args, reads) => {
    const { cwd } = await projectWithCall(() => completion('{"a":"b"}'));
    const end = await runCommand([...args, '--config', 'memcalib.config.json'], cwd, { [ENV]: KEY });
    expect(end.code).toBe(EXIT.usage);
    expect(end.stderr).toMatch(reads);
    expect(end.stderr.trim().split('\n')).toHaveLength(1);
  });
});
