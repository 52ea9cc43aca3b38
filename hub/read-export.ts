import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { validateDataset, type DatasetInput, type ValidationOptions, type ValidationReport } from '../stages/validate-dataset.ts';
import { ExportError, exportErrorOf } from './export-error.ts';
import { readJsonl, sha256OfFile } from './jsonl.ts';

const UNHASHED = new Set(['manifest.json', 'run.json']);

async function fileNames(folder: string): Promise<ReadonlySet<string>> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      throw new ExportError('missing', `There is no export folder ${folder}; type \`memcalib export\` to make one.`, { cause: error });
    throw exportErrorOf(error, folder);
  }
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Opens an export or import folder as streams; nothing but the manifest and the card is held in memory. */
export async function readExport(folder: string): Promise<DatasetInput> {
  const names = await fileNames(folder);
  if (!names.has('train.jsonl') && !names.has('test.jsonl'))
    throw new ExportError('not_an_export', `${folder} holds neither train.jsonl nor test.jsonl; name a folder that holds a dataset.`);
  const lines = (name: string): Pick<DatasetInput, 'train'>['train'] => (names.has(name) ? readJsonl(join(folder, name), name) : undefined);
  const hashes = new Map<string, string>();
  if (names.has('manifest.json')) {
    for (const name of names) if (!UNHASHED.has(name)) hashes.set(name, await sha256OfFile(join(folder, name)));
  }
  return {
    provenance: lines('provenance.jsonl'),
    train: lines('train.jsonl'),
    test: lines('test.jsonl'),
    rejected: lines('rejected.jsonl'),
    manifest: names.has('manifest.json')
      ? { value: parseOrText(await readFile(join(folder, 'manifest.json'), 'utf8')), hashes }
      : undefined,
    card: names.has('README.md') ? await readFile(join(folder, 'README.md'), 'utf8') : undefined,
  };
}

/** Reads a folder back and holds it against every invariant. */
export async function validateFolder(folder: string, options: ValidationOptions): Promise<ValidationReport> {
  return validateDataset(await readExport(folder), options);
}
