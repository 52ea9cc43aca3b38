import { resolve } from 'node:path';
import { EXIT } from '../cli-error.ts';
import { query } from '../project.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, labelOf, sayJson, textOption } from './options.ts';
import { tell } from './told-commands.ts';
import { statsText } from './stats-text.ts';
import { writePage } from './write-page.ts';

/** `memcalib stats`: what the data looks like now, beside its targets. */
export async function runStats(invocation: Invocation): Promise<number> {
  const report = await query(await configOf(invocation), 'stats', { label: labelOf(invocation) });
  const page = textOption(invocation, 'html');
  if (page !== undefined) await writePage(page, (await import('./stats-page.ts')).statsPage(report));
  if (isOn(invocation, 'json')) sayJson(report);
  else tell(invocation, `${statsText(report)}${page === undefined ? '' : `\n\npage: ${resolve(page)}`}`);
  return EXIT.ok;
}
