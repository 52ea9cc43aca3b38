import type { SourceConfig } from '../../schemas/config.ts';
import type { JsonObject } from '../../schemas/json.ts';
import { TextFault } from '../normalise.ts';
import { rejected, type AdapterContext, type AdapterResult } from './adapter.ts';
import { readApps } from './apps.ts';
import { readCustom } from './custom.ts';
import { readHealthCareMagic } from './healthcaremagic.ts';
import { readIcliniq } from './icliniq.ts';
import { readMagicoder } from './magicoder.ts';
import { readMedDialog } from './meddialog.ts';
import { createOasstCollector } from './oasst.ts';
import { readStackExchange } from './stackexchange.ts';
import { readUltraChat } from './ultrachat.ts';

/** One source being read: `add` takes native rows, `finish` gives what had to wait for all of them, `merged` counts rows that are part of another row's unit. */
export interface OpenAdapter {
  add(row: JsonObject, origin: AdapterContext['origin']): readonly AdapterResult[];
  finish(): readonly AdapterResult[];
  merged(): number;
}

type RowReader = (row: JsonObject, context: AdapterContext) => AdapterResult;

const READERS: Readonly<Record<Exclude<SourceConfig['adapter'], 'oasst1' | 'oasst2'>, RowReader>> = {
  meddialog: readMedDialog,
  healthcaremagic: readHealthCareMagic,
  icliniq: readIcliniq,
  ultrachat: readUltraChat,
  magicoder: readMagicoder,
  apps: readApps,
  stackexchange: readStackExchange,
  custom: readCustom,
};

/** Runs a reader; a text that it cannot clean is the rejection of its row. */
function guarded(context: AdapterContext, read: () => readonly AdapterResult[]): readonly AdapterResult[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof TextFault) return [rejected(context, error.code, error.message)];
    throw error;
  }
}

/** Whether rows of one file may complete units of another, so that the files of a source can only be read together. */
export function readsFilesTogether({ adapter }: SourceConfig): boolean {
  return adapter === 'oasst1' || adapter === 'oasst2';
}

/** Opens the adapter of a source entry. */
export function openAdapter(source: SourceConfig): OpenAdapter {
  const { adapter } = source;
  if (adapter === 'oasst1' || adapter === 'oasst2') {
    const collector = createOasstCollector(adapter);
    return {
      add: (row, origin) => guarded({ source, origin }, () => collector.add(row, { source, origin })),
      finish: () => collector.finish(),
      merged: () => collector.merged(),
    };
  }
  const read = READERS[adapter];
  return { add: (row, origin) => guarded({ source, origin }, () => [read(row, { source, origin })]), finish: () => [], merged: () => 0 };
}
