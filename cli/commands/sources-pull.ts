import { join } from 'node:path';
import type { HubAccess } from '../../hub/pull/hub-fetch.ts';
import { HubError } from '../../hub/pull/hub-error.ts';
import { pullFromFolder } from '../../hub/pull/pull-folder.ts';
import { pullSource, type PullReport } from '../../hub/pull/pull-source.ts';
import type { SourceConfig } from '../../schemas/config.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { keepFilesPrivate } from '../private-files.ts';
import type { Invocation } from './catalog.ts';
import { configFlag, configOf, isOn, say, sayJson, textOption } from './options.ts';
import { createPullView } from './pull-view.ts';
import { namedSources } from './named-sources.ts';
import { bytesText, count, table } from './table.ts';

const IDLE_MS = 60_000;

function accessOf(loaded: LoadedConfig, env: NodeJS.ProcessEnv): HubAccess {
  const { url, tokenEnv } = loaded.config.hub;
  const token = env[tokenEnv];
  return {
    url: url.replace(/\/+$/, ''),
    token: token === undefined || token === '' ? null : token,
    tokenEnv,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    now: Date.now,
    idleMs: IDLE_MS,
  };
}

function reportText(reports: readonly PullReport[]): string {
  return table(
    ['source', 'dataset', 'asked', 'commit', 'files', 'size', 'fetched now'],
    reports.map((report) => [
      report.source,
      report.repo,
      report.asked,
      report.commit.slice(0, 12),
      report.files,
      bytesText(report.bytes),
      report.fetchedFiles === 0 ? 'nothing: all there' : `${count(report.fetchedFiles, 'file')}, ${bytesText(report.fetchedBytes)}`,
    ]),
  );
}

/** What holds back a pull is the hub, the disk or the network: those end as environment, a wrong name or pattern as usage. */
function toCliError(error: unknown, done: readonly PullReport[], flag: string): unknown {
  if (!(error instanceof HubError)) return error;
  const isUsage = error.code === 'nothing_matches' || error.code === 'missing_repo' || error.code === 'missing_revision';
  const others = done.length === 0 ? '' : ` Pulled before it: ${done.map((report) => report.source).join(', ')}.`;
  const message = flag === '' ? error.message : error.message.replace(/(`memcalib sources pull[^`]*)`/g, `$1${flag}\``);
  return new CliError(`${message}${others}`, isUsage ? EXIT.usage : EXIT.environment, { cause: error });
}

/** `memcalib sources pull [NAME]`: brings sources of the hub (or of a folder) into the project, pinned and checked. */
export async function runSourcesPull(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  keepFilesPrivate();
  const from = textOption(invocation, 'from');
  const revision = textOption(invocation, 'revision');
  const [name] = invocation.positional;
  const wanted = namedSources(loaded, name, (source) => source.hub !== undefined && source.path === undefined);
  const [first] = wanted;
  if (first === undefined)
    throw new CliError(
      `${loaded.file} has no source with \`hub\`, so there is nothing to pull: its sources are read from their paths.`,
      EXIT.usage,
    );
  if (name !== undefined && (first.hub === undefined || first.path !== undefined))
    throw new CliError(`Source ${name} is read from its \`path\`, so there is nothing to pull.`, EXIT.usage);
  if (revision !== undefined && wanted.length > 1)
    throw new CliError(`--revision is of one dataset: name the source, \`memcalib sources pull NAME --revision ${revision}\`.`, EXIT.usage);
  const sourcesDir = join(loaded.projectFolder, 'sources');
  const access = accessOf(loaded, process.env);
  const view = createPullView(isOn(invocation, 'json') ? 'none' : process.stdout.isTTY ? 'bar' : 'lines', Date.now);
  const common = { sourcesDir, onProgress: view.show, ...(revision !== undefined && { revision }) };
  const pull = (source: SourceConfig): Promise<PullReport> =>
    from === undefined
      ? pullSource(source, { ...common, access, parallel: loaded.config.hub.parallel })
      : pullFromFolder(source, from, { ...common, isOnly: wanted.length === 1 });
  const reports: PullReport[] = [];
  try {
    for (const source of wanted) reports.push(await pull(source));
  } catch (error) {
    throw toCliError(error, reports, configFlag(invocation));
  } finally {
    view.end();
  }
  if (isOn(invocation, 'json')) sayJson(reports);
  else
    say(
      `${reportText(reports)}\nPinned: the same commit is read until you type \`memcalib sources pull NAME --revision main${configFlag(invocation)}\`. Next: \`memcalib build${configFlag(invocation)}\`.`,
    );
  return EXIT.ok;
}
