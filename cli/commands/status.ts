import { attach } from '../attach.ts';
import { query } from '../project.ts';
import { EXIT } from '../cli-error.ts';
import type { Invocation } from './catalog.ts';
import { configFlag, configOf, isOn, labelOf, sayJson } from './options.ts';
import { tell } from './told-commands.ts';
import { statusText } from './status-text.ts';

/** `memcalib status`: where every row is, what stopped, and what to type next. */
export async function runStatus(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const label = labelOf(invocation);
  const stored = await query(loaded, 'status', { label });
  const runs = stored?.state === 'running' || stored?.state === 'starting';
  const report = stored !== null && runs && attach(loaded.projectFolder) === null ? { ...stored, state: 'interrupted' as const } : stored;
  if (isOn(invocation, 'json')) {
    sayJson(report);
    return EXIT.ok;
  }
  if (report === null) {
    tell(invocation, `There is no build labelled ${label} yet. Type \`memcalib build\` to start one.`);
    return EXIT.ok;
  }
  tell(invocation, statusText(report, configFlag(invocation)));
  return EXIT.ok;
}
