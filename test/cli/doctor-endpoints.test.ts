import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../cli/cli-error.ts';
import type { Finding } from '../../cli/commands/doctor.ts';
import type { FaultRule } from '../../llm/rehearsal/faults.ts';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import type { ProviderConfig } from '../../schemas/config.ts';
import { openStore } from '../../store/open.ts';
import { scriptedServer } from '../llm/scripted-server.ts';
import type { Scripted } from '../llm/scripted-server.ts';
import { demoConfig, writeConfig } from '../support/demo-config.ts';
import { runCommand } from '../support/run-command.ts';
import type { CommandEnd } from '../support/run-command.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const FLAGS = ['--config', 'memcalib.config.json'];
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Wanted {
  readonly model?: string;
  readonly provider?: Partial<ProviderConfig>;
  readonly extra?: Readonly<Record<string, boolean>>;
}

function project(baseUrl: string, { model = 'rehearsal', provider = {}, extra }: Wanted = {}): string {
  const cwd = folder();
  const role = { provider: 'main', model, ...(extra !== undefined && { extra }) };
  writeConfig(
    cwd,
    demoConfig({
      providers: { main: { baseUrl, timeoutSeconds: 2, ...provider } },
      models: { builder: role, reviewerA: role, reviewerB: role },
      prices: { rehearsal: { inputPerMillionUsd: 1, outputPerMillionUsd: 2 } },
    }),
  );
  return cwd;
}

/** The state of each line (`ok`, `note`, `BAD`) by the last word of its name. */
async function examine(
  cwd: string,
): Promise<{ readonly states: Record<string, string>; readonly findings: readonly Finding[]; readonly code: number }> {
  const end = await runCommand(['doctor', '--endpoints', '--json', ...FLAGS], cwd);
  const findings = (JSON.parse(end.stdout) as readonly Finding[]).filter(({ what }) => what.startsWith('builder'));
  const state = ({ ok, level }: Finding): string => (ok ? (level ?? 'ok') : 'BAD');
  return { states: Object.fromEntries(findings.map((item) => [item.what.split(' ').at(-1), state(item)])), findings, code: end.code };
}

async function rehearsal(rule: FaultRule | null): Promise<string> {
  const server = await startRehearsalServer(rule === null ? {} : { faults: { rules: [{ sticky: true, ...rule }] } });
  closers.push(() => server.close());
  return server.url;
}

const WELL = { reachable: 'ok', key: 'ok', model: 'ok', schemas: 'ok', thinking: 'ok', context: 'note', price: 'ok', latency: 'ok' };

