import { SourceConfig } from '../../schemas/config.ts';
import type { AdapterContext, AdapterResult } from '../../datasets/adapters/adapter.ts';
import type { SourceRow } from '../../schemas/source-row.ts';

/** Context of one row of a source with this adapter. */
export function contextOf(adapter: SourceConfig['adapter'], extra: Partial<SourceConfig> = {}): AdapterContext {
  return {
    source: SourceConfig.parse({ name: `test-${adapter}`, adapter, path: 'rows.jsonl', ...extra }),
    origin: { file: 'rows.jsonl', row: 1 },
  };
}

/** The source row of a result; throws with the reason when it was rejected. */
export function rowOf(result: AdapterResult): SourceRow {
  if (result.kind === 'rejected') throw new Error(`rejected as ${result.rejection.reason}: ${result.rejection.detail}`);
  return result.row;
}

/** The reason of a rejection; `row` when there was none. */
export function reasonOf(result: AdapterResult | undefined): string {
  return result === undefined ? 'nothing' : result.kind === 'rejected' ? result.rejection.reason : 'row';
}

/** A row that passes every rule, with changes. */
export function sourceRow(change: Partial<SourceRow> = {}): SourceRow {
  return {
    source: 'test',
    sourceDataset: 'test/dataset',
    sourceId: 'test:train:1',
    sourceRevision: 'local',
    sourceLicense: 'CC0-1.0',
    attribution: '',
    groupKey: 'custom:test:1',
    domain: 'general',
    question:
      'I have a small kitchen and my wife cannot eat nuts. I would like to bake a cake for twelve people on Sunday, but the oven broke last week. What can I make?',
    context: [],
    answer:
      'Make a cold cheesecake with a biscuit base, because it needs no oven. Use plain oat biscuits without nuts, press them with melted butter into the form, and let it set in the fridge overnight. It serves twelve people easily.',
    origin: { file: 'rows.jsonl', row: 1 },
    metadata: {},
    ...change,
  };
}
