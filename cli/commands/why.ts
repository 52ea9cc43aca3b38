import { EXIT } from '../cli-error.ts';
import { query } from '../project.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, labelOf, sayJson } from './options.ts';
import { tell } from './told-commands.ts';
import { whyText } from './why-text.ts';

/** `memcalib why ID`: the passport of an example, an atom or a source row; with --not where it fell and what would bring it in. */
export async function runWhy(invocation: Invocation): Promise<number> {
  const report = await query(await configOf(invocation), 'why', { label: labelOf(invocation), id: invocation.positional[0] ?? '' });
  if (isOn(invocation, 'json')) sayJson(report);
  else tell(invocation, whyText(report, isOn(invocation, 'not')));
  return EXIT.ok;
}