describe('the doctor looks at the endpoint of every role', () => {
  it('says of a good one that all is well, once for roles that are asked alike, and keeps it in the ledger with its date', async () => {
    const cwd = project(await rehearsal(null));
    const { states, findings } = await examine(cwd);
    expect(states).toEqual(WELL);
    expect(findings[0]?.what).toBe('builder, reviewerA, reviewerB (main/rehearsal) reachable');
    const store = await openStore(join(cwd, '.memcalib/memcalib.duckdb'), { readOnly: true });
    expect((await store.calls({ step: 'probe' }, 10)).map((call) => [call.runId, call.class])).toEqual([['doctor', 'ok']]);
    expect(JSON.parse((await store.fact('endpoint:main/rehearsal')) ?? '{}')).toMatchObject({ structuredOutput: 'json_schema' });
    await store.close();
    const end = await runCommand(['doctor', '--endpoints', ...FLAGS], cwd);
    expect(end.stdout).toMatch(/at most three tiny replies per model; the provider may bill them/);
    expect(end.stdout).toMatch(/^ok {3}builder, reviewerA, reviewerB \(main\/rehearsal\) latency: \d+ ms/m);
  });

  it.each<[string, FaultRule, Wanted, Partial<typeof WELL>, RegExp]>([
    ['ignores schemas', { fault: 'ignored_schema' }, {}, { schemas: 'note' }, /JSON mode with the schema in the prompt/],
    [
      'ignores schemas that the config insists on',
      { fault: 'ignored_schema' },
      { provider: { structuredOutput: 'json_schema' } },
      { schemas: 'BAD' },
      /only json_object works/,
    ],
    ['thinks aloud', { fault: 'think_tags' }, {}, { thinking: 'note' }, /thinking is on/],
    [
      'thinks though asked not to',
      { fault: 'think_tags' },
      { extra: { enable_thinking: false } },
      { thinking: 'BAD' },
      /although extra asks for none/,
    ],
    [
      'knows no such model',
      { fault: 'think_tags' },
      { model: 'nobody' },
      { model: 'BAD', schemas: 'BAD', thinking: 'note', price: 'note', latency: 'note' },
      /nobody is not known there/,
    ],
    ['answers with a page', { fault: 'html' }, {}, { schemas: 'BAD', thinking: 'note', latency: 'note' }, /no chat completion/],
    ['has no credit', { fault: 'no_credit' }, {}, { schemas: 'BAD', thinking: 'note', latency: 'note' }, /no credit left/],
  ])('that %s', async (_, rule, wanted, states, words) => {
    const found = await examine(project(await rehearsal(rule), wanted));
    expect(found.states).toEqual({ ...WELL, ...states });
    expect(found.findings.map(({ detail }) => detail).join('\n')).toMatch(words);
    expect(found.findings.every(({ ok, cure }) => ok || cure.length > 10)).toBe(true);
    if (Object.values(states).includes('BAD')) expect(found.code).toBe(EXIT.environment);
  });

  const LIST: Scripted = { body: { object: 'list', data: [{ id: 'rehearsal', max_model_len: 2048 }] } };
  it.each<[string, Scripted, Scripted, Record<string, string>, RegExp]>([
    [
      'refuses the key',
      LIST,
      { status: 401, body: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } } },
      { key: 'BAD', schemas: 'BAD' },
      /not accepted: .*HTTP 401/,
    ],
    [
      'sends everybody to another host',
      { status: 302, headers: { location: 'https://elsewhere.example/v1' }, body: '' },
      { status: 302, headers: { location: 'https://elsewhere.example/v1' }, body: '' },
      { schemas: 'BAD' },
      /redirects to elsewhere\.example/,
    ],
    ['has a short context', LIST, { status: 400, body: { error: { message: 'no' } } }, { context: 'BAD' }, /2048 tokens/],
  ])('that %s', async (_, models, chat, states, words) => {
    const server = await scriptedServer(({ path }) => (path.endsWith('/models') ? models : chat));
    closers.push(() => server.close());
    const found = await examine(project(server.baseUrl));
    expect(found.states).toMatchObject(states);
    expect(found.findings.map(({ detail }) => detail).join('\n')).toMatch(words);
    expect(found.code).toBe(EXIT.environment);
  });

  it('that is not there, without a call', async () => {
    const found = await examine(project('http://127.0.0.1:9/v1'));
    expect(found.states).toEqual({ reachable: 'BAD', price: 'ok' });
    expect(found.findings[0]?.detail).toMatch(/127\.0\.0\.1:9 cannot be reached/);
  });

  it('that needs a key which is not set', async () => {
    const found = await examine(project('http://127.0.0.1:9/v1', { provider: { apiKeyEnv: 'NO_SUCH_KEY_IS_SET' } }));
    expect(found.findings).toEqual([expect.objectContaining({ ok: false, detail: expect.stringMatching(/NO_SUCH_KEY_IS_SET/) as string })]);
  });
});

describe('nobody is charged unasked', () => {
  it('a public endpoint is left alone without --endpoints, and the doctor says what it would do', async () => {
    const cwd = project('https://models.example/v1');
    const end: CommandEnd = await runCommand(['doctor', ...FLAGS], cwd);
    expect(end.stdout).toMatch(
      /note builder, reviewerA, reviewerB \(main\/rehearsal\): https:\/\/models\.example\/v1 was not asked\. Cure: .*--endpoints.* three tiny calls/,
    );
    expect(existsSync(join(cwd, '.memcalib/owner.json'))).toBe(false);
  });

  it('a local one is asked, since it is the user’s own', async () => {
    const end = await runCommand(['doctor', ...FLAGS], project(await rehearsal(null)));
    expect(end.stdout).toMatch(/^ok {3}.* schemas: json_schema is obeyed/m);
  });
});
