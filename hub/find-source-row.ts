import { rejected, type AdapterResult } from '../datasets/adapters/adapter.ts';
import { openAdapter } from '../datasets/adapters/catalog.ts';
import { candidateId } from '../datasets/candidate-order.ts';
import type { SourceConfig } from '../schemas/config.ts';
import type { JsonObject } from '../schemas/json.ts';
import type { SourceRow } from '../schemas/source-row.ts';
import { locateSource } from './locate-source.ts';
import { readRows } from './read-files.ts';

function isWanted(result: AdapterResult, wanted: string): boolean {
  const { sourceDataset, sourceId, origin } = result.kind === 'row' ? result.row : result.rejection;
  return sourceId === wanted || `${origin.file}:${origin.row}` === wanted || candidateId(sourceDataset, sourceId) === wanted;
}

/** The first row, in order of sources and files, that has a candidate id, a source id or a place `FILE:ROW`; null when none has. */
export async function findSourceRow(
  sources: readonly SourceConfig[],
  wanted: string,
  baseDir: string,
  sourcesDir: string,
): Promise<AdapterResult | null> {
  for (const config of sources) {
    const { source, files } = await locateSource(config, baseDir, sourcesDir);
    const adapter = openAdapter(source);
    for (const file of files) {
      for await (const read of readRows(file)) {
        const origin = { file: file.name, row: read.number };
        const results = read.kind === 'row' ? adapter.add(read.row, origin) : [rejected({ source, origin }, read.reason, read.detail)];
        const found = results.find((result) => isWanted(result, wanted));
        if (found !== undefined) return found;
      }
    }
    const found = adapter.finish().find((result) => isWanted(result, wanted));
    if (found !== undefined) return found;
  }
  return null;
}

/** The native row at a place as it stands in its file, nothing cleaned or masked; null when that place holds no readable row. */
export async function findNativeRow(
  sources: readonly SourceConfig[],
  { source: name, origin }: Pick<SourceRow, 'source' | 'origin'>,
  baseDir: string,
  sourcesDir: string,
): Promise<JsonObject | null> {
  const config = sources.find((source) => source.name === name);
  if (config === undefined) return null;
  const { files } = await locateSource(config, baseDir, sourcesDir);
  const file = files.find((item) => item.name === origin.file);
  if (file === undefined) return null;
  for await (const read of readRows(file)) if (read.number === origin.row) return read.kind === 'row' ? read.row : null;
  return null;
}
