import { escapeHtml, htmlPage, htmlTable } from '../html-page.ts';
import type { StatsReport } from '../queries/stats.ts';
import { factLines, shareGroups, spreadRows, yieldRows } from './stats-text.ts';
import type { ShareGroup } from './stats-text.ts';

const WIDTH = 560;
const NAME_WIDTH = 200;
const BAR_WIDTH = 230;
const ROW = 22;

/** Horizontal bars of shares with a mark at the wanted share, as inline SVG. */
function chart({ title, against, lines }: ShareGroup): string {
  const most = Math.max(1, ...lines.flatMap(({ share, wanted }) => [share, wanted ?? 0]));
  const width = (share: number): number => Math.round((BAR_WIDTH * share) / most);
  const bars = lines.map(({ name, count, share, wanted }, row) => {
    const y = row * ROW;
    const mark =
      wanted === null
        ? ''
        : `<rect x="${NAME_WIDTH + width(wanted) - 1}" y="${y + 1}" width="2" height="${ROW - 6}" fill="#b4542a"></rect>`;
    const number = `${count.toLocaleString('en-US')} · ${share}%${wanted === null ? '' : ` (${wanted}%)`}`;
    return `<text x="${NAME_WIDTH - 8}" y="${y + 13}" text-anchor="end">${escapeHtml(name)}</text><rect x="${NAME_WIDTH}" y="${y + 3}" width="${width(share)}" height="${ROW - 10}" fill="#3d6fa5"></rect>${mark}<text class="soft" x="${NAME_WIDTH + BAR_WIDTH + 10}" y="${y + 13}">${number}</text>`;
  });
  const height = Math.max(ROW, lines.length * ROW);
  const legend = against === '' ? '' : `<p>The mark: ${escapeHtml(against)}.</p>`;
  return `<div><h2>${escapeHtml(title)}</h2>${legend}<svg role="img" aria-label="${escapeHtml(title)}" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">${bars.join('')}</svg></div>`;
}

/** The page of the stats: facts, bar charts beside their targets, lengths and yields. */
export function statsPage(report: StatsReport): string {
  const rehearsal = report.rehearsal ? ' Answered by the rehearsal model: a rehearsal, not data.' : '';
  const topics: ShareGroup = {
    title: 'Topics',
    against: '',
    lines: report.topics.map(({ domain, topic, examples }) => ({
      name: topic.startsWith(domain) ? topic : `${domain[0] ?? ''}. ${topic}`,
      count: examples,
      share: Math.round((1000 * examples) / Math.max(1, report.shape.examples)) / 10,
      wanted: null,
    })),
  };
  const body = [
    `<h1>${escapeHtml(report.label)}: the data as it is</h1>`,
    `<p>Run ${escapeHtml(report.runId)}, ${escapeHtml(report.state)}, pipeline ${escapeHtml(report.pipelineHash.slice(0, 16))}.${rehearsal}</p>`,
    `<ul>${factLines(report)
      .filter((line) => !line.startsWith('topics'))
      .map((line) => `<li>${escapeHtml(line)}</li>`)
      .join('')}</ul>`,
    `<div class="grid">${[...shareGroups(report), topics].map((group) => chart(group)).join('\n')}</div>`,
    `<h2>Lengths</h2>${htmlTable(['', 'mean', 'median', 'p5', 'p95', 'max'], spreadRows(report))}`,
    `<h2>Yield by step</h2>${htmlTable(['step', 'in', 'accepted', '% of decided', 'why not'], yieldRows(report))}`,
    `<h2>Rows set aside before any model saw them</h2>${htmlTable(['reason', 'rows'], Object.entries(report.rowRejections))}`,
  ];
  return htmlPage(`${report.label}: the data as it is`, body.join('\n'));
}
