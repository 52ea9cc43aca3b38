import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plan } from '../../activities/plan/plan.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { query } from '../project.ts';
import { readPrompts } from '../prompt-files.ts';
import type { PlanSpec } from '../queries/plan.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, labelOf, sayJson, textOption } from './options.ts';
import { explanationText, planText } from './plan-text.ts';
import { sampleSize, takeSample } from './plan-sample.ts';
import { tell } from './told-commands.ts';

/** What a build of a label would be, read from config and prompt files as they are now. */
export function specOf(loaded: LoadedConfig, label: string): PlanSpec {
  const { config, baseDir } = loaded;
  return { label, config, baseDir, rehearsal: config.models === undefined, prompts: readPrompts(loaded) };
}

const EXIT_OF: Readonly<Record<Plan['verdict'], number>> = { nothing: EXIT.ok, work: EXIT.work, over_budget: EXIT.capped };

function writePlan(file: string, plan: Plan): void {
  try {
    writeFileSync(file, `${JSON.stringify(plan, null, 2)}\n`);
  } catch (error) {
    throw new CliError(
      `The plan could not be written to ${file} (${String((error as NodeJS.ErrnoException).code)}). Name another file with --out.`,
      EXIT.environment,
      {
        cause: error,
      },
    );
  }
}

/** `memcalib plan`: what a build would do now, from the ledger and stored outputs; asks no model but for a sample. */
export async function runPlan(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const explain = textOption(invocation, 'explain') ?? null;
  const spec = specOf(loaded, labelOf(invocation));
  const size = sampleSize(invocation);
  if (size !== null) await takeSample(invocation, loaded, spec, size);
  const report = await query(loaded, 'plan', {
    spec,
    restratify: isOn(invocation, 'restratify'),
    explain,
  });
  const { plan, explanation } = report;
  const out = textOption(invocation, 'out');
  if (out !== undefined) writePlan(resolve(out), plan);
  if (isOn(invocation, 'json')) sayJson(explanation === null ? plan : { ...plan, explanation });
  else tell(invocation, explanation === null ? planText(plan) : explanationText(explanation));
  if (out !== undefined && !isOn(invocation, 'json'))
    tell(invocation, `The plan is in ${out}; type \`memcalib build --plan ${out}\` to do exactly that.`);
  return EXIT_OF[plan.verdict];
}
