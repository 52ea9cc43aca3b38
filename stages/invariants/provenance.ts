import { ProvenanceLine, RecordProvenance, type ExampleRecord } from '../../schemas/record.ts';
import type { Origin, Split } from './across-records.ts';
import type { Finding, ValidationMode, Violation } from './violation.ts';

const FIELDS = Object.keys(RecordProvenance.shape) as readonly (keyof RecordProvenance)[];
const LEDGER_KEY = /^[0-9a-f]{64}$/;

/** The lines of provenance.jsonl by id, and what their records must repeat. */
export class ProvenanceBook {
  private readonly lines = new Map<string, RecordProvenance>();
  private readonly met = new Set<string>();

  /** Takes one line; yields what is wrong with it. */
  *take(value: unknown, where: string): Generator<Violation> {
    const parsed = ProvenanceLine.safeParse(value);
    if (!parsed.success) {
      for (const issue of parsed.error.issues)
        yield { rule: 'provenance_field', record: where, detail: `${issue.path.map(String).join('.') || 'line'} ${issue.code}` };
      return;
    }
    const { id, calls, ...fields } = parsed.data;
    if (this.lines.has(id)) yield { rule: 'provenance_field', record: id, detail: 'two provenance lines have this id' };
    if (!calls.every((key) => LEDGER_KEY.test(key)))
      yield { rule: 'provenance_field', record: id, detail: 'calls holds something that is no ledger key' };
    this.lines.set(id, fields);
  }

  get size(): number {
    return this.lines.size;
  }

  /** Where the record comes from: its provenance line, or its own fields on an import without one. */
  originOf(record: ExampleRecord): Origin {
    return this.lines.get(record.id) ?? record;
  }

  /** Compares a record with its provenance line and the file it stands in. */
  *check(record: ExampleRecord, split: Split, mode: ValidationMode): Generator<Finding> {
    const line = this.lines.get(record.id);
    this.met.add(record.id);
    if (line === undefined && mode === 'release') yield { rule: 'has_provenance', detail: 'no line in provenance.jsonl' };
    for (const field of FIELDS) {
      if (record[field] === undefined && mode === 'release') yield { rule: 'provenance_field', detail: `the record lacks ${field}` };
      if (line !== undefined && record[field] !== undefined && record[field] !== line[field])
        yield { rule: 'provenance_matches_record', detail: `${field} differs between record and provenance.jsonl` };
    }
    for (const said of new Set([record.split, line?.split])) {
      if (said !== undefined && said !== split) yield { rule: 'split_matches_file', detail: `says ${said} and stands in ${split}.jsonl` };
    }
  }

  /** Provenance lines no record answers to. */
  *leftOver(): Generator<Violation> {
    for (const id of this.lines.keys())
      if (!this.met.has(id))
        yield { rule: 'provenance_without_record', record: id, detail: 'provenance.jsonl names no record of the export' };
  }

  /** Pipeline hashes seen, for comparison with the manifest. */
  pipelineHashes(): ReadonlySet<string> {
    return new Set([...this.lines.values()].map((line) => line.pipeline_hash));
  }
}
