import { bindRoles, prepareSteps } from '../../../activities/prepare-steps.ts';
import type { FormatModes } from '../../../activities/prepare-steps.ts';
import { changedLines } from '../../../metrics/text-change.ts';
import { hashOf } from '../../../schemas/hash.ts';
import type { StepId } from '../../../schemas/steps.ts';
import { STEP_DEFINITIONS } from '../../../stages/catalog.ts';
import type { KnownRun } from '../run-of.ts';

function modesOf({ run }: KnownRun): FormatModes {
  return (JSON.parse(run.config) as { readonly modes: FormatModes }).modes;
}

/** The version each step has under a run's frozen spec and the code of today. */
export function versionsOf(known: KnownRun): ReadonlyMap<StepId, string> {
  return new Map([...prepareSteps(known.spec, modesOf(known))].map(([step, prepared]) => [step, prepared.version]));
}

/** What makes a step of one run another version than in an earlier run, one phrase each; empty when it is the same. */
export function stepDifferences(step: StepId, before: KnownRun, after: KnownRun): readonly string[] {
  const differences: string[] = [];
  const [a, b] = [before.spec.prompts[step].instructions, after.spec.prompts[step].instructions];
  if (a !== b) {
    const lines = changedLines(a, b);
    differences.push(`its prompt changed (${lines} ${lines === 1 ? 'line' : 'lines'})`);
  }
  const [rolesBefore, rolesAfter] = [bindRoles(before.spec), bindRoles(after.spec)];
  const roles = STEP_DEFINITIONS[step].stage === 'quality' ? (['reviewerA', 'reviewerB'] as const) : (['builder'] as const);
  for (const role of roles) {
    const [was, is] = [rolesBefore[role], rolesAfter[role]];
    if (was.provider !== is.provider || was.model !== is.model)
      differences.push(`${role} is ${is.provider}/${is.model}, was ${was.provider}/${was.model}`);
    if (hashOf(was.sampling) !== hashOf(is.sampling)) differences.push(`the sampling of ${role} changed`);
    const [modeWas, modeIs] = [modesOf(before)[`${was.provider}/${was.model}`], modesOf(after)[`${is.provider}/${is.model}`]];
    if (modeWas !== modeIs) differences.push(`structured output of ${role} is ${modeIs ?? 'json_schema'}, was ${modeWas ?? 'json_schema'}`);
  }
  return differences;
}
