import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { forecastQuotas, type DomainForecast, type SourceYield } from '../../datasets/quota-forecast.ts';
import { createReportCollector, type ClusterReport, type SourceSection } from '../../datasets/source-report.ts';
import { ingestSources, type SourceFacts } from '../../hub/ingest.ts';
import { STEPS } from '../../schemas/steps.ts';
import { EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { keepFilesPrivate } from '../private-files.ts';
import { query } from '../project.ts';
import type { Invocation } from './catalog.ts';
import { namedSources } from './named-sources.ts';
import { configFlag, configOf, isOn, labelOf, say, sayJson, textOption } from './options.ts';
import { reportHtml } from './sources-report-html.ts';
import { reportText } from './sources-report-text.ts';

/** Everything `sources report` shows. */
export interface SourcesReport {
  readonly config: string;
  readonly sources: readonly (SourceSection & Pick<SourceFacts, 'adapter' | 'files' | 'rowsRead' | 'merged' | 'candidates'>)[];
  /** Rows that are neither candidate, rejection nor merged: always 0, else a fault of ours. */
  readonly unaccounted: number;
  readonly clusters: ClusterReport;
  readonly forecast: readonly DomainForecast[];
}

/** Judged and accepted candidates per source of the latest build of a label; none when there is no build yet. */
async function yieldsOf(loaded: LoadedConfig, label: string): Promise<readonly SourceYield[]> {
  if (!existsSync(join(loaded.projectFolder, 'memcalib.duckdb'))) return [];
  const status = await query(loaded, 'status', { label });
  if (status === null) return [];
  const last = STEPS.at(-1);
  const names = new Set(status.books.map((line) => line.source));
  return [...names].map((source) => {
    const lines = status.books.filter((line) => line.source === source);
    const accepted = lines.find((line) => line.step === last)?.accepted ?? 0;
    const rejected = lines.flatMap((line) => Object.values(line.rejected)).reduce((sum, count) => sum + count, 0);
    return { source, accepted, verdicts: accepted + rejected };
  });
}

/** Reads, screens and deduplicates all sources anew and sums up what became of every row. */
export async function makeSourcesReport(loaded: LoadedConfig, label: string): Promise<SourcesReport> {
  const { config, baseDir, projectFolder } = loaded;
  const collector = createReportCollector();
  const { facts, close } = await ingestSources(
    config.sources,
    { baseDir, sourcesDir: join(projectFolder, 'sources'), seed: config.seed, ...config.screening },
    { observer: collector.observer },
  );
  close();
  const sources = facts.sources.map((item) => ({ ...item, ...collector.section(item.name, item.rowsRead - item.merged) }));
  const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((all, count) => all + count, 0);
  const unaccounted = facts.sources.reduce((all, item) => all + item.rowsRead - item.merged - item.candidates - sum(item.rejected), 0);
  return {
    config: config.name,
    sources: sources.map(({ rejected: _rejected, ...item }) => item),
    unaccounted,
    clusters: collector.clusters(),
    forecast: forecastQuotas(config.target, sources, await yieldsOf(loaded, label)),
  };
}

/** `memcalib sources report`: what each source yields and why rows fall out; `--html FILE` writes it as one page with charts. */
export async function runSourcesReport(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const [name] = invocation.positional;
  const shown = new Set(namedSources(loaded, name, () => true).map((source) => source.name));
  const whole = await makeSourcesReport(loaded, labelOf(invocation));
  // All sources are read even when one is asked for: duplicates are found across them.
  const report = { ...whole, sources: whole.sources.filter((source) => shown.has(source.name)) };
  const html = textOption(invocation, 'html');
  if (html !== undefined) {
    keepFilesPrivate();
    writeFileSync(resolve(process.cwd(), html), reportHtml(report), { mode: 0o600 });
  }
  if (isOn(invocation, 'json')) sayJson(report);
  else say(reportText(report, html ?? null, configFlag(invocation)));
  return EXIT.ok;
}
