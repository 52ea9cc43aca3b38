import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { validateFolder } from '../../hub/read-export.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Invocation } from './catalog.ts';
import { isOn, say, sayJson } from './options.ts';

const SHOWN = 20;

/** `memcalib validate FOLDER`: every invariant of SPEC §2; a release stops at any violation, an import sets records aside (exit 3). */
export async function runValidate(invocation: Invocation): Promise<number> {
  const folder = resolve(invocation.positional[0] ?? '');
  if (!existsSync(folder)) throw new CliError(`There is no folder ${folder}. Name an export or import folder.`, EXIT.usage);
  if (!statSync(folder).isDirectory())
    throw new CliError(`${folder} is a file, not a folder. Name the folder that holds train.jsonl or test.jsonl.`, EXIT.usage);
  const isImport = isOn(invocation, 'import');
  const report = await validateFolder(folder, { mode: isImport ? 'import' : 'release' });
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
  return isImport && !isOn(invocation, 'strict') ? EXIT.quarantined : EXIT.invalid;
}
