import { DOMAINS } from '../../schemas/levels.ts';
import { STEPS } from '../../schemas/steps.ts';
import type { BookLine } from '../../stages/books.ts';
import type { StatusReport } from '../queries/status.ts';
import { count, dollars, table } from './table.ts';

const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((total, value) => total + value, 0);

function listed(counts: Readonly<Record<string, number>>, most: number): string {
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  const shown = entries.slice(0, most).map(([name, value]) => `${name} ${value}`);
  return shown.join(', ') + (entries.length > most ? `, ${entries.length - most} more` : '');
}

function merged(lines: readonly BookLine[], pick: (line: BookLine) => Readonly<Record<string, number>>): Record<string, number> {
  const all: Record<string, number> = {};
  for (const line of lines) for (const [name, value] of Object.entries(pick(line))) all[name] = (all[name] ?? 0) + value;
  return all;
}

/** The books per step over all sources, with whether they add up. */
export function booksText(books: readonly BookLine[]): string {
  const rows = STEPS.map((step) => {
    const lines = books.filter((line) => line.step === step);
    const total = (pick: (line: BookLine) => number): number => lines.reduce((all, line) => all + pick(line), 0);
    const rejected = merged(lines, (line) => line.rejected);
    const failed = merged(lines, (line) => line.failed);
    return [
      step,
      total((line) => line.in),
      total((line) => line.accepted),
      sum(rejected),
      sum(failed),
      total((line) => line.pending),
      [listed(rejected, 4), listed(failed, 3)].filter((text) => text !== '').join('; failed: '),
    ];
  });
  const imbalances = books.flatMap((line) => line.imbalance ?? []);
  const verdict =
    imbalances.length === 0
      ? 'Books balance: in = accepted + rejected + failed + pending in every step of every source.'
      : `Books do not balance: ${imbalances.join('; ')}.`;
  return `${table(['step', 'in', 'accepted', 'rejected', 'failed', 'pending', 'why'], rows)}\n${verdict}`;
}

/** What a build needs next, as the exact command. */
export function nextCommand(report: StatusReport, configFlag: string): string {
  const label = report.label === 'main' ? '' : ` --label ${report.label}`;
  const failed = report.books.some((line) => sum(line.failed) > 0);
  if (report.state === 'completed' || report.state === 'dry') return `memcalib export${configFlag}${label}`;
  if (report.state === 'paused' && failed)
    return `memcalib retry --failed${configFlag}${label}   (or: memcalib waive --failed${configFlag}${label})`;
  if (report.state === 'paused') return `memcalib resume${configFlag}${label}`;
  return `memcalib build${configFlag}${label}`;
}

function costOf({ rehearsal, calls }: StatusReport): string {
  if (rehearsal && calls.microUsd === 0 && calls.unknownCost === 0) return 'no cost: it is a rehearsal';
  return dollars(calls.microUsd, calls.unknownCost);
}

/** The status of a build as a person reads it. */
export function statusText(report: StatusReport, configFlag: string): string {
  const until = report.until === null ? '' : ` until ${new Date(report.until).toISOString()}`;
  const lines = [`build ${report.label} (run ${report.runId}): ${report.state}${until}${report.reason === '' ? '' : `: ${report.reason}`}`];
  if (report.rehearsal) lines.push('answered by the rehearsal model: a rehearsal, not data');
  lines.push(
    '',
    table(
      ['domain', 'target', 'accepted', 'candidates'],
      DOMAINS.map((domain) => [domain, report.target[domain], report.accepted[domain], report.candidates[domain]]),
    ),
  );
  const others = report.pipelines.filter(({ pipelineHash }) => pipelineHash !== report.pipelineHash);
  if (others.length > 0) {
    // Of a build that has ended these are rows it had no need of: its export is whole without them.
    const hasEnded = report.state === 'completed' || report.state === 'dry';
    const listed = others.map((item) => `${item.count} under ${item.pipelineHash.slice(0, 8)}`).join(', ');
    lines.push(
      '',
      `accepted under earlier pipelines and not built anew: ${listed}; exports hold this one's (${report.pipelineHash.slice(0, 8)}) alone${hasEnded ? '' : ', or all with --allow-mixed'}`,
    );
  }
  const rejections = merged(
    report.rowRejections.map((item) => ({ rejected: { [item.reason]: item.count } }) as unknown as BookLine),
    (line) => line.rejected,
  );
  if (sum(rejections) > 0) lines.push('', `rows that deterministic screening set aside: ${sum(rejections)} (${listed(rejections, 8)})`);
  lines.push(
    '',
    booksText(report.books),
    '',
    `calls: ${count(report.calls.total, 'call')} in the ledger, ${report.calls.ofThisRun} by this run, ${costOf(report)}`,
  );
  lines.push(`next: ${nextCommand(report, configFlag)}`);
  return lines.join('\n');
}
