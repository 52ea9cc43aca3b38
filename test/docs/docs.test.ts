import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transform } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../cli/cli-error.ts';
import { COMMANDS } from '../../cli/commands/catalog.ts';
import { checkConfig } from '../../cli/check-config.ts';
import { STEPS } from '../../schemas/steps.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const DOCS = [
  'README.md',
  'AGENTS.md',
  'CHANGELOG.md',
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

const CLI = read('docs/cli.md');
const nameOf = (usage: string): string => usage.split(' ')[0] ?? '';
const NAMES = COMMANDS.map(({ usage }) => nameOf(usage));

/** The section of a command in docs/cli.md, from its heading to the next one. */
function sectionOf(command: string): string {
  const from = CLI.indexOf(`\n## ${command}\n`);
  return from < 0 ? '' : CLI.slice(from, CLI.indexOf('\n## ', from + 1));
}

/** Commands a page tells people to type: `memcalib NAME ...` in code. */
function toldCommands(text: string): readonly { readonly name: string; readonly flags: readonly string[] }[] {
  return [...text.matchAll(/(?:^|[`.])(?:npx )?memcalib(?:\.js)? ([a-z]+)((?: [^`\n|]*)?)/gm)].map((match) => ({
    name: match[1] ?? '',
    flags: [...(match[2] ?? '').matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag),
  }));
}

const TOLD = DOCS.filter((file) => !file.startsWith('docs/decisions/') && file !== 'CHANGELOG.md').flatMap((file) =>
  toldCommands(read(file)).map((told) => ({ file, ...told })),
);

const flagsOf = (usage: string): readonly string[] => {
  const spec = COMMANDS.find((command) => nameOf(command.usage) === usage);
  const own = (spec?.options ?? []).map(([flags]) => flags.split(' ')[0] ?? '');
  return [...own, ...(spec?.takesConfig === true ? ['--config', '--trust'] : []), '--help'];
};

describe('docs/cli.md', () => {
  test('has one section per command, in the order of the catalog', () => {
    const headings = [...CLI.matchAll(/^## ([a-z]+)$/gm)].map((match) => match[1] ?? '');
    expect(headings).toEqual(NAMES);
  });

  test.each(COMMANDS.flatMap(({ usage, options }) => options.map(([flags]) => ({ command: nameOf(usage), flags }))))(
    'says what $command $flags does',
    ({ command, flags }) => expect(sectionOf(command)).toContain(`\`${flags}\``),
  );

  test.each(
    COMMANDS.flatMap(({ usage }) => [...sectionOf(nameOf(usage)).matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag]) => ({ usage, flag }))),
  )('names no option that is not there: $usage $flag', ({ usage, flag }) => expect(flagsOf(nameOf(usage))).toContain(flag));

  test('lists every exit code with its name', () => {
    const rows = [...CLI.matchAll(/^\| (\d+) \| (\w+) \|/gm)].map((match) => [match[2] ?? '', Number(match[1])]);
    expect(Object.fromEntries(rows)).toEqual(EXIT);
  });
});

describe('commands in the docs', () => {
  test('some were found', () => expect(TOLD.length).toBeGreaterThan(20));

  test.each(TOLD)('$file: memcalib $name $flags exists', ({ name, flags }) => {
    expect(NAMES).toContain(name);
    expect(flagsOf(name)).toEqual(expect.arrayContaining([...flags]));
  });

  test('npm scripts are those of package.json', () => {
    const scripts = (JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }).scripts;
    const told = DOCS.flatMap((file) =>
      [...read(file).matchAll(/npm (?:run )?(start|test\b|(?<=run )[a-z:]+)/g)].map((match) => match[1] ?? ''),
    );
    expect(told.length).toBeGreaterThan(4);
    for (const script of told) expect(scripts).toHaveProperty([script]);
  });
});

describe('links and paths', () => {
  const links = DOCS.flatMap((file) =>
    [...read(file).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !/^https?:/.test(target))
      .map((target) => ({ file, target })),
  );
  test.each(links)('$file links to $target', ({ file, target }) => expect(existsSync(join(ROOT, dirname(file), target))).toBe(true));

  const top = readdirSync(ROOT).filter((name) => !name.startsWith('.') && name !== 'dist' && name !== 'node_modules');
  const paths = DOCS.filter((file) => file !== 'CHANGELOG.md').flatMap((file) =>
    [...read(file).matchAll(/`([\w.-]+\/[\w./-]*|[\w-]+\.(?:ts|mjs|md|json))`/g)]
      .map((match) => match[1] ?? '')
      .filter((path) => top.includes(path.split('/')[0] ?? ''))
      .map((path) => ({ file, path })),
  );
  test('paths were found', () => expect(paths.length).toBeGreaterThan(40));
  test.each(paths)('$file names $path', ({ path }) => expect(existsSync(join(ROOT, path))).toBe(true));
});

describe('sizes and headings', () => {
  test.each([
    ['AGENTS.md', 60],
    ['docs/architecture.md', 150],
  ])('%s has at most %i lines', (file, most) => expect(read(file).trimEnd().split('\n').length).toBeLessThanOrEqual(most));

  test('docs/prompts.md has one section per step, in order, and a heading for trials', () => {
    const headings = [...read('docs/prompts.md').matchAll(/^## (.+)$/gm)].map((match) => match[1] ?? '');
    expect(headings.filter((heading) => (STEPS as readonly string[]).includes(heading))).toEqual([...STEPS]);
    expect(headings).toContain('Trials');
  });

  test('every decision begins with a title and its date', () => {
    const files = DOCS.filter((file) => file.startsWith('docs/decisions/'));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files)
      expect(read(file)).toMatch(new RegExp(`^# [\\s\\S]{0,200}${/(\d{4}-\d\d-\d\d)/.exec(file)?.[1] ?? 'no date'}|^# \\d{4}-`));
  });
});

test('config examples of the README pass the check of the config', async () => {
  const blocks = [...read('README.md').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) {
    const source = block.replace("import { defineConfig } from 'memcalib';", 'const defineConfig = (config) => config;');
    const { code } = await transform(source, { loader: 'ts', format: 'esm' });
    const module = (await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)) as { readonly default: unknown };
    expect(() => checkConfig(module.default, 'README.md')).not.toThrow();
  }
});
