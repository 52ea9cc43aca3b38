import { resolve } from 'node:path';
import { attachOrStart } from '../attach.ts';
import type { OwnerClient } from '../attach.ts';
import { EXIT } from '../cli-error.ts';
import { endInterrupted } from '../end-interrupted.ts';
import type { BuildState } from '../owner/builds.ts';
import type { PlanDone } from '../queries/plan-done.ts';
import type { PlanReport, PlanSpec } from '../queries/plan.ts';
import { settledBuild } from '../settled-build.ts';
import { startedBy } from '../started-by.ts';
import type { Invocation } from './catalog.ts';
import { followBuild, showBuild } from './follow-build.ts';
import { checkHeld, readHeldPlan } from './held-plan.ts';
import { configOf, isOn, labelOf, say, textOption } from './options.ts';
import { planDoneText } from './plan-done-text.ts';
import { specOf } from './plan.ts';
import { tell } from './told-commands.ts';

const UNDER_WAY: ReadonlySet<string> = new Set(['starting', 'running', 'paused']);

/** The plan of a build about to start; null when one of this label is under way, which is gone on with as it began. */
async function planFirst(owner: OwnerClient, spec: PlanSpec): Promise<PlanReport['plan'] | null> {
  const state = (await owner.call('build.state', { label: spec.label })) as BuildState | null;
  if (state !== null && UNDER_WAY.has(state.state)) return null;
  return ((await owner.call('query.plan', { spec, restratify: false, explain: null })) as PlanReport).plan;
}

/** `memcalib build`: plans and starts a build, attaches to the one of this label that is under way, or says that all it would do is done. */
export async function runBuild(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const label = labelOf(invocation);
  const allowed = isOn(invocation, 'allowUnknownLicence') ? { allowUnknownLicence: true } : {};
  const spec = { ...specOf(loaded, label), ...allowed };
  const file = textOption(invocation, 'plan');
  const held = file === undefined ? null : readHeldPlan(resolve(file));
  const settled = held === null ? await settledBuild(loaded, spec) : null;
  if (settled !== null) return showBuild(invocation, settled.report, settled.report, settled.shortfall);
  const ended = await endInterrupted(loaded, spec, async (store) => {
    if (held === null) return;
    const { readPlan } = await import('../queries/plan.ts');
    checkHeld(held, (await readPlan(store, { spec, restratify: false, explain: null })).plan, file ?? '');
  });
  if (ended !== null && !isOn(invocation, 'json'))
    tell(
      invocation,
      `Run ${ended} was interrupted, and prompts or configuration are others now: it ends here. What it was answered is kept.`,
    );
  const owner = await attachOrStart(loaded, 'memcalib build');
  const plan = await planFirst(owner, spec);
  if (held !== null && plan !== null) checkHeld(held, plan, file ?? '');
  const state = (await owner.call('build.start', { spec: { ...spec, startedBy: startedBy() }, plan })) as BuildState;
  const isQuiet = isOn(invocation, 'json');
  if (!state.isNew && !isQuiet) tell(invocation, `A build labelled ${label} is under way (run ${state.runId}): going on with it.`);
  if (isOn(invocation, 'detach')) {
    tell(invocation, `Started. Type \`memcalib status\` to look at it.`);
    return EXIT.ok;
  }
  const code = await followBuild(owner, loaded, invocation, label);
  const done = isQuiet ? null : ((await owner.call('query.planDone', { label })) as PlanDone | null);
  if (done !== null && done.work.length > 0) say(`\n${planDoneText(done)}`);
  return code;
}
