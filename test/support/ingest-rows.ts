import { ingestSources as ingest, type IngestParams, type IngestResult as Ingested } from '../../hub/ingest.ts';
import type { Candidate } from '../../schemas/candidate.ts';
import type { SourceConfig } from '../../schemas/config.ts';
import type { Domain } from '../../schemas/levels.ts';

/** What ingest found, candidates with their rows. */
export interface IngestResult extends Omit<Ingested, 'candidates'> {
  readonly candidates: (domain: Domain) => Iterable<readonly Candidate[]>;
}

/** Ingests without a store and gives each candidate its row. */
export async function ingestSources(sources: readonly SourceConfig[], params: IngestParams): Promise<IngestResult> {
  const result = await ingest(sources, params);
  return {
    ...result,
    *candidates(domain) {
      for (const chunk of result.candidates(domain))
        yield chunk.map(({ id, position, stratum, measures, rowNo }) => ({
          id,
          domain,
          position,
          stratum,
          row: result.rowAt(rowNo),
          measures,
        }));
    },
  };
}
