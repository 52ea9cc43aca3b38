import { resolve } from 'node:path';
import { CliError, EXIT } from '../cli-error.ts';
import { isExportFolder } from '../export-folder.ts';
import { query } from '../project.ts';
import type { DiffArgs, DiffReport } from '../queries/diff.ts';
import type { Invocation } from './catalog.ts';
import { diffText } from './diff-text.ts';
import { configOf, isOn, sayJson, textOption } from './options.ts';
import { tell } from './told-commands.ts';
import { writePage } from './write-page.ts';

const DETAILS = 100;

function detailsOf(invocation: Invocation): number {
  const text = textOption(invocation, 'examples');
  if (text === undefined) return DETAILS;
  if (!/^\d{1,5}$/.test(text))
    throw new CliError(`--examples ${text} is no whole number: type for example \`memcalib diff main b --examples 20\`.`, EXIT.usage);
  return Number(text);
}

async function compare(invocation: Invocation, args: DiffArgs): Promise<DiffReport> {
  if (!isExportFolder(args.before.path) || !isExportFolder(args.after.path)) return query(await configOf(invocation), 'diff', args);
  const { readDiff } = await import('../queries/diff.ts');
  return readDiff(null, args);
}

/** `memcalib diff A B`: what an edit did to the data; two export folders need no project. */
export async function runDiff(invocation: Invocation): Promise<number> {
  const [before = '', after = ''] = invocation.positional;
  const side = (name: string): DiffArgs['before'] => ({ name, path: resolve(name) });
  const report = await compare(invocation, { before: side(before), after: side(after), details: detailsOf(invocation) });
  const page = textOption(invocation, 'html');
  if (page !== undefined) await writePage(page, (await import('./diff-page.ts')).diffPage(report));
  if (isOn(invocation, 'json')) sayJson(report);
  else tell(invocation, `${diffText(report)}${page === undefined ? '' : `\n\npage: ${resolve(page)}`}`);
  return EXIT.ok;
}
