import { join } from 'node:path';
import { verifySource, type VerifyReport } from '../../hub/pull/verify-source.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Invocation } from './catalog.ts';
import { configFlag, configOf, isOn, say, sayJson } from './options.ts';
import { namedSources } from './named-sources.ts';
import { bytesText, count } from './table.ts';

const WHAT = {
  missing: 'is missing',
  size: 'has another size',
  hash: 'has another content',
  unfinished: 'was not finished',
} as const;

function lineOf(report: VerifyReport, flag: string): string {
  if (report.commit === null) return `${report.source}: not pulled yet: type \`memcalib sources pull ${report.source}${flag}\``;
  const [first] = report.problems;
  if (first === undefined)
    return `${report.source}: ${count(report.files, 'file')}, ${bytesText(report.bytes)}, all as pinned at ${report.commit.slice(0, 12)}`;
  const harmed = report.problems
    .filter((problem) => problem.what !== 'missing' && problem.what !== 'unfinished')
    .map((problem) => problem.path);
  return [
    ...report.problems.map((problem) => `${report.source}: ${problem.path} ${WHAT[problem.what]}`),
    `${report.source}: type \`${harmed.length === 0 ? '' : `rm ${harmed.map((path) => `'${path.replaceAll("'", "'\\''")}'`).join(' ')} && `}memcalib sources pull ${report.source}${flag}\``,
  ].join('\n');
}

/** `memcalib sources verify [NAME]`: hashes pulled files again; ends 7 when one is not what was pinned. */
export async function runSourcesVerify(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const wanted = namedSources(loaded, invocation.positional[0], (source) => source.hub !== undefined && source.path === undefined);
  if (wanted.length === 0)
    throw new CliError(`${loaded.file} has no source with \`hub\`, so nothing was pulled and there is nothing to verify.`, EXIT.usage);
  const reports: VerifyReport[] = [];
  for (const source of wanted) reports.push(await verifySource(join(loaded.projectFolder, 'sources'), source.name));
  if (isOn(invocation, 'json')) sayJson(reports);
  else for (const report of reports) say(lineOf(report, configFlag(invocation)));
  if (reports.some((report) => report.problems.length > 0)) return EXIT.invalid;
  return reports.some((report) => report.commit === null) ? EXIT.unfinished : EXIT.ok;
}
