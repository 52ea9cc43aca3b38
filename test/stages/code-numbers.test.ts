import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { ORDER_VERSION } from '../../hub/order-identity.ts';
import { STEPS } from '../../schemas/steps.ts';
import { FOLD_VERSION } from '../../stages/acceptance.ts';
import { PLAN_VERSION } from '../../stages/block-plan-tables.ts';
import { STEP_DEFINITIONS } from '../../stages/catalog.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const BOOK = join(import.meta.dirname, 'code-numbers.json');

/** `number`: record the present code under numbers that moved. `same`: the code changed, its decisions did not (a person's word). */
const WRITE = process.env['MEMCALIB_GUARD_WRITE'];

/** What a file decides: its code without comments, types and layout. */
function codeOf(file: string): string {
  return transformSync(readFileSync(join(ROOT, file), 'utf8'), { loader: 'ts', minifyWhitespace: true, legalComments: 'none' }).code;
}

function hashOfFiles(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of [...new Set(files)].sort()) hash.update(`${file}\n${codeOf(file)}\n`);
  return hash.digest('hex').slice(0, 16);
}

/** Every file of some folders that a file imports values from, itself included. */
function closure(file: string, folders: RegExp, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file) || !folders.test(file)) return seen;
  seen.add(file);
  for (const match of readFileSync(join(ROOT, file), 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*? from '(\.[^']+)';/gm))
    closure(relative(ROOT, resolve(ROOT, dirname(file), match[1] ?? '')), folders, seen);
  return seen;
}

interface Guarded {
  readonly name: string;
  readonly where: string;
  readonly number: number;
  readonly files: readonly string[];
}

const PLAN_FILES = ['stages/block-plan.ts', 'stages/scenes.ts'].flatMap((file) => [...closure(file, /^stages\/(?!checks\/)/)]);
/** Where files lie and how they were pulled decides nothing: their content is hashed. Screening is loaded where it is done, so it is named here. */
const ORDER_FILES = ['hub/ingest.ts', 'datasets/screen-batch.ts']
  .flatMap((file) => [...closure(file, /^(?:hub|datasets)\//)])
  .filter((file) => !file.endsWith('-error.ts') && !file.startsWith('hub/pull/') && file !== 'hub/locate-source.ts');

const FOLD_FILES = ['stages/acceptance.ts', 'datasets/near-duplicates.ts', 'activities/fold-stored.ts'].flatMap((file) => [
  ...closure(file, /^(?:stages|datasets|activities\/fold-stored)/),
]);

const GUARDED: readonly Guarded[] = [
  ...STEPS.map((id) => {
    const { checkNumber, checkFiles } = STEP_DEFINITIONS[id];
    return { name: id, where: `checkNumber of stages/${id}.ts`, number: checkNumber, files: checkFiles };
  }),
  { name: 'block-plan', where: 'PLAN_VERSION of stages/block-plan-tables.ts', number: PLAN_VERSION, files: PLAN_FILES },
  { name: 'fold', where: 'FOLD_VERSION of stages/acceptance.ts', number: FOLD_VERSION, files: FOLD_FILES },
  { name: 'order', where: 'ORDER_VERSION of hub/order-identity.ts', number: ORDER_VERSION, files: ORDER_FILES },
];

type Book = Readonly<Record<string, { readonly number: number; readonly code: string }>>;
const book = JSON.parse(readFileSync(BOOK, 'utf8')) as Book;

if (WRITE === 'number' || WRITE === 'same') {
  const next = GUARDED.map(({ name, number, files }) => {
    const code = hashOfFiles(files);
    const kept = WRITE === 'number' && book[name]?.number === number ? book[name] : { number, code };
    return [name, kept] as const;
  });
  writeFileSync(BOOK, `${JSON.stringify(Object.fromEntries(next), null, 2)}\n`);
}

test.each(GUARDED.map((item) => [item.name, item] as const))(
  'the number of %s moves whenever the code it stands for does',
  (name, item) => {
    expect(item.files.length).toBeGreaterThan(0);
    const known = (JSON.parse(readFileSync(BOOK, 'utf8')) as Book)[name];
    const code = hashOfFiles(item.files);
    const advice =
      known?.number === item.number
        ? `The code of ${name} changed. Bump the ${item.where} (stored verdicts are then decided anew, at no call), and type MEMCALIB_GUARD_WRITE=number npx vitest run test/stages/code-numbers.test.ts; if no decision can differ, type the same with =same.`
        : `The ${item.where} moved: type MEMCALIB_GUARD_WRITE=number npx vitest run test/stages/code-numbers.test.ts to record the code it stands for.`;
    expect({ number: item.number, code }, advice).toEqual(known);
  },
);

test('a comment, a type and a blank line are no change of code', () => {
  const code = (text: string): string => transformSync(text, { loader: 'ts', minifyWhitespace: true, legalComments: 'none' }).code;
  const plain = code('export const LIMIT = 3;\n');
  expect(code('/** The limit. */\nexport const LIMIT: number = 3; // three\n\n')).toBe(plain);
  expect(code('export const LIMIT = 4;\n')).not.toBe(plain);
});
