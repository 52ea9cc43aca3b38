import type { SourceConfig } from '../schemas/config.ts';
import type { IngestFacts, IngestParams } from './ingest.ts';
import { locateSource } from './locate-source.ts';
import { hashFile, identityOf, type HashedFile } from './order-identity.ts';

/** An order as it is stored: its id and the JSON text of what ingest found. */
interface StoredOrder {
  readonly id: string;
  readonly facts: string;
}

/** Whether stored weights, which a later plan may have computed anew, are still those of an order. */
function sameWeights(facts: IngestFacts, stored: IngestParams['weights']): boolean {
  return stored === undefined || Object.entries(facts.weights).every(([stratum, weight]) => (stored[stratum] ?? weight) === weight);
}

/** Whether rows that stayed for their age are still the older ones: ages were not made equal since. */
function sameAges({ elders }: IngestFacts, ages: IngestParams['ages']): boolean {
  return elders === undefined || elders.since === ages?.[0];
}

/**
 * The stored order that reading the sources would give again, found by hashing their files instead of reading and screening every row;
 * null when a file, a parameter or a weight differs. Files are hashed, never dated; the hashes found are put into `hashes` by path.
 */
export async function findKnownOrder<Order extends StoredOrder>(
  orders: readonly Order[],
  sources: readonly SourceConfig[],
  params: IngestParams,
  hashes: Map<string, HashedFile>,
): Promise<Order | null> {
  if (orders.length === 0) return null;
  const reads: { source: SourceConfig; files: { name: string; sha256: string }[] }[] = [];
  for (const config of [...sources].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { source, files: located } = await locateSource(config, params.baseDir, params.sourcesDir);
    const files: { name: string; sha256: string }[] = [];
    for (const file of located) {
      const hashed = await hashFile(file.path);
      hashes.set(file.path, hashed);
      files.push({ name: file.name, sha256: hashed.sha256 });
    }
    reads.push({ source, files });
  }
  for (const order of orders) {
    const facts = JSON.parse(order.facts) as IngestFacts;
    const still = sameWeights(facts, params.weights) && sameAges(facts, params.ages);
    if (still && identityOf(reads, params, facts.weights, facts.elders?.key) === order.id) return order;
  }
  return null;
}
