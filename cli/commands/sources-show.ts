import { join } from 'node:path';
import { screenTrace, type ScreenTrace } from '../../datasets/screening/screen-row.ts';
import { findNativeRow, findSourceRow } from '../../hub/find-source-row.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Invocation } from './catalog.ts';
import { configFlag, configOf, isOn, say, sayJson } from './options.ts';

function traceText(trace: ScreenTrace): string {
  const { row, verdict, score, signals } = trace;
  const identifiers = Object.entries(trace.masked).map(([kind, count]) => `${kind} ${count}`);
  return [
    `${trace.id}  ${row.sourceId} (${row.source}, ${row.origin.file} row ${row.origin.row}, licence ${row.sourceLicense})`,
    verdict === null
      ? 'passes deterministic screening (duplicates are looked for over all rows: `sources report`)'
      : `falls out: ${verdict.reason}: ${verdict.detail}`,
    '',
    `quality score ${score.total}: question ${score.question} of 25, answer ${score.answer} of 25, memory suitability ${score.suitability} of 40, cleanliness ${score.cleanliness} of 10`,
    `topic ${trace.topic}`,
    `complexity ${trace.complexity}`,
    `memory signals ${signals.length === 0 ? 'none' : signals.join(', ')}`,
    `identifiers masked ${identifiers.length === 0 ? 'none' : identifiers.join(', ')}`,
    `group ${row.groupKey}`,
    ...row.context.map((turn) => `\n${turn.speaker.toUpperCase()} (context)\n${turn.text}`),
    `\nQUESTION\n${row.question}`,
    `\nANSWER\n${row.answer}`,
  ].join('\n');
}

/** `memcalib sources show ID`: one row of the sources as a model would see it, with everything screening measured on it. */
export async function runSourcesShow(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const [wanted] = invocation.positional;
  if (wanted === undefined)
    throw new CliError('Name a row: `memcalib sources show ID`, an id of `sources report`, a source id, or FILE:ROW.', EXIT.usage);
  const { sources } = loaded.config;
  const sourcesDir = join(loaded.projectFolder, 'sources');
  const found = await findSourceRow(sources, wanted, loaded.baseDir, sourcesDir);
  if (found === null)
    throw new CliError(
      `No row of the sources has the id ${wanted}. Ids stand in \`memcalib sources report --json${configFlag(invocation)}\`; FILE:ROW names a row by its place.`,
      EXIT.usage,
    );
  if (isOn(invocation, 'raw')) {
    const place = found.kind === 'row' ? found.row : found.rejection;
    const native = await findNativeRow(sources, place, loaded.baseDir, sourcesDir);
    if (native === null)
      throw new CliError(
        `${place.origin.file} row ${place.origin.row} cannot be read as a row; type \`memcalib sources show ${wanted}${configFlag(invocation)}\` to see why.`,
        EXIT.usage,
      );
    sayJson(native);
    return EXIT.ok;
  }
  if (found.kind === 'rejected') {
    const { rejection } = found;
    if (isOn(invocation, 'json')) sayJson(rejection);
    else
      say(
        `${rejection.sourceId} (${rejection.source}, ${rejection.origin.file} row ${rejection.origin.row})\nfalls out while reading: ${rejection.reason}: ${rejection.detail}`,
      );
    return EXIT.ok;
  }
  const trace = screenTrace(found.row, loaded.config.screening);
  if (isOn(invocation, 'json')) sayJson(trace);
  else say(traceText(trace));
  return EXIT.ok;
}
