// Writes the JSON Schema of every Zod schema under schemas/ (from the compiled dist/) to schemas/generated/, and removes files of schemas that are gone.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
const COMPILED = join(ROOT, 'dist', 'schemas');
const GENERATED = join(ROOT, 'schemas', 'generated');

const files = readdirSync(COMPILED, { recursive: true })
  .filter((name) => name.endsWith('.js') && existsSync(join(ROOT, 'schemas', name.replace(/\.js$/, '.ts'))))
  .sort((a, b) => (a < b ? -1 : 1));
const modules = await Promise.all(files.map((name) => import(pathToFileURL(join(COMPILED, name)).href)));
const { schemaDocuments } = await import(pathToFileURL(join(COMPILED, 'json-schema.js')).href);
const documents = schemaDocuments(modules);
if (documents.size === 0) {
  console.error('schemas: saw no schema; type npm run build first');
  process.exit(1);
}
mkdirSync(GENERATED, { recursive: true });
// Files that TypeScript and Python both read and that no Zod schema makes.
const KEPT_BY_HAND = new Set(['eval-prompt.json', 'eval-prompt.parity.json', 'judgments.json']);
for (const name of readdirSync(GENERATED)) if (!documents.has(name) && !KEPT_BY_HAND.has(name)) rmSync(join(GENERATED, name));
for (const [name, text] of documents) writeFileSync(join(GENERATED, name), text);
console.log(`schemas: ${documents.size} written to schemas/generated/`);
