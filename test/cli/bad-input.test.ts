import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../cli/cli-error.ts';
import { demoConfig, writeConfig } from '../support/demo-config.ts';
import { until } from '../support/project.ts';
import { runCommand } from '../support/run-command.ts';
import type { CommandEnd } from '../support/run-command.ts';
import { tempFolders } from '../support/temp-folder.ts';

const PROMPTS = resolve(import.meta.dirname, '..', '..', 'prompts');
const folder = tempFolders();

/** One line on stderr, no stack, nothing on stdout, the exit code, and the words that help. */
function expectSentence(end: CommandEnd, code: number, words: RegExp): void {
  expect(end.stderr).toMatch(words);
  expect(end.stderr.trim().split('\n')).toHaveLength(1);
  expect(end.stderr).not.toMatch(/\n\s+at |internal error|undefined|\[object/);
  expect(end.stdout).toBe('');
  expect(end.code).toBe(code);
}

const JSON_FLAGS = ['--config', 'memcalib.config.json'];

describe('a wrong config is one sentence that names the place', () => {
  const provider = { main: { baseUrl: 'http://127.0.0.1:9/v1' } };
  const model = { provider: 'main', model: 'm' };
  const source = { name: 'demo', adapter: 'meddialog', path: 'x.jsonl' };
  it.each<[string, unknown, RegExp]>([
    ['JSON that breaks off', '{"name": ', /memcalib\.config\.json is no JSON .*Mend it/],
    ['a mistyped field', demoConfig({ sede: 'x' }), /there is no field sede; did you mean seed\?/],
    ['a mistyped inner field', demoConfig({ construction: { chunksize: 3 } }), /construction\.chunksize; did you mean chunkSize\?/],
    ['a mistyped source field', demoConfig({ sources: [{ ...source, pth: 'x' }] }), /sources\.0\.pth; did you mean path\?/],
    ['a value of the wrong kind', demoConfig({ target: { health: -1, general: 0, coding: 0 } }), /field target\.health is wrong/],
    ['no sources', demoConfig({ sources: [] }), /field sources is wrong/],
    ['an unknown adapter', demoConfig({ sources: [{ ...source, adapter: 'meddialogue' }] }), /field sources\.0\.adapter is wrong/],
    [
      'a custom source that does not say its licence',
      demoConfig({ sources: [{ ...source, adapter: 'custom', domain: 'general', columns: { question: 'q', answer: 'a' } }] }),
      /source demo is custom.*add licence: 'CC0-1\.0' with your own values/,
    ],
    [
      'a custom source with an empty licence and no columns',
      demoConfig({ sources: [{ ...source, adapter: 'custom', domain: 'general', licence: ' ' }] }),
      /source demo is custom.*add licence: .*, columns: /,
    ],
    ['two sources of one name', demoConfig({ sources: [source, source] }), /two sources are named demo/],
    ['providers that nobody asks', demoConfig({ providers: provider }), /providers are given but no models/],
    [
      'a role that names an absent provider',
      demoConfig({ providers: provider, models: { builder: model, reviewerA: model, reviewerB: { ...model, provider: 'mian' } } }),
      /models\.reviewerB\.provider names mian.*did you mean main\?/,
    ],
    ['prompts that are not there', demoConfig({ promptsDir: 'nowhere' }), /no prompts folder .*nowhere.*promptsDir/],
  ])('%s', async (_, config, words) => {
    const cwd = folder();
    writeConfig(cwd, config);
    expectSentence(await runCommand(['build', ...JSON_FLAGS], cwd), EXIT.usage, words);
    expect(existsSync(join(cwd, '.memcalib'))).toBe(false);
  });

  it.each<[string, string, RegExp]>([
    ['TypeScript that does not parse', 'export default {', /memcalib\.config\.ts could not be read as a config: line 1: .*Mend the line/],
    ['TypeScript that throws', "throw new Error('boom');", /could not be read as a config: boom/],
    ['no default export', 'export const a = 1;', /has no default export/],
  ])('%s', async (_, text, words) => {
    const cwd = folder();
    writeConfig(cwd, text, 'memcalib.config.ts');
    expectSentence(await runCommand(['build'], cwd), EXIT.usage, words);
  });

  it('no config, and a config outside the folder without --trust', async () => {
    const cwd = folder();
    expectSentence(await runCommand(['build'], cwd), EXIT.usage, /There is no config .*memcalib\.config\.ts.*memcalib init/);
    const other = folder();
    writeConfig(other, 'export default {};', 'memcalib.config.ts');
    expectSentence(
      await runCommand(['build', '--config', join(other, 'memcalib.config.ts')], cwd),
      EXIT.usage,
      /lies outside the current folder.*--trust/,
    );
  });
});

describe('a broken prompt is named', () => {
  const screen = readdirSync(PROMPTS).find((name) => name.startsWith('screen')) ?? 'screen.md';
  it.each<[string, (prompts: string) => void, RegExp]>([
    ['missing', (prompts) => rmSync(join(prompts, screen)), /holds no prompt with the id screen/],
    ['twice', (prompts) => cpSync(join(prompts, screen), join(prompts, 'zz.md')), /Two prompts in .* have the id screen/],
    ['without front matter', (prompts) => writeFileSync(join(prompts, screen), 'Hello.'), new RegExp(`${screen}.*Mend the file`)],
  ])('%s', async (_, spoil, words) => {
    const cwd = folder();
    cpSync(PROMPTS, join(cwd, 'prompts'), { recursive: true });
    spoil(join(cwd, 'prompts'));
    writeConfig(cwd, demoConfig({ promptsDir: 'prompts' }));
    expectSentence(await runCommand(['build', ...JSON_FLAGS], cwd), EXIT.usage, words);
  });
});

describe('a wrong command line is one sentence', () => {
  it.each<[readonly string[], RegExp]>([
    [['biuld'], /unknown command 'biuld'/],
    [['build', '--fast'], /unknown option '--fast'/],
    [['build', ...JSON_FLAGS, '--label', 'a b'], /--label a b is no label/],
    [['validate'], /missing required argument 'folder'/],
    [['retry', ...JSON_FLAGS], /retry --failed/],
    [['waive', ...JSON_FLAGS], /waive --failed/],
    [['rehearse', '--port', '70000'], /--port 70000 is no whole number/],
    [['init', '--target', 'many'], /--target many is not three whole numbers/],
    [['init', '--source', 'medialog=x'], /did you mean meddialog\?/],
    [['init', '--source', 'custom=x.csv', '--yes'], /a custom source needs licence, domain and columns/],
    [['init', '--provider', 'https://host/v1', '--yes'], /also name --builder/],
  ])('%j', async (args, words) => {
    const cwd = folder();
    writeConfig(cwd, demoConfig());
    const end = await runCommand(args, cwd);
    expect(end.stderr).toMatch(words);
    expect(end.stderr).not.toMatch(/\n\s+at |internal error/);
    expect(end.code).toBe(EXIT.usage);
    expect(existsSync(join(cwd, '.memcalib'))).toBe(false);
  });
});

describe('a project without a build says what to type, and starts nothing', () => {
  it.each([
    ['status'],
    ['pause'],
    ['resume'],
    ['cancel'],
    ['retry', '--failed'],
    ['waive', '--failed'],
    ['export'],
    ['show', '0123456789abcdef'],
  ])('%s %s', async (...args) => {
    const cwd = folder();
    writeConfig(cwd, demoConfig());
    expectSentence(await runCommand([...args, ...JSON_FLAGS], cwd), EXIT.usage, /There is no project at .*Type `memcalib build/);
    expect(existsSync(join(cwd, '.memcalib'))).toBe(false);
  });
});

describe('files that are not what they should be', () => {
  it('validate of nothing, of a file, and of a folder that is no export', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'file'), '');
    mkdirSync(join(cwd, 'empty'));
    expectSentence(await runCommand(['validate', 'nowhere'], cwd), EXIT.usage, /There is no folder .*nowhere/);
    expectSentence(await runCommand(['validate', 'file'], cwd), EXIT.usage, /file is a file, not a folder/);
    expectSentence(await runCommand(['validate', 'empty'], cwd), EXIT.environment, /holds neither train\.jsonl nor test\.jsonl/);
  });

  it('fault plans that are missing, broken or unknown', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'broken.json'), '{');
    writeFileSync(join(cwd, 'unknown.json'), JSON.stringify({ rules: [{ fault: 'earthquake' }] }));
    expectSentence(await runCommand(['rehearse', '--faults', 'nowhere.json'], cwd), EXIT.environment, /nowhere\.json is not there/);
    expectSentence(await runCommand(['rehearse', '--faults', 'broken.json'], cwd), EXIT.usage, /broken\.json is no JSON/);
    expectSentence(await runCommand(['rehearse', '--faults', 'unknown.json'], cwd), EXIT.usage, /is no fault plan.*Known faults/);
  });

  it('a port that is taken', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const end = await runCommand(['rehearse', '--port', String(port)], folder());
    await new Promise((done) => server.close(done));
    expectSentence(end, EXIT.environment, new RegExp(`Port ${port} is taken`));
  });

  it('a project folder that cannot be written', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'a-file'), '');
    writeConfig(cwd, demoConfig({ projectDir: 'a-file/project' }));
    expectSentence(await runCommand(['build', ...JSON_FLAGS], cwd), EXIT.environment, /a-file\/project cannot be written .*projectDir/);
  });

  it('a store that is none', async () => {
    const cwd = folder();
    writeConfig(cwd, demoConfig());
    mkdirSync(join(cwd, '.memcalib'));
    const store = join(cwd, '.memcalib', 'memcalib.duckdb');
    writeFileSync(store, 'not a database, but long enough to look at\n'.repeat(400));
    const before = readFileSync(store);
    expectSentence(await runCommand(['status', ...JSON_FLAGS], cwd), EXIT.environment, /memcalib\.duckdb is damaged or no MemCalib store/);
    expect(readFileSync(store)).toEqual(before);
  });

  it('an owner.json that is broken counts as none', async () => {
    const cwd = folder();
    writeConfig(cwd, demoConfig());
    mkdirSync(join(cwd, '.memcalib'));
    writeFileSync(join(cwd, '.memcalib', 'owner.json'), '{"pid": ');
    expectSentence(await runCommand(['status', ...JSON_FLAGS], cwd), EXIT.usage, /There is no project/);
  });
});

describe('the Temporal program is looked for, and its absence is said', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['a path that is no program', { TEMPORAL_CLI_PATH: join(tmpdir(), 'no-temporal') }, /TEMPORAL_CLI_PATH=.*no-temporal is no program/],
    ['a program that is none', { TEMPORAL_CLI_PATH: '/bin/false' }, /Temporal server \/bin\/false ended as it started \(code 1/],
    ['a server that is not there', { TEMPORAL_ADDRESS: '127.0.0.1:9' }, /server at 127\.0\.0\.1:9 could not be reached/],
  ])('%s', { timeout: 90_000 }, async (_, env, words) => {
    const cwd = folder();
    writeConfig(cwd, demoConfig());
    expectSentence(await runCommand(['build', ...JSON_FLAGS], cwd, env), EXIT.environment, words);
    await until('the end of the owner', () => (existsSync(join(cwd, '.memcalib', 'owner.json')) ? null : true), { withinMs: 10_000 });
  });
});
