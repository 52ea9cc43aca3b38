import { PUBLISHED_ATOMS, PUBLISHED_BLOCK_SIZES, PUBLISHED_LEVELS, WANTED_THIRDS } from '../../metrics/published-shape.ts';
import { DOMAINS, LEVELS } from '../../schemas/levels.ts';
import { BLOCK_COUNTS, EXAMPLES_IN_TABLE } from '../../stages/block-plan-tables.ts';
import type { StatsReport, YieldLine } from '../queries/stats.ts';
import { count, dollars, table } from './table.ts';

/** One bar: how many, their share in percent, and the share that is wanted or published (null when there is none). */
export interface ShareLine {
  readonly name: string;
  readonly count: number;
  readonly share: number;
  readonly wanted: number | null;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10;
}

function lines(counts: Readonly<Record<string, number>>, wanted: (name: string) => number | null): readonly ShareLine[] {
  const whole = Object.values(counts).reduce((sum, value) => sum + value, 0);
  return Object.entries(counts).map(([name, value]) => ({ name, count: value, share: share(value, whole), wanted: wanted(name) }));
}

function percent(part: number, whole: number): number {
  return Math.round((1000 * part) / whole) / 10;
}

/** A titled group of shares; `against` says what the wanted shares are. */
export interface ShareGroup {
  readonly title: string;
  readonly against: string;
  readonly lines: readonly ShareLine[];
}

const BLOCKS_IN_TABLE = PUBLISHED_BLOCK_SIZES.reduce((sum, [, blocks]) => sum + blocks, 0);

/** Every distribution of the data beside its target. */
export function shareGroups(report: StatsReport): readonly ShareGroup[] {
  const { shape, complexity, target } = report;
  const wantedAll = DOMAINS.reduce((sum, domain) => sum + target[domain], 0);
  const blocks = new Map(BLOCK_COUNTS);
  const sizes = new Map(PUBLISHED_BLOCK_SIZES);
  const sourceLines = report.sources.map((line): ShareLine => {
    const inDomain = shape.domains[line.domain] ?? 0;
    return {
      name: line.source,
      count: line.examples,
      share: share(line.examples, inDomain),
      wanted: line.publishedShare === null ? null : percent(line.publishedShare, 1),
    };
  });
  return [
    {
      title: 'Domains',
      against: 'target',
      lines: lines(Object.fromEntries(DOMAINS.map((domain) => [domain, shape.domains[domain] ?? 0])), (name) =>
        wantedAll === 0 ? null : percent(target[name as (typeof DOMAINS)[number]], wantedAll),
      ),
    },
    { title: 'Sources, share of their domain', against: 'published mix', lines: sourceLines },
    {
      title: 'Levels of atoms',
      against: 'published',
      lines: lines(shape.levels, (name) => LEVELS.filter((level) => level === name).map((level) => PUBLISHED_LEVELS[level])[0] ?? null),
    },
    { title: 'Actions of atoms', against: '', lines: lines(shape.actions, () => null) },
    {
      title: 'Blocks per example',
      against: 'table',
      lines: lines(shape.blocksPerExample, (name) => percent(blocks.get(Number(name)) ?? 0, EXAMPLES_IN_TABLE)),
    },
    {
      title: 'Atoms per block',
      against: 'published',
      lines: lines(shape.atomsPerBlock, (name) => percent(sizes.get(Number(name)) ?? 0, BLOCKS_IN_TABLE)),
    },
    { title: 'Density level', against: 'recipe', lines: lines(shape.density, (name) => WANTED_THIRDS[Number(name) - 1] ?? null) },
    {
      title: 'Complexity of rows',
      against: 'target',
      lines: lines(complexity, (name) => WANTED_THIRDS[Object.keys(complexity).indexOf(name)] ?? null),
    },
  ];
}

/** Reasons of a step, the most frequent first. */
export function reasonsText({ rejected, failed }: YieldLine, most = 4): string {
  const all = [...Object.entries(rejected), ...Object.entries(failed).map(([name, n]) => [`failed ${name}`, n] as const)];
  const rest = all.length > most ? `, ${all.length - most} more` : '';
  return `${all
    .slice(0, most)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ')}${rest}`;
}

/** Rows of the table of yields. */
export function yieldRows(report: StatsReport): readonly (readonly (string | number)[])[] {
  return report.yields.map((line) => [line.step, line.in, line.accepted, share(line.accepted, line.in - line.pending), reasonsText(line)]);
}

/** Rows of the table of lengths. */
export function spreadRows({ shape }: StatsReport): readonly (readonly (string | number)[])[] {
  return shape.spreads.map(({ what, mean, median, p5, p95, max }) => [what, Math.round(mean * 10) / 10, median, p5, p95, max]);
}

/** One sentence per fact that is no distribution. */
export function factLines(report: StatsReport): readonly string[] {
  const { shape, cost, redraws, topics } = report;
  const wanted = DOMAINS.map((domain) => `${domain} ${shape.domains[domain] ?? 0} of ${report.target[domain]}`).join(', ');
  const atoms = shape.spreads.find(({ what }) => what === 'atoms per example');
  return [
    `${count(shape.examples, 'example')} kept (${wanted}); ${report.reserve} in reserve, ${count(report.nearDuplicates, 'near-duplicate query', 'near-duplicate queries')} dropped`,
    `${count(shape.blocks, 'block')}, ${count(shape.atoms, 'atom')}: mean ${(atoms?.mean ?? 0).toFixed(1)} an example (published ${PUBLISHED_ATOMS.mean}), median ${atoms?.median ?? 0} (${PUBLISHED_ATOMS.median})`,
    `block plan drawn again for ${redraws.examples} of ${shape.examples} (${redraws.draws} draws more)`,
    `cost per kept example ${shape.examples === 0 ? 'unknown' : dollars(cost.microUsd / shape.examples, cost.unknownCalls)}, rejections and reserve included; ${count(cost.calls, 'call')} in all`,
    `topics: ${topics.map(({ domain, topic, examples }) => `${domain}/${topic} ${examples}`).join(', ') || 'none'}`,
    `licences: ${
      Object.entries(shape.licences)
        .map(([name, n]) => `${name} ${n}`)
        .join(', ') || 'none'
    }`,
  ];
}

/** The data as it is, as a person reads it. */
export function statsText(report: StatsReport): string {
  const groups = shareGroups(report).map(({ title, against, lines: shares }) =>
    table(
      [title, 'count', '%', against === '' ? '' : `% ${against}`],
      shares.map(({ name, count: n, share: have, wanted }) => [name, n, have, wanted ?? '']),
    ),
  );
  return [
    `build ${report.label} (run ${report.runId}): ${report.state}${report.rehearsal ? '; answered by the rehearsal model: a rehearsal, not data' : ''}`,
    factLines(report).join('\n'),
    ...groups,
    table(['length', 'mean', 'median', 'p5', 'p95', 'max'], spreadRows(report)),
    table(['step', 'in', 'accepted', '% of decided', 'why not'], yieldRows(report)),
  ].join('\n\n');
}
