import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ExportError } from '../../hub/export-error.ts';
import { importFolder } from '../../hub/import-folder.ts';
import { validateFolder } from '../../hub/read-export.ts';
import type { ValidationReport } from '../../stages/validate-dataset.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Invocation } from './catalog.ts';
import { isOn, say, sayJson } from './options.ts';
import { count } from './table.ts';

const SHOWN = 20;

async function importReport(folder: string, strict: boolean): Promise<ValidationReport> {
  try {
    return await importFolder(folder, join(folder, 'quarantine.jsonl'), { strict });
  } catch (error) {
    if (error instanceof ExportError && error.code === 'invalid') throw new CliError(error.message, EXIT.invalid, { cause: error });
    throw error;
  }
}

/** `memcalib validate FOLDER`: every invariant of SPEC §2; a release stops at any violation, an import sets records aside (exit 3). */
export async function runValidate(invocation: Invocation): Promise<number> {
  const folder = resolve(invocation.positional[0] ?? '');
  if (!existsSync(folder)) throw new CliError(`There is no folder ${folder}. Name an export or import folder.`, EXIT.usage);
  if (!statSync(folder).isDirectory())
    throw new CliError(`${folder} is a file, not a folder. Name the folder that holds train.jsonl or test.jsonl.`, EXIT.usage);
  const isImport = isOn(invocation, 'import');
  const report = isImport ? await importReport(folder, isOn(invocation, 'strict')) : await validateFolder(folder, { mode: 'release' });
  const rules = Object.fromEntries(report.countsByRule);
  if (isOn(invocation, 'json')) sayJson({ ok: report.ok, rules, violations: report.violations });
  else {
    for (const { rule, record, detail } of report.violations.slice(0, SHOWN))
      say(`${rule}: ${record}${detail === '' ? '' : ` (${detail})`}`);
    if (report.violations.length > SHOWN) say(`and ${report.violations.length - SHOWN} more`);
    say(
      report.ok
        ? `${folder} keeps every invariant.`
        : `${folder} breaks ${Object.keys(rules).length} rules: ${Object.entries(rules)
            .map(([rule, n]) => `${rule} ${n}`)
            .join(', ')}.`,
    );
  }
  if (report.ok) return EXIT.ok;
  if (!isImport) return EXIT.invalid;
  if (!isOn(invocation, 'json'))
    say(`${count(report.recordsInViolation, 'record')} set aside in ${join(folder, 'quarantine.jsonl')}; the others are fit to use.`);
  return EXIT.quarantined;
}
