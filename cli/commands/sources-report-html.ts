import type { Counts, SourceSection } from '../../datasets/source-report.ts';
import type { SourcesReport } from './sources-report.ts';
import { count } from './table.ts';

/** Text as text: row text may hold markup. */
function escaped(text: string | number): string {
  return String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const STYLE = `
:root { color-scheme: light; --ink: #1b1f24; --soft: #59636e; --line: #d5dae0; --before: #9db4cc; --after: #1f5fa8; --out: #b4532a; --ok: #2d7d46; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 70rem; font: 16px/1.45 system-ui, sans-serif; color: var(--ink); background: #fff; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; border-top: 2px solid var(--line); padding-top: 1rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .92rem; } th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 2rem; }
.bar { display: grid; grid-template-columns: 12rem 1fr 6.5rem; gap: .5rem; align-items: center; font-size: .85rem; margin: .15rem 0; }
.bar svg { width: 100%; height: 1.1rem; display: block; } .bar .n { text-align: right; color: var(--soft); font-variant-numeric: tabular-nums; }
.key { color: var(--soft); font-size: .85rem; } .key i { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 .8rem; vertical-align: -1px; }
details { margin: .3rem 0; } summary { cursor: pointer; } pre { white-space: pre-wrap; font: .85rem/1.4 ui-monospace, monospace; background: #f4f6f8; padding: .6rem; margin: .3rem 0 .6rem; }
.dry { color: var(--out); font-weight: 600; } .met { color: var(--ok); font-weight: 600; } .soft { color: var(--soft); font-size: .9rem; }
@media (max-width: 30rem) { body { padding: .7rem; } .bar { grid-template-columns: 8.5rem 1fr 6.3rem; } thead { display: none; } tr { display: block; border-bottom: 1px solid var(--line); padding: .3rem 0; } td { display: flex; justify-content: space-between; border: 0; padding: .1rem 0; white-space: normal; } td:first-child { font-weight: 600; } td::before { content: attr(data-name); color: var(--soft); font-weight: 400; } }
`;

/** One or two bars beside their label; widths are shares of `whole`. */
function bar(label: string, parts: readonly { readonly value: number; readonly color: string }[], whole: number, shown: string): string {
  const height = 20 / parts.length;
  const rects = parts
    .map(
      ({ value, color }, at) =>
        `<rect x="0" y="${at * height}" width="${whole === 0 ? 0 : ((100 * value) / whole).toFixed(2)}" height="${height - 1}" fill="var(--${color})"/>`,
    )
    .join('');
  return `<div class="bar"><span>${escaped(label).replaceAll('_', '_<wbr>')}</span><svg viewBox="0 0 100 20" preserveAspectRatio="none" role="img" aria-label="${escaped(`${label}: ${shown}`)}">${rects}</svg><span class="n">${escaped(shown)}</span></div>`;
}

function shape(title: string, before: Counts, after: Counts, rowsBefore: number, rowsAfter: number): string {
  if (rowsBefore === 0) return '';
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const of = (counts: Counts, name: string, rows: number): number => (rows === 0 ? 0 : (counts[name] ?? 0) / rows);
  const most = Math.max(0.01, ...names.flatMap((name) => [of(before, name, rowsBefore), of(after, name, rowsAfter)]));
  const bars = names.map((name) => {
    const [was, is] = [of(before, name, rowsBefore), of(after, name, rowsAfter)];
    const shown = `${(100 * was).toFixed(0)} → ${(100 * is).toFixed(0)} %`;
    return bar(
      name,
      [
        { value: was, color: 'before' },
        { value: is, color: 'after' },
      ],
      most,
      shown,
    );
  });
  return `<div><h3>${escaped(title)}</h3>${bars.join('\n')}</div>`;
}

function stagesOf(section: SourceSection): string {
  return section.stages
    .filter((stage) => stage.in > 0)
    .map((stage) => {
      const reasons = Object.entries(stage.rejected);
      const bars = reasons.map(([reason, { count }]) =>
        bar(reason, [{ value: count, color: 'out' }], Math.max(1, stage.in), count.toLocaleString('en-US')),
      );
      const examples = reasons.map(
        ([reason, { examples: rows }]) =>
          `<details><summary>${escaped(reason)}: ${count(rows.length, 'example')}</summary>${rows
            .map(
              ({ id, file, row, detail, text }) =>
                `<p class="soft">${escaped(`${id} (${file} row ${row}): ${detail}`)}</p>${text === null ? '' : `<pre>${escaped(text)}</pre>`}`,
            )
            .join('\n')}</details>`,
      );
      return `<h3>${escaped(stage.stage)}: ${stage.in.toLocaleString('en-US')} in, ${stage.accepted.toLocaleString('en-US')} accepted</h3>${bars.join('\n')}${examples.join('\n')}`;
    })
    .join('\n');
}

function counted(counts: Counts): string {
  const entries = Object.entries(counts);
  return entries.length === 0 ? 'none' : entries.map(([name, value]) => `${name} ${value.toLocaleString('en-US')}`).join(', ');
}

function sectionOf(section: SourcesReport['sources'][number]): string {
  const { before, after } = section;
  return `<section><h2>${escaped(section.name)}</h2>
<p class="soft">${escaped(`${section.domain ?? 'no domain'}, ${section.rowsRead.toLocaleString('en-US')} rows in ${count(section.files.length, 'file')}, ${section.merged.toLocaleString('en-US')} merged into others; licences: ${counted(section.licences)}; identifiers masked: ${counted(section.masked)}`)}</p>
${stagesOf(section)}
<p class="key"><i style="background:var(--before)"></i>before screening<i style="background:var(--after)"></i>candidates (figures: share before → share of candidates)</p>
<div class="grid">
${shape('Question, characters', before.questionLength, after.questionLength, before.rows, after.rows)}
${shape('Answer, characters', before.answerLength, after.answerLength, before.rows, after.rows)}
${shape('Topic', before.topic, after.topic, before.rows, after.rows)}
${shape('Complexity', before.complexity, after.complexity, before.rows, after.rows)}
</div></section>`;
}

const COLUMNS = ['source', 'domain', 'rows', 'merged', 'rejected', 'candidates', 'licence'] as const;
const classOf = (column: number): string => (column >= 2 && column <= 5 ? ' class="n"' : '');

function overview(report: SourcesReport): string {
  const rows = report.sources.map((source) => {
    const { name, domain, rowsRead, merged, candidates, licences } = source;
    const figures = [rowsRead, merged, rowsRead - merged - candidates, candidates].map((value) => value.toLocaleString('en-US'));
    const cells = [name, domain ?? 'none', ...figures, Object.keys(licences).join(', ') || 'none'];
    return `<tr>${cells.map((cell, at) => `<td${classOf(at)} data-name="${COLUMNS[at] ?? ''}">${escaped(cell)}</td>`).join('')}</tr>`;
  });
  const clusters = Object.entries(report.clusters.sizes);
  const most = Math.max(1, ...clusters.map(([, value]) => value));
  return `<h2>Quota forecast</h2>${report.forecast.map((item) => `<p><span class="${item.isDry ? 'dry' : 'met'}">${item.isDry ? 'dry' : 'reached'}</span> ${escaped(item.sentence)}</p>${bar(item.domain, [{ value: Math.min(item.expected, item.target), color: item.isDry ? 'out' : 'after' }], Math.max(1, item.target), Math.min(item.expected, item.target).toLocaleString('en-US'))}`).join('\n')}
<h2>Sources</h2><div class="scroll"><table><thead><tr>${COLUMNS.map((name, at) => `<th${classOf(at)}>${name}</th>`).join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>
<p class="soft">Rows not accounted for: ${report.unaccounted}.</p>
<h2>Duplicate clusters</h2>${clusters.length === 0 ? '<p>None.</p>' : clusters.map(([name, value]) => bar(name, [{ value, color: 'after' }], most, String(value))).join('\n')}
<p class="soft">${report.clusters.acrossSources} repeats stand in another source than the row that stays.</p>`;
}

/** The report as one static page: no script, no request, all row text as text. */
export function reportHtml(report: SourcesReport): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Sources of ${escaped(report.config)}</title><style>${STYLE}</style></head><body>
<h1>Sources of ${escaped(report.config)}</h1>
${overview(report)}
${report.sources.map(sectionOf).join('\n')}
</body></html>
`;
}
