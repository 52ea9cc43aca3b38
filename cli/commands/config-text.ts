import { join, relative } from 'node:path';
import type { Domain } from '../../schemas/levels.ts';
import { packageRoot } from '../package-root.ts';

/** What `init` was told. */
export interface InitAnswers {
  readonly provider: string | null;
  readonly apiKeyEnv: string | null;
  readonly builder: string | null;
  readonly reviewerA: string | null;
  readonly reviewerB: string | null;
  readonly sources: readonly { readonly adapter: string; readonly path: string }[];
  readonly target: Readonly<Record<Domain, number>>;
}

const DEMO_FILES = {
  meddialog: 'meddialog.jsonl',
  healthcaremagic: 'healthcaremagic.jsonl',
  ultrachat: 'ultrachat.json',
  oasst1: 'oasst1.jsonl',
  oasst2: 'oasst2.trees.jsonl',
  magicoder: 'magicoder.csv',
  apps: 'apps.jsonl',
  stackexchange: 'stackexchange.jsonl',
} as const;

/** The sources of the demo, as config values with paths relative to a folder. */
export function demoSources(
  from: string,
): readonly { readonly name: string; readonly adapter: string; readonly path: string; readonly licence: string }[] {
  const rows = join(packageRoot(), 'datasets', 'demo', 'rows');
  return Object.entries(DEMO_FILES).map(([adapter, file]) => ({
    name: `demo-${adapter}`,
    adapter,
    path: relative(from, join(rows, file)),
    licence: 'CC0-1.0',
  }));
}

/** The config of the given answers as commented TypeScript, and the same as a value. */
export function configText(answers: InitAnswers): { readonly text: string; readonly value: unknown } {
  const given = answers.sources.map(({ adapter, path }, index) => ({
    name: answers.sources.filter((other) => other.adapter === adapter).length > 1 ? `${adapter}-${index + 1}` : adapter,
    adapter,
    path,
  }));
  const sources = given.length > 0 ? given : demoSources(process.cwd());
  const value: Record<string, unknown> = { name: 'my-benchmark', seed: 'my-benchmark-1', target: answers.target, sources };
  const lines = [
    "import { defineConfig } from 'memcalib';",
    '',
    'export default defineConfig({',
    "  name: 'my-benchmark',",
    '  // Every draw of the build (order of candidates, block plans, distractor families) comes from this text.',
    "  seed: 'my-benchmark-1',",
    '  // Accepted examples wanted per domain.',
    `  target: { health: ${answers.target.health}, general: ${answers.target.general}, coding: ${answers.target.coding} },`,
    '  // One entry per dataset. licence: an SPDX identifier, or unknown (then exports need --allow-unknown-licence).',
    '  sources: [',
    ...sources.map((source) => `    ${JSON.stringify(source)},`),
    '  ],',
  ];
  if (answers.provider !== null) {
    const provider = { baseUrl: answers.provider, ...(answers.apiKeyEnv !== null && { apiKeyEnv: answers.apiKeyEnv }), concurrency: 16 };
    const model = (name: string | null): unknown => ({ provider: 'main', model: name, temperature: 0 });
    const models = { builder: model(answers.builder), reviewerA: model(answers.reviewerA), reviewerB: model(answers.reviewerB) };
    Object.assign(value, { providers: { main: provider }, models });
    lines.push(
      '  // Keys are read from the environment variable named here and written nowhere.',
      `  providers: { main: ${JSON.stringify(provider)} },`,
    );
    lines.push('  // Two reviewers of different model families see less alike.', `  models: ${JSON.stringify(models)},`);
  }
  lines.push('});', '');
  return { text: lines.join('\n'), value };
}
