import type { SourceConfig } from '../schemas/config.ts';

type AdapterName = SourceConfig['adapter'];

/** What is known of a source's licence and who says so. `unknown` rows build but do not export without a flag. */
export interface LicenceEntry {
  /** SPDX identifier, `unknown`, or `by-date` (Stack Exchange). */
  readonly licence: string;
  readonly attribution: string;
  /** Where the claim comes from, for the card. */
  readonly claim: string;
}

/** Licence of each adapter's dataset as declared, and how far the claim can be trusted. */
export const LICENCES: Readonly<Record<AdapterName, LicenceEntry>> = {
  meddialog: {
    licence: 'unknown',
    attribution: 'MedDialog (healthcaremagic.com, icliniq.com)',
    claim: 'the card says Apache-2.0; rights of the upstream sites are unresolved',
  },
  healthcaremagic: {
    licence: 'unknown',
    attribution: 'ChatDoctor HealthCareMagic-100k (healthcaremagic.com)',
    claim: 'no licence on the card; the project says research only',
  },
  icliniq: {
    licence: 'unknown',
    attribution: 'ChatDoctor iCliniq (icliniq.com)',
    claim: 'declared by scrapers only; rights of the upstream site are unresolved',
  },
  ultrachat: { licence: 'MIT', attribution: 'UltraChat 200k (HuggingFaceH4, openbmb)', claim: 'dataset card' },
  oasst1: { licence: 'Apache-2.0', attribution: 'OpenAssistant Conversations (LAION and contributors)', claim: 'dataset card' },
  oasst2: { licence: 'Apache-2.0', attribution: 'OpenAssistant Conversations Release 2 (LAION and contributors)', claim: 'dataset card' },
  magicoder: { licence: 'MIT', attribution: 'Magicoder OSS-Instruct-75K (ise-uiuc)', claim: 'dataset card' },
  apps: { licence: 'MIT', attribution: 'APPS (Hendrycks et al. 2021)', claim: 'repository; statements come from third-party judges' },
  stackexchange: { licence: 'by-date', attribution: '', claim: 'Stack Exchange terms: CC BY-SA, version by posting date' },
  custom: { licence: 'unknown', attribution: '', claim: 'the config must say' },
};

/** CC BY-SA version that holds for a post of Stack Exchange made on `date` (`YYYY/MM/DD` or ISO); `unknown` when there is no date. */
export function stackExchangeLicence(date: string): string {
  const match = /^(\d{4})[-/](\d{2})[-/](\d{2})/.exec(date);
  if (match === null) return 'unknown';
  const day = `${match[1]}-${match[2]}-${match[3]}`;
  if (day < '2011-04-08') return 'CC-BY-SA-2.5';
  return day < '2018-05-02' ? 'CC-BY-SA-3.0' : 'CC-BY-SA-4.0';
}
