import { describe, expect, test } from 'vitest';
import { validateDataset, type JsonLine, type QuarantineEntry } from '../../stages/validate-dataset.ts';
import type { ExampleRecord } from '../../schemas/record.ts';
import { sampleRecords } from '../support/sample-export.ts';

function lines(values: readonly unknown[], file = 'train.jsonl'): readonly JsonLine[] {
  return values.map((value, at) => ({ file, line: at + 1, value }));
}

/** A record as the authors published them: no provenance, role in the ids, `health_seed`, a field of their own. */
function published(record: ExampleRecord): Record<string, unknown> {
  const { id, domain, question, memory_blocks, memories } = record;
  return {
    id,
    domain: domain === 'health' ? 'health_seed' : domain,
    question,
    memory_blocks: memory_blocks.map((block) => ({ ...block, atom_ids: block.atom_ids.map((atom) => `noise_${atom}`) })),
    memories: memories.map((atom) => ({ ...atom, atom_id: `noise_${atom.atom_id}`, topic: 'x' })),
    seed_type: 'x',
  };
}

async function importAll(train: readonly JsonLine[], test: readonly JsonLine[] = []) {
  const kept: ExampleRecord[] = [];
  const setAside: QuarantineEntry[] = [];
  const report = await validateDataset(
    { train, test },
    { mode: 'import', keep: (record) => void kept.push(record), setAside: (entry) => void setAside.push(entry) },
  );
  return { report, kept, setAside };
}

describe('validateDataset on import', () => {
  test('takes records of the published shape, health_seed as health', async () => {
    const { report, kept, setAside } = await importAll(lines(sampleRecords().map(published)));
    expect(report).toMatchObject({ ok: true, counts: { train: 6, test: 0 } });
    expect(setAside).toEqual([]);
    expect(kept.map(({ domain }) => domain)).toEqual(['health', 'health', 'general', 'coding', 'general', 'coding']);
  });

  test('sets a violating record aside whole, with every rule it breaks, and goes on', async () => {
    const [first, second, third] = sampleRecords();
    if (first === undefined || second === undefined || third === undefined) throw new Error('the sample is too small');
    const onlyA = {
      ...first,
      memories: first.memories.map((atom) => ({ ...atom, u_star: 'A', memory_action: 'ignore', parent_memory_id: 'b1' })),
    };
    const { report, kept, setAside } = await importAll([
      ...lines([onlyA, second]),
      { file: 'train.jsonl', line: 3, broken: { rule: 'line_is_json', detail: 'not one JSON value' }, raw: '{' },
      ...lines([{ ...third, question: second.question }], 'more.jsonl'),
    ]);
    expect(kept.map(({ id }) => id)).toEqual([second.id]);
    expect(setAside.map(({ file, line, id, violations }) => [file, line, id, violations.map(({ rule }) => rule)])).toEqual([
      ['train.jsonl', 1, first.id, ['parent_matches_block', 'has_b_or_c']],
      ['train.jsonl', 3, null, ['line_is_json']],
      ['more.jsonl', 1, third.id, ['queries_unique']],
    ]);
    expect(setAside.map(({ record }) => record)).toEqual([onlyA, '{', { ...third, question: second.question }]);
    expect(Object.fromEntries(report.countsByRule)).toEqual({ parent_matches_block: 1, has_b_or_c: 1, line_is_json: 1, queries_unique: 1 });
  });

  test('a record set aside no longer clashes with later ones', async () => {
    const [first, second] = sampleRecords();
    if (first === undefined || second === undefined) throw new Error('the sample is too small');
    const { kept } = await importAll(
      lines([
        { ...first, memory_blocks: [] },
        { ...second, question: first.question },
      ]),
    );
    expect(kept.map(({ id }) => id)).toEqual([second.id]);
  });

  test('of a train and a test record with near-equal queries the test one is set aside', async () => {
    const [first] = sampleRecords();
    if (first === undefined) throw new Error('the sample is empty');
    const near = { ...first, id: 'other', question: `Now, ${first.question}`, source_id: 'x', group_key: 'x', split: 'test' };
    const { setAside } = await importAll(lines([first]), lines([near], 'test.jsonl'));
    expect(setAside.map(({ id, violations }) => [id, violations.map(({ rule }) => rule)])).toEqual([
      ['other', ['splits_disjoint_by_near_query']],
    ]);
  });

  test('finds nothing to be no dataset', async () => {
    const { report } = await importAll([]);
    expect(report.ok).toBe(false);
    expect([...report.countsByRule.keys()]).toEqual(['has_records']);
  });
});
