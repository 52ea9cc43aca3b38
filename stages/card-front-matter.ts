import { stringify } from 'yaml';
import type { ExportCounts } from './export-counts.ts';

/** Hugging Face names of the licences our sources carry; others stand as `other`. */
const HUB_LICENCES: Readonly<Record<string, string>> = {
  'CC0-1.0': 'cc0-1.0',
  MIT: 'mit',
  'Apache-2.0': 'apache-2.0',
  'CC-BY-4.0': 'cc-by-4.0',
  'CC-BY-SA-2.5': 'cc-by-sa-2.5',
  'CC-BY-SA-3.0': 'cc-by-sa-3.0',
  'CC-BY-SA-4.0': 'cc-by-sa-4.0',
};

const SIZES: readonly (readonly [below: number, category: string])[] = [
  [1_000, 'n<1K'],
  [10_000, '1K<n<10K'],
  [100_000, '10K<n<100K'],
  [Infinity, '100K<n<1M'],
];

/** The licence a data set of these rows carries on the hub: the one all rows share, else `other` with a name that says why. */
export function hubLicence(licences: readonly string[]): { readonly license: string; readonly license_name?: string } {
  const [first] = licences;
  const name = licences.length === 1 && first !== undefined ? HUB_LICENCES[first] : undefined;
  return name === undefined ? { license: 'other', license_name: 'per-row-see-source-license' } : { license: name };
}

/** YAML front matter of a data set card, as the Hugging Face hub reads it. Splits without records are left out: an empty file does not load. */
export function cardFrontMatter(name: string, rehearsal: boolean, counts: ExportCounts): string {
  const total = counts.records.train + counts.records.test;
  const splits = (['train', 'test'] as const).filter((split) => counts.records[split] > 0);
  const front = {
    pretty_name: rehearsal ? `${name} (rehearsal, not data)` : name,
    ...hubLicence(Object.keys(counts.byLicence)),
    language: ['en'],
    task_categories: ['question-answering', 'text-generation'],
    tags: ['memory', 'personalization', 'calibration', ...(rehearsal ? ['rehearsal'] : [])],
    size_categories: [SIZES.find(([below]) => total < below)?.[1] ?? 'n>1T'],
    configs: [{ config_name: 'default', data_files: splits.map((split) => ({ split, path: `${split}.jsonl` })) }],
  };
  return `---\n${stringify(front, { lineWidth: 0 })}---\n`;
}
