import type { WhyReport } from '../queries/why.ts';
import { count, dollars, table } from './table.ts';

function day(at: number | null): string {
  return at === null ? '' : new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

function sourceText({ source }: WhyReport): readonly string[] {
  const place = source.position === null ? '' : `, position ${source.position} of ${source.domain ?? ''} (stratum ${source.stratum ?? ''})`;
  const lines = [
    `source   ${source.dataset}, ${source.sourceId} (${source.file} row ${source.row})${place}`,
    ...(source.revision === null
      ? []
      : [`licence  ${source.license ?? 'unknown'}, revision ${source.revision}; ${source.attribution || 'no attribution asked'}`]),
    ...(source.topic === null
      ? []
      : [`measured topic ${source.topic}, ${source.complexity ?? ''}, quality ${source.qualityScore ?? ''} of 100`]),
  ];
  const changes = source.changes.map(
    ({ at, fields }) => `changed  ${day(at)}: ${fields.map(({ field, before, after }) => `${field} ${before} -> ${after}`).join('; ')}`,
  );
  return [...lines, ...changes];
}

function stepsText({ steps }: WhyReport): readonly string[] {
  if (steps.length === 0) return [];
  const rows = steps.map((step) => [
    step.step,
    step.verdict === 'rejected' ? `rejected: ${step.reason ?? ''}` : step.verdict,
    step.calls.length,
    step.calls.reduce((sum, call) => sum + call.attempts.length, 0),
    step.repairs,
    step.calls.reduce((sum, call) => sum + call.freshInput + call.cachedInput + call.output, 0),
    dollars(
      step.calls.reduce((sum, call) => sum + call.microUsd, 0),
      step.calls.reduce((sum, call) => sum + call.unknownCosts, 0),
    ),
    (step.stepVersion ?? '').slice(0, 12),
    step.because,
  ]);
  return [
    '',
    table(['step', 'verdict', 'calls', 'attempts', 'repairs', 'tokens', 'cost', 'version', 'why'], rows),
    '',
    ...steps.flatMap((step) =>
      step.calls.map(
        (call) =>
          `  ${call.key.slice(0, 16)}  ${step.step} ${call.partId}${call.turn === 'repair' ? ' (repair)' : ''}  ${call.provider}/${call.model}  ${call.attempts.join(', ')}`,
      ),
    ),
  ];
}

function endText(report: WhyReport): readonly string[] {
  const { totals, reviews, earlier, releases } = report;
  const flags = report.steps.flatMap((step) =>
    step.flags.map((flag) => `flag     ${step.step}: ${flag.rule} at ${flag.where} (${flag.detail})`),
  );
  return [
    ...(totals.calls === 0
      ? []
      : [
          '',
          `in all   ${count(totals.calls, 'call')} in ${count(totals.attempts, 'attempt')}, ${count(totals.repairs, 'repair')}, ${totals.inputTokens} tokens in, ${totals.outputTokens} out, ${dollars(totals.microUsd, totals.unknownCosts)}`,
        ]),
    ...flags,
    ...reviews.map(({ step, reviewer, model, verdict }) => `review   ${step}: ${reviewer} (${model}) ${verdict}`),
    ...earlier.map(
      ({ step, verdict, reason, stepVersion, runId, at }) =>
        `earlier  ${step}: ${verdict}${reason === null ? '' : ` (${reason})`} under version ${stepVersion.slice(0, 12)} in run ${runId}, ${day(at)}; holds no longer`,
    ),
    ...releases.map(({ folder, split, at }) => `export   ${folder} (${split}), ${day(at)}`),
    ...(releases.length === 0 && report.fate.state === 'in_dataset' ? ['export   in none yet'] : []),
  ];
}

function atomText({ atom }: WhyReport): readonly string[] {
  if (atom === null) return [];
  const rubric = atom.rubric === null ? [] : [`  correct use: ${atom.rubric.correct_use}`];
  return [
    '',
    `atom ${atom.atomId} in block ${atom.blockId}: ${atom.level} ${atom.action}, ${atom.origin}, written by ${atom.writtenBy}`,
    `  ${atom.text}`,
    ...atom.notes.map(([name, value]) => `  ${name}: ${value}`),
    ...atom.evidence.map((span) => `  evidence: ${span.field} [${span.start}-${span.end}] "${span.quote}"`),
    ...rubric,
  ];
}

/** A passport as a person reads it; with `not` only where the row fell and what would bring it in. */
export function whyText(report: WhyReport, not: boolean): string {
  const { fate, id, label, runId } = report;
  const head = [`${id} in build ${label} (run ${runId}): ${fate.state}`, fate.sentence, ...(fate.next === '' ? [] : [fate.next])];
  if (not) {
    const last = report.steps.at(-1);
    return [...head, ...sourceText(report).slice(0, 1), ...(last === undefined ? [] : [`last step ${last.step}: ${last.because}`])].join(
      '\n',
    );
  }
  return [...head, '', ...sourceText(report), ...atomText(report), ...stepsText(report), ...endText(report)].join('\n');
}
