// Bundles the compiled command line and owner into a few files: opening hundreds of small modules is most of the time of a short
// command, and a good part of an owner's start. Only what every one needs is taken in; other packages stay where they are.
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist', 'quick');
const TAKEN_IN = new Set(['@duckdb/node-api', '@hono/node-server', 'commander', 'hono', 'zod']);
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const left = Object.keys(dependencies).filter((name) => !TAKEN_IN.has(name));

rmSync(OUT, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { main: join(ROOT, 'dist', 'cli', 'main.js'), worker: join(ROOT, 'dist', 'worker.js') },
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // What is shorter is compiled sooner; names stay, so that errors can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  external: ['@duckdb/node-bindings', ...left.flatMap((name) => [name, `${name}/*`])],
  banner: { js: "import { createRequire as requireHere } from 'node:module'; const require = requireHere(import.meta.url);" },
  metafile: true,
  logLevel: 'error',
});
console.log(`command line and owner: ${Object.keys(metafile.outputs).length} files`);
