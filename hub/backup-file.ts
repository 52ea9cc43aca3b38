import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { sha256OfFile } from './jsonl.ts';
import { fileChunks, readTar, tarEnd, TarError, tarFile } from './tar.ts';

/** The last file of a backup: without it an archive is not whole. */
export const BackupManifest = z.strictObject({
  format: z.literal('memcalib-backup-1'),
  made_at: z.string(),
  memcalib: z.string(),
  /** Path in the project folder to size and SHA-256. */
  files: z.record(z.string(), z.strictObject({ bytes: z.int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

const MANIFEST = 'memcalib-backup.json';
const STORE = 'memcalib.duckdb';
/** What a project holds besides its store. Logs and Temporal's own files are left out: nothing needs them. */
const FOLDERS = ['exports', 'sources'] as const;
const ALLOWED = /^(?:memcalib\.duckdb|memcalib-backup\.json|(?:exports|sources)\/.+)$/;

async function filesOf(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const top of FOLDERS) {
    const entries = await readdir(join(folder, top), { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isFile()) names.push(join(entry.parentPath, entry.name).slice(folder.length + 1));
  }
  return names.sort();
}

/** Writes a backup in one step: the copied store, exports and sources, then a manifest with the hash of each. */
export async function writeBackup(
  file: string,
  project: { readonly folder: string; readonly storeCopy: string },
  made: { readonly at: string; readonly version: string },
): Promise<BackupManifest> {
  const paths = new Map([
    [STORE, project.storeCopy],
    ...(await filesOf(project.folder)).map((name) => [name, join(project.folder, name)] as const),
  ]);
  const files: Record<string, BackupManifest['files'][string]> = {};
  for (const [name, path] of paths) files[name] = { bytes: (await stat(path)).size, sha256: await sha256OfFile(path) };
  const manifest: BackupManifest = { format: 'memcalib-backup-1', made_at: made.at, memcalib: made.version, files };
  const text = Buffer.from(JSON.stringify(manifest, null, 2));
  async function* archive(): AsyncGenerator<Buffer> {
    for (const [name, path] of paths) yield* tarFile(name, files[name]?.bytes ?? 0, fileChunks(path));
    yield* tarFile(MANIFEST, text.length, Readable.from([text]) as AsyncIterable<Buffer>);
    yield tarEnd();
  }
  const part = `${file}.part`;
  try {
    await pipeline(Readable.from(archive()), createGzip({ level: 1 }), createWriteStream(part, { mode: 0o600 }));
    const handle = await open(part, 'r+');
    await handle.sync();
    await handle.close();
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return manifest;
}

function checkName(name: string): void {
  if (!ALLOWED.test(name) || name.split('/').some((part) => part === '..' || part === '.' || part === ''))
    throw new TarError(`The archive holds ${name}: it is no backup of MemCalib.`);
}

async function take(content: AsyncIterable<Buffer>, path: string): Promise<string> {
  const hash = createHash('sha256');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await pipeline(
    content,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
  );
  return hash.digest('hex');
}

/** Unpacks a backup into an empty folder and checks every file against the manifest; anything missing, changed or strange is a TarError. */
export async function unpackBackup(file: string, folder: string): Promise<BackupManifest> {
  const hashes = new Map<string, string>();
  let manifestText = '';
  try {
    for await (const entry of readTar(createReadStream(file).pipe(createGunzip()) as AsyncIterable<Buffer>)) {
      checkName(entry.name);
      if (entry.name !== MANIFEST) hashes.set(entry.name, await take(entry.content, join(folder, entry.name)));
      else for await (const chunk of entry.content) manifestText += chunk.toString('utf8');
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_'))
      throw new TarError('It is no whole gzip archive. Take another copy of it.', { cause: error });
    throw error;
  }
  const parsed = BackupManifest.safeParse(jsonOrNull(manifestText));
  if (!parsed.success) throw new TarError('It holds no manifest, so it is no whole backup of MemCalib. Take another copy of it.');
  const { files } = parsed.data;
  for (const [name, { sha256 }] of Object.entries(files))
    if (hashes.get(name) !== sha256) throw new TarError(`${name} in it does not match its checksum. Take another copy of the backup.`);
  const strange = [...hashes.keys()].find((name) => !Object.hasOwn(files, name));
  if (strange !== undefined) throw new TarError(`It holds ${strange}, which its manifest does not name.`);
  return parsed.data;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
