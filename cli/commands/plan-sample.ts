import { STEPS } from '../../schemas/steps.ts';
import type { Plan } from '../../activities/plan/plan.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { withStoreAlone } from '../exclusive.ts';
import { keepFilesPrivate } from '../private-files.ts';
import type { PlanSpec } from '../queries/plan.ts';
import { startedBy } from '../started-by.ts';
import type { Invocation } from './catalog.ts';
import { isOn, textOption } from './options.ts';
import { usd, whole } from './plan-text.ts';
import { count, dollars } from './table.ts';
import { tell } from './told-commands.ts';

const MOST_ROWS = 10_000;
/** A line of progress on stderr no oftener than this. */
const PROGRESS_EVERY_MS = 10_000;

/** How many rows `--sample` asks for; null without it. */
export function sampleSize(invocation: Invocation): number | null {
  const given = textOption(invocation, 'sample');
  if (given === undefined) return null;
  const size = Number(given);
  if (!Number.isInteger(size) || size < 1 || size > MOST_ROWS)
    throw new CliError(
      `--sample ${given} is no number of rows: type one from 1 to ${MOST_ROWS}, as in \`memcalib plan --sample 50\`.`,
      EXIT.usage,
    );
  if (isOn(invocation, 'restratify'))
    throw new CliError(
      '--restratify moves rows and --sample asks some: type `memcalib plan --restratify` first, then the sample.',
      EXIT.usage,
    );
  return size;
}

interface Price {
  readonly calls: Plan['calls'];
  readonly money: Plan['money'];
  readonly unpriced: readonly string[];
  readonly overBudget: Plan['overBudget'];
}

function priceText({ calls, money, unpriced }: Price, capUsd: number | undefined): string {
  const cost =
    money === null
      ? `the cost is unknown (no price for ${unpriced.join(', ')})`
      : `${usd(money.low)} to ${usd(money.high)}, at most ${usd(money.upper)}`;
  const cap = capUsd === undefined ? 'No cap holds it (budget.perRunUsd).' : `Its cap is $${capUsd} (budget.perRunUsd).`;
  return `about ${count(calls.expected, 'call')} (at least ${whole(calls.lower)}, at most ${whole(calls.upper)}), ${cost}. ${cap}`;
}

function progress(of: number): (done: number) => void {
  let last = Date.now();
  return (done) => {
    if (Date.now() - last < PROGRESS_EVERY_MS) return;
    last = Date.now();
    process.stderr.write(`asked ${done} of ${of} rows of the sample\n`);
  };
}

/**
 * Asks a seeded sample of the rows that an edit makes a build ask, after its price was shown; the plan that follows rests on what came
 * of it. The verdicts are stored as a build's own, so that the build pays none of them again.
 */
export async function takeSample(invocation: Invocation, loaded: LoadedConfig, spec: PlanSpec, size: number): Promise<void> {
  const [asking, sampling, planning, { stepLine }, { sumMoney }, { overBudgets }] = await Promise.all([
    import('../sample/ask-sample.ts'),
    import('../../activities/plan/sample.ts'),
    import('../queries/plan.ts'),
    import('../../activities/plan/tally.ts'),
    import('../../activities/plan/make-plan.ts'),
    import('../../activities/plan/time-and-budget.ts'),
  ]);
  const say = (line: string): void => (isOn(invocation, 'json') ? void process.stderr.write(`${line}\n`) : tell(invocation, line));
  const online = { ...spec, config: asking.askedOnline(spec.config) };
  keepFilesPrivate();
  await withStoreAlone(loaded, `plan --sample ${size}`, async (store) => {
    const { world, domains, measures, plan } = await planning.openPlan(store, online, false);
    const affected = sampling.affectedIds(domains);
    const ids = sampling.drawSample(spec.config.seed, affected, size, world.sample?.ids ?? []);
    const drawn = new Set(ids);
    const part = sampling.sampledPart(domains, drawn);
    const rows = part.flatMap(({ candidates }) =>
      candidates.filter(({ plan: { first } }) => first !== null).map(({ plan: { domain, position } }) => ({ domain, position })),
    );
    if (rows.length === 0) {
      say(
        ids.length === 0
          ? 'No row must ask anything, so there is nothing to sample.'
          : `The sample of ${count(ids.length, 'row')} was asked before; nothing is asked again.`,
      );
      return;
    }
    const steps = STEPS.map((step) => stepLine(part, step, measures.get(step)));
    const sum = (pick: (line: (typeof steps)[number]) => number): number => steps.reduce((total, line) => total + pick(line), 0);
    const money = sumMoney(steps);
    const price: Price = {
      calls: {
        lower: sum(({ calls }) => calls.lower),
        expected: sum(({ calls }) => calls.expected),
        upper: sum(({ calls }) => calls.upper),
        refill: 0,
      },
      money,
      unpriced: plan.unpriced,
      overBudget: await overBudgets(world, steps, money, Date.now()),
    };
    say(
      `Sample: ${whole(rows.length)} of ${count(affected.length, 'row')} that must ask, drawn by the seed: ${priceText(price, spec.config.budget.perRunUsd)}`,
    );
    const [over] = price.overBudget;
    if (over !== undefined)
      throw new CliError(
        `The sample is expected to cost ${usd(over.expectedMicroUsd)}, more than ${over.cap} allows (${usd(over.capMicroUsd)}); nothing was asked. Type \`memcalib plan --sample\` with fewer rows.`,
        EXIT.capped,
      );
    const runId = world.sample?.runId ?? asking.newSampleRun();
    const run = { ...online, label: asking.sampleLabel(spec.label), runId, startedAt: Date.now(), startedBy: startedBy() };
    const asked = await asking.askSample(store, loaded, run, { label: spec.label, ids, rows }, progress(rows.length));
    const paid = `${count(asked.calls, 'call')}, ${dollars(asked.microUsd, asked.unknownCalls)}`;
    if (asked.stopped !== null)
      throw new CliError(
        `The sample stopped before its end (${asked.stopped}; ${paid}); what was answered is kept. Type \`memcalib plan --sample ${size}\` to go on with the same rows.`,
        EXIT.paused,
      );
    const failed =
      asked.failed === 0 ? '' : ` ${count(asked.failed, 'row')} failed and stand as failed in the build too (\`memcalib status\`).`;
    say(`Asked: ${paid}. The verdicts are kept, so the build pays none of them again.${failed}\n`);
  });
}
