import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../cli/check-config.ts';
import { FAILURES } from '../../llm/failures.ts';
import type { FailurePolicy } from '../../llm/failures.ts';

const FILE = join(resolve(import.meta.dirname, '../..'), 'docs/models.md');
const PAGE = readFileSync(FILE, 'utf8');
const START = /<!-- failure table:[^\n]*-->\n/;
const END = '<!-- end of failure table -->';

const ACTIONS: Readonly<Record<FailurePolicy['action'], string>> = {
  serve: 'served for ever',
  retry: 'asked again',
  raise_cap: 'asked again once, under a higher cap',
  repair: 'one repair turn (builder), or the next sample (reviewers)',
  delay: 'waits, then asked again',
  pause: 'the run pauses',
  stop: 'the call fails',
};

function failureTable(): string {
  const rows = Object.entries(FAILURES).map(([name, { recognisedBy, action, maxAttempts, backoff, paidBy, reads }]) => {
    const waits = backoff === null ? '' : ` after ${backoff.firstMs / 1000} s, then ×${backoff.factor} up to ${backoff.maxMs / 1000} s`;
    const counted = Number.isFinite(maxAttempts) ? String(maxAttempts) : 'never';
    return `| \`${name}\` | ${recognisedBy} | ${ACTIONS[action]}${waits} | ${counted} | ${paidBy} | ${reads} |`;
  });
  return ['| class | recognised by | what is done | counted | paid by | what you read |', '|---|---|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}

const sections = [...PAGE.matchAll(/^## ([^\n]+)\n([\s\S]*?)(?=^## |(?![\s\S]))/gm)].map(([, title = '', body = '']) => ({ title, body }));
const PROVIDERS = ['OpenAI', 'Qwen on DashScope', 'DeepSeek', 'vLLM', 'llama.cpp', 'Ollama', 'OpenRouter'];

describe('docs/models.md', () => {
  it('has a section per provider with recorded replies', () => {
    expect(sections.map(({ title }) => title)).toEqual([...PROVIDERS, 'Anything else', 'How a call can end']);
  });

  it.each(PROVIDERS)('%s: its block is accepted as it stands, and what it lacks is said', async (provider) => {
    const body = sections.find(({ title }) => title === provider)?.body ?? '';
    const block = /^```ts\n([\s\S]*?)^```/m.exec(body)?.[1] ?? '';
    const source = `export default { name: 'x', target: { health: 1, general: 0, coding: 0 }, sources: [{ name: 'a', adapter: 'meddialog', path: 'x' }],\n${block}};`;
    const { code } = await transform(source, { loader: 'ts', format: 'esm' });
    const module = (await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)) as { readonly default: unknown };
    const config = checkConfig(module.default, 'docs/models.md');
    expect(Object.keys(config.providers ?? {})).toHaveLength(1);
    expect(config.models?.builder.model.length).toBeGreaterThan(2);
    expect(body).toMatch(/^Lacks: .{20,}/m);
  });

  it('holds the whole failure table as the client knows it', () => {
    const begin = START.exec(PAGE);
    const from = (begin?.index ?? 0) + (begin?.[0].length ?? 0);
    const to = PAGE.indexOf(END);
    expect(begin).not.toBeNull();
    if (process.env['MEMCALIB_DOCS_WRITE'] === '1') writeFileSync(FILE, PAGE.slice(0, from) + failureTable() + PAGE.slice(to));
    else expect(PAGE.slice(from, to)).toBe(failureTable());
  });
});
