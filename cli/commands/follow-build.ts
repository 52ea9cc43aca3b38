import type { OwnerClient } from '../attach.ts';
import { EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import type { BuildState } from '../owner/builds.ts';
import type { DomainShortfall } from '../queries/shortfall.ts';
import type { StatusReport } from '../queries/status.ts';
import type { Invocation } from './catalog.ts';
import { createProgressView } from './progress-view.ts';
import { configFlag, isOn, sayJson } from './options.ts';
import { shortfallText } from './shortfall-text.ts';
import { tell } from './told-commands.ts';
import { statusText } from './status-text.ts';

const POLL_MS = 250;

const EXIT_OF: Readonly<Record<string, number>> = {
  completed: EXIT.ok,
  dry: EXIT.dry,
  cancelled: EXIT.unfinished,
  failed: EXIT.environment,
  paused: EXIT.paused,
  waiting: EXIT.paused,
};

function hasEnded(state: BuildState): boolean {
  return (
    state.state === 'completed' ||
    state.state === 'dry' ||
    state.state === 'cancelled' ||
    state.state === 'failed' ||
    ((state.state === 'paused' || state.state === 'waiting') && state.until === null)
  );
}

/** Follows a build to its end or to a stop that needs a person; shows progress, then the books and the next command. */
export async function followBuild(owner: OwnerClient, loaded: LoadedConfig, invocation: Invocation, label: string): Promise<number> {
  const json = isOn(invocation, 'json');
  const view = createProgressView(json ? 'none' : process.stdout.isTTY ? 'bars' : 'lines', loaded.config.target);
  let state = (await owner.call('build.state', { label })) as BuildState;
  while (!hasEnded(state)) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (view.isDue()) {
      const report = (await owner.call('query.status', { label })) as StatusReport | null;
      if (report !== null) view.show(report, state);
    }
    state = (await owner.call('build.state', { label })) as BuildState;
  }
  const report = (await owner.call('query.status', { label })) as StatusReport | null;
  view.end(report);
  if (report === null) return EXIT.internal;
  const shortfall = state.state === 'dry' ? ((await owner.call('query.shortfall', { label })) as readonly DomainShortfall[]) : [];
  return showBuild(invocation, state, report, shortfall);
}

/** Shows how a build stands at its end, and gives the exit code that says so. */
export function showBuild(
  invocation: Invocation,
  state: Pick<BuildState, 'reason'> & { readonly state: StatusReport['state'] },
  report: StatusReport,
  shortfall: readonly DomainShortfall[],
): number {
  const json = isOn(invocation, 'json');
  if (json) sayJson({ ...report, state: state.state, reason: state.reason, ...(state.state === 'dry' && { shortfall }) });
  else
    tell(
      invocation,
      statusText(
        {
          ...report,
          state: state.state === 'starting' ? 'failed' : state.state,
          reason: state.reason === '' ? report.reason : state.reason,
        },
        configFlag(invocation),
      ),
    );
  if (state.state === 'dry' && !json) tell(invocation, shortfallText(shortfall));
  return EXIT_OF[state.state] ?? EXIT.internal;
}
