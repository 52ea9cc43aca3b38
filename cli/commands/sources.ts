import { CliError, EXIT } from '../cli-error.ts';
import { nearestName } from '../nearest-name.ts';
import type { Invocation } from './catalog.ts';

const ACTIONS = ['pull', 'verify', 'report', 'show'] as const;

/** `memcalib sources ACTION`: what has to do with source datasets before a build. */
export async function runSources(invocation: Invocation): Promise<number> {
  const [action = '', ...positional] = invocation.positional;
  const inner = { ...invocation, positional };
  if (action === 'pull') return (await import('./sources-pull.ts')).runSourcesPull(inner);
  if (action === 'verify') return (await import('./sources-verify.ts')).runSourcesVerify(inner);
  if (action === 'report') return (await import('./sources-report.ts')).runSourcesReport(inner);
  if (action === 'show') return (await import('./sources-show.ts')).runSourcesShow(inner);
  const nearest = nearestName(action, ACTIONS);
  throw new CliError(
    `\`memcalib sources ${action}\` is none of ${ACTIONS.join(', ')}${nearest === null ? '' : `; did you mean ${nearest}?`} Type \`memcalib sources --help\`.`,
    EXIT.usage,
  );
}
