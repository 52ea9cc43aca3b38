import { rejected, type AdapterResult } from '../datasets/adapters/adapter.ts';
import { openAdapter } from '../datasets/adapters/catalog.ts';
import { candidateId } from '../datasets/candidate-order.ts';
import type { SourceConfig } from '../schemas/config.ts';
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
