import { open, rename, rm } from 'node:fs/promises';
import type { ExampleRecord } from '../schemas/record.ts';
import type { QuarantineEntry, Split, ValidationReport } from '../stages/validate-dataset.ts';
import { ExportError, exportErrorOf } from './export-error.ts';
import { validateFolder } from './read-export.ts';

function stopAt({ file, line, id, violations }: QuarantineEntry): ExportError {
  const first = violations[0];
  return new ExportError(
    'invalid',
    `${file}:${line}${id === null ? '' : ` (${id})`} breaks ${first?.rule ?? 'a rule'}: ${first?.detail ?? ''}; leave out --strict to set such records aside and go on.`,
  );
}

/**
 * Reads a folder as an import: good records go to `keep`, the others into a quarantine file, one line each with file, line, id,
 * the rules broken and the record as it was. The file appears only when the whole folder has been read, and only if something was set aside.
 */
export async function importFolder(
  folder: string,
  quarantine: string,
  options: {
    readonly keep?: (record: ExampleRecord, split: Split) => void | Promise<void>;
    /** Stops at the first record that would be set aside. */
    readonly strict?: boolean;
  } = {},
): Promise<ValidationReport> {
  const partial = `${quarantine}.partial-${process.pid}`;
  try {
    const handle = await open(partial, 'w');
    let report: ValidationReport;
    let setAside = 0;
    try {
      report = await validateFolder(folder, {
        mode: 'import',
        ...(options.keep === undefined ? {} : { keep: options.keep }),
        setAside: async (entry) => {
          if (options.strict === true) throw stopAt(entry);
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
