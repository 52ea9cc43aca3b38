import { query } from '../project.ts';
import { EXIT } from '../cli-error.ts';
import type { Invocation } from './catalog.ts';
import { configFlag, configOf, isOn, labelOf, say, sayJson } from './options.ts';
import { statusText } from './status-text.ts';

/** `memcalib status`: where every row is, what stopped, and what to type next. */
export async function runStatus(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const label = labelOf(invocation);
  const report = await query(loaded, 'status', { label });
  if (report === null) {
    say(`There is no build labelled ${label} yet. Type \`memcalib build${configFlag(invocation)}\` to start one.`);
    return EXIT.ok;
  }
  if (isOn(invocation, 'json')) sayJson(report);
  else say(statusText(report, configFlag(invocation)));
  return EXIT.ok;
}
