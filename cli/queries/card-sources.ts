import { LICENCES } from '../../datasets/licences.ts';
import type { FinishedExample } from '../../schemas/finished-example.ts';
import type { CardSource } from '../../stages/card.ts';

const NEEDS_ATTRIBUTION = /^CC-BY/;

function attributionRule(licences: readonly string[], attribution: string): string {
  if (licences.some((licence) => NEEDS_ATTRIBUTION.test(licence)))
    return 'Name the authors in the attribution field of each record and share derived texts under the same licence.';
  return attribution === '' ? '' : `Credit ${attribution}.`;
}

/** The source datasets of finished examples, with the licences and revisions of the rows that were used. */
export async function cardSources(examples: AsyncIterable<{ readonly example: FinishedExample }>): Promise<readonly CardSource[]> {
  const found = new Map<string, { readonly revisions: Set<string>; readonly licences: Set<string> }>();
  for await (const { example } of examples) {
    const { record } = example;
    const dataset = record.source_dataset ?? 'unknown';
    const entry = found.get(dataset) ?? { revisions: new Set<string>(), licences: new Set<string>() };
    entry.revisions.add(record.source_revision ?? 'unknown');
    entry.licences.add(record.source_license ?? 'unknown');
    found.set(dataset, entry);
  }
  const known = new Map(Object.values(LICENCES).map((entry) => [entry.attribution.split(' (')[0] ?? '', entry.attribution]));
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([dataset, { revisions, licences }]) => {
      const sorted = [...licences].sort();
      return {
        dataset,
        revision: [...revisions].sort().join(', '),
        licences: sorted,
        attributionRule: attributionRule(sorted, known.get(dataset) ?? ''),
      };
    });
}
