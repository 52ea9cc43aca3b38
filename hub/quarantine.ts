import { open, rename, rm } from 'node:fs/promises';
import type { ExampleRecord } from '../schemas/record.ts';
import type { Split, ValidationReport } from '../stages/validate-dataset.ts';
import { exportErrorOf } from './export-error.ts';
import { validateFolder } from './read-export.ts';

/**
 * Reads a folder as an import: good records go to `keep`, the others into a quarantine file, one line each with file, line, id,
 * the rules broken and the record as it was. The file appears only when the whole folder has been read, and only if something was set aside.
 */
export async function importFolder(
  folder: string,
  quarantine: string,
  keep: (record: ExampleRecord, split: Split) => void | Promise<void> = () => undefined,
): Promise<ValidationReport> {
  const partial = `${quarantine}.partial-${process.pid}`;
  try {
    const handle = await open(partial, 'w');
    let report: ValidationReport;
    let setAside = 0;
    try {
      report = await validateFolder(folder, {
        mode: 'import',
        keep,
        setAside: async (entry) => {
          setAside += 1;
          await handle.appendFile(`${JSON.stringify(entry)}\n`);
        },
      });
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (setAside > 0) await rename(partial, quarantine);
    return report;
  } catch (error) {
    throw exportErrorOf(error, quarantine);
  } finally {
    await rm(partial, { force: true });
  }
}
