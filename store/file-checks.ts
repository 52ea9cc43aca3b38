import { constants } from 'node:fs';
import { access, mkdir, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readOnlyFolderError, StoreError } from './errors.ts';

/** File systems that answer over a network, by the `f_type` of statfs(2): locks and fsync cannot be trusted there. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9p'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
]);

/** Name of the network file system behind an `f_type`, or null for a local one; the number may arrive sign-extended. */
export function networkFileSystem(type: number): string | null {
  return NETWORK_FILE_SYSTEMS.get(type >>> 0) ?? null;
}

async function fileSystemType(folder: string): Promise<number> {
  return (await statfs(folder)).type;
}

/** Refuses a folder on a network file system with a sentence (a checkpoint database on NFS hangs or loses rows). */
export async function refuseNetworkFolder(folder: string, typeOf: (folder: string) => Promise<number> = fileSystemType): Promise<void> {
  const name = networkFileSystem(await typeOf(folder));
  if (name === null) return;
  throw new StoreError(
    'network_file_system',
    `${folder} lies on ${name}, where a database file can hang or lose rows; set projectDir in memcalib.config.ts to a folder on a local disk.`,
  );
}

/** Prepares the folder of a store file (made with mode 0700 when absent) and refuses what cannot work, before DuckDB opens anything. */
export async function checkStoreFile(file: string, readOnly: boolean): Promise<void> {
  const folder = dirname(file);
  const exists = await isFile(file);
  if (readOnly) {
    if (!exists) throw new StoreError('missing_file', `There is no store at ${file}; type \`memcalib build\` to begin a project there.`);
    await refuseNetworkFolder(folder);
    return;
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK | constants.X_OK);
    if (exists) await access(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw readOnlyFolderError(file, error);
  }
  await refuseNetworkFolder(folder);
}

async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return false;
    throw readOnlyFolderError(file, error);
  }
}
