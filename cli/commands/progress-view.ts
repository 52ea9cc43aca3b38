import { MultiBar, Presets } from 'cli-progress';
import type { SingleBar } from 'cli-progress';
import { STAGES, STEPS_OF_STAGE } from '../../schemas/steps.ts';
import type { StageId } from '../../schemas/steps.ts';
import type { Domain } from '../../schemas/levels.ts';
import type { BuildState } from '../owner/builds.ts';
import type { StatusReport } from '../queries/status.ts';
import { forecastText, sampleOf } from './forecast-text.ts';
import type { Sample } from './forecast-text.ts';

/** Shows a build as it goes: bars on a terminal, a plain line now and then elsewhere, nothing for programs. */
export interface ProgressView {
  /** Whether it is time for new counts: they cost a look at every table. */
  isDue(): boolean;
  show(report: StatusReport, state: BuildState): void;
  end(report: StatusReport | null): void;
}

const LINE_EVERY_MS = 5000;
const BARS_EVERY_MS = 1000;

/** True once per so many milliseconds. */
function every(ms: number): () => boolean {
  let last = 0;
  return () => {
    if (Date.now() - last < ms) return false;
    last = Date.now();
    return true;
  };
}

function through(report: StatusReport, stage: StageId): { readonly done: number; readonly entered: number } {
  const steps = STEPS_OF_STAGE[stage];
  const of = (step: string | undefined, pick: 'in' | 'accepted'): number =>
    report.books.filter((line) => line.step === step).reduce((sum, line) => sum + line[pick], 0);
  return { done: of(steps.at(-1), 'accepted'), entered: of(steps[0], 'in') };
}

function bars(): ProgressView {
  const multi = new MultiBar(
    { format: '{stage} {bar} {value}/{total}', hideCursor: true, clearOnComplete: true, forceRedraw: false },
    Presets.shades_grey,
  );
  const all = new Map<StageId, SingleBar>(STAGES.map((stage) => [stage, multi.create(1, 0, { stage: stage.padEnd(16) })]));
  return {
    isDue: every(BARS_EVERY_MS),
    show: (report) => {
      for (const [stage, bar] of all) {
        const { done, entered } = through(report, stage);
        bar.setTotal(Math.max(1, entered));
        bar.update(done);
      }
    },
    end: () => multi.stop(),
  };
}

function lines(target: Readonly<Record<Domain, number>>): ProgressView {
  let shown = '';
  let first: Sample | null = null;
  const wanted = Object.values(target).reduce((sum, value) => sum + value, 0);
  return {
    isDue: every(LINE_EVERY_MS),
    show: (report, state) => {
      const now = sampleOf(report, target, Date.now());
      first ??= now;
      const rate = forecastText(first, now, wanted);
      const stages = STAGES.map((stage) => `${stage} ${through(report, stage).done}`).join(', ');
      const done = `${state.progress?.state ?? state.state}: accepted ${now.accepted} of ${wanted} (${stages}), ${report.calls.ofThisRun} calls`;
      if (done === shown) return;
      shown = done;
      process.stdout.write(`${done}${rate === null ? '' : `; ${rate}`}\n`);
    },
    end: () => undefined,
  };
}

/** A view of the asked kind. */
export function createProgressView(kind: 'bars' | 'lines' | 'none', target: Readonly<Record<Domain, number>>): ProgressView {
  if (kind === 'bars') return bars();
  return kind === 'lines' ? lines(target) : { isDue: () => false, show: () => undefined, end: () => undefined };
}
