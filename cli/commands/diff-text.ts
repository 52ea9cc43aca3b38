import { LEVELS } from '../../schemas/levels.ts';
import type { DiffReport, OneSided, SideFacts } from '../queries/diff.ts';
import type { LengthLine } from '../queries/diff/tallies.ts';
import { count, dollars, table } from './table.ts';

const SHOWN = 12;

/** What one accepted example cost on a side; null when nobody kept count. */
export function costPerExample({ cost, examples }: SideFacts): string {
  if (cost === null || examples === 0) return 'unknown';
  return `${dollars(cost.microUsd / examples, cost.unknownCalls)} (${(cost.calls / examples).toFixed(1)} calls${cost.of === 'ledger' ? ', whole ledger' : ''})`;
}

/** Where the row of an example that stands on one side only is on the other. */
export function whereElse({ elsewhere }: OneSided): string {
  if (elsewhere === null) return 'not in its sources, or behind its cut-off';
  if (elsewhere.state === 'kept') return 'kept';
  return elsewhere.step === '' ? elsewhere.reason : `${elsewhere.step}: ${elsewhere.reason}`;
}

/** Rows of the level matrix with at least one atom off the diagonal marked by its column. */
export function levelRows({ levels }: DiffReport): readonly (readonly (string | number)[])[] {
  const names = [...LEVELS, 'none'] as const;
  return names.map((before) => [
    before === 'none' ? '(new atom)' : before,
    ...names.map((after) => (before === 'none' && after === 'none' ? '' : levels[before][after])),
  ]);
}

/** Header of the level matrix. */
export const LEVEL_HEADER = ['before \\ after', ...LEVELS, '(gone)'] as const;

function rounded(value: number | null): number | string {
  return value === null ? 'none' : Math.round(value * 10) / 10;
}

/** One line per measured length. */
export function lengthRows(lines: readonly LengthLine[]): readonly (readonly (string | number)[])[] {
  return lines.map(({ what, before, after }) => [
    what,
    rounded(before.mean),
    rounded(after.mean),
    rounded(before.median),
    rounded(after.median),
  ]);
}

function listed(title: string, items: readonly OneSided[]): readonly string[] {
  if (items.length === 0) return [];
  const lines = items.slice(0, SHOWN).map((item) => `  ${item.id}  ${whereElse(item)}`);
  return ['', title, ...lines, ...(items.length > SHOWN ? [`  ... ${items.length - SHOWN} more (--json lists all)`] : [])];
}

/** What an edit did to the data, as a person reads it. */
export function diffText(report: DiffReport): string {
  const { before, after, parts, reasons, changed } = report;
  const moved = reasons.filter((line) => line.before !== line.after);
  return [
    `${before.name} (${before.kind}${before.runId === null ? '' : `, run ${before.runId}`}) -> ${after.name} (${after.kind}${after.runId === null ? '' : `, run ${after.runId}`})`,
    before.pipelineHash === after.pipelineHash
      ? `same pipeline ${after.pipelineHash.slice(0, 12)}`
      : `pipeline ${before.pipelineHash.slice(0, 12)} -> ${after.pipelineHash.slice(0, 12)}`,
    `${count(before.examples, 'example')} -> ${count(after.examples, 'example')}: ${report.unchanged} unchanged, ${changed.length} changed, ${report.added.length} added, ${report.withdrawn.length} withdrawn`,
    `accepted ${before.examples} of ${before.decided} decided -> ${after.examples} of ${after.decided}`,
    `cost per accepted example ${costPerExample(before)} -> ${costPerExample(after)}`,
    ...(parts.length === 0
      ? []
      : [
          '',
          table(
            ['part', 'examples', 'changes', 'words out', 'words in'],
            parts.map((part) => [part.part, part.examples, part.changes, part.wordsRemoved, part.wordsAdded]),
          ),
        ]),
    '',
    table(LEVEL_HEADER, levelRows(report)),
    '',
    table(['length', 'mean before', 'after', 'median before', 'after'], lengthRows(report.lengths)),
    ...(moved.length === 0
      ? []
      : [
          '',
          table(
            ['step', 'reason', 'before', 'after'],
            moved.slice(0, SHOWN).map((line) => [line.step, line.reason, line.before, line.after]),
          ),
        ]),
    ...(report.passToFail.length + report.failToPass.length === 0
      ? []
      : [
          '',
          `quality assurance: ${report.passToFail.length} passed before and fall now, ${report.failToPass.length} fell before and pass now`,
        ]),
    ...listed('added (where the row was before):', report.added),
    ...listed('withdrawn (where the row is now):', report.withdrawn),
    ...(changed.length === 0
      ? []
      : [
          '',
          'largest changes:',
          ...changed.slice(0, SHOWN).map(({ id, size, parts: names }) => `  ${id}  ${count(size, 'word')}  ${names.join(', ')}`),
        ]),
  ].join('\n');
}
