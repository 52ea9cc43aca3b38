import type { Counts } from '../../datasets/source-report.ts';
import type { SourcesReport } from './sources-report.ts';
import { count, table } from './table.ts';

const share = (part: number, whole: number): string => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(0)} %`);

function listed(counts: Counts): string {
  const entries = Object.entries(counts);
  return entries.length === 0 ? 'none' : entries.map(([name, value]) => `${name} ${value}`).join(', ');
}

/** Class by class before and after screening, as shares. */
function shapeLines(title: string, before: Counts, after: Counts, rowsBefore: number, rowsAfter: number): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return [
    `  ${title}: ${names.map((name) => `${name} ${share(before[name] ?? 0, rowsBefore)} -> ${share(after[name] ?? 0, rowsAfter)}`).join('; ')}`,
  ];
}

/** The report as a person reads it on a terminal. */
export function reportText(report: SourcesReport, html: string | null, flag: string): string {
  const lines = [
    table(
      ['source', 'domain', 'rows', 'merged', 'rejected', 'candidates', 'share', 'licence'],
      report.sources.map((source) => [
        source.name,
        source.domain ?? '',
        source.rowsRead,
        source.merged,
        source.rowsRead - source.merged - source.candidates,
        source.candidates,
        share(source.candidates, source.rowsRead - source.merged),
        listed(source.licences),
      ]),
    ),
    report.unaccounted === 0
      ? 'Every row is a candidate, a rejection or part of another row.'
      : `${report.unaccounted} rows are not accounted for: this is a fault of ours.`,
  ];
  for (const source of report.sources) {
    lines.push('', source.name);
    for (const stage of source.stages) {
      lines.push(`  ${stage.stage}: in ${stage.in} = accepted ${stage.accepted} + rejected ${stage.in - stage.accepted}`);
      for (const [reason, { count: rows, examples }] of Object.entries(stage.rejected))
        lines.push(`    ${reason} ${rows}, e.g. ${examples.map(({ id }) => id).join(', ')}`);
    }
    const { before, after } = source;
    if (before.rows === 0) continue;
    lines.push(
      ...shapeLines('question characters', before.questionLength, after.questionLength, before.rows, after.rows),
      ...shapeLines('answer characters', before.answerLength, after.answerLength, before.rows, after.rows),
      ...shapeLines('topics', before.topic, after.topic, before.rows, after.rows),
      ...shapeLines('complexity', before.complexity, after.complexity, before.rows, after.rows),
      `  identifiers masked: ${listed(source.masked)}`,
    );
  }
  lines.push(
    '',
    `duplicate clusters: ${listed(report.clusters.sizes)}; ${count(report.clusters.acrossSources, 'repeat')} of a row in another source`,
  );
  lines.push('', ...report.forecast.map((item) => item.sentence), '');
  lines.push(html === null ? `With charts and example rows: \`memcalib sources report --html report.html${flag}\`.` : `Written: ${html}`);
  lines.push(`One row, rule by rule: \`memcalib sources show ID${flag}\`.`);
  return lines.join('\n');
}
