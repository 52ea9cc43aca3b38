import { RejectedLine, type ExampleRecord } from '../schemas/record.ts';
import { AcrossRecords, type Split } from './invariants/across-records.ts';
import { checkManifest, type FolderFacts } from './invariants/manifest.ts';
import { exactNearQueryIndex, type NearQueryIndex } from './invariants/near-query.ts';
import { ProvenanceBook } from './invariants/provenance.ts';
import { checkShape, idOf } from './invariants/shape.ts';
import { checkStructure } from './invariants/structure.ts';
import { holdsIn, type Finding, type Invariant, type ValidationMode, type Violation } from './invariants/violation.ts';
import { checkWording } from './invariants/wording.ts';

export type { Invariant, ValidationMode, Violation } from './invariants/violation.ts';
export type { Split } from './invariants/across-records.ts';

/** One line of a JSONL file: its value, or why it has none. `raw` is kept so that an import loses nothing. */
export type JsonLine = { readonly file: string; readonly line: number } & (
  | { readonly value: unknown }
  | { readonly broken: Finding; readonly raw: string | null }
);
type Lines = AsyncIterable<JsonLine> | Iterable<JsonLine> | undefined;

/** A dataset as it is read: streams are consumed once, in the order provenance, train, test, rejected. */
export interface DatasetInput {
  readonly provenance?: Lines;
  readonly train: Lines;
  readonly test: Lines;
  readonly rejected?: Lines;
  /** Parsed manifest.json and the hashes of the files beside it; absent on imports that have none. */
  readonly manifest?: { readonly value: unknown; readonly hashes: ReadonlyMap<string, string> } | undefined;
  /** Text of README.md. */
  readonly card?: string | undefined;
}

/** A record set aside by an import, with every rule it breaks: one line of quarantine.jsonl. */
export interface QuarantineEntry {
  readonly file: string;
  readonly line: number;
  readonly id: string | null;
  readonly violations: readonly Finding[];
  readonly record: unknown;
}

export interface ValidationOptions {
  readonly mode: ValidationMode;
  /** A fresh index of near-duplicate queries; the exact one by default. */
  readonly newNearQueryIndex?: () => NearQueryIndex;
  /** Called with each record that keeps every rule, in order (imports). Never called after a violation of that record. */
  readonly keep?: (record: ExampleRecord, split: Split) => void | Promise<void>;
  /** Called with each record set aside (imports). */
  readonly setAside?: (entry: QuarantineEntry) => void | Promise<void>;
}

export interface ValidationReport {
  readonly ok: boolean;
  readonly mode: ValidationMode;
  readonly counts: FolderFacts['counts'];
  /** Records that broke a rule. */
  readonly recordsInViolation: number;
  /** The first 1,000 violations, in reading order. */
  readonly violations: readonly Violation[];
  /** All violations, counted per rule. */
  readonly countsByRule: ReadonlyMap<Invariant, number>;
}

const VIOLATIONS_KEPT = 1000;

/**
 * Holds a dataset against every invariant of SPEC §2, line by line, keeping keys and numbers only.
 * A release is good when the report is ok; an import hands good records to `keep` and the others to `setAside`.
 * Of two records that clash, the one read later breaks the rule.
 */
export async function validateDataset(input: DatasetInput, options: ValidationOptions): Promise<ValidationReport> {
  const run = new Validation(options);
  await run.readProvenance(input.provenance);
  await run.readRecords(input.train, 'train');
  await run.readRecords(input.test, 'test');
  await run.readRejected(input.rejected);
  return run.finish(input);
}

class Validation {
  private readonly violations: Violation[] = [];
  private readonly countsByRule = new Map<Invariant, number>();
  private readonly counts = { train: 0, test: 0, provenance: 0, rejected: 0 };
  private readonly book = new ProvenanceBook();
  private readonly across: AcrossRecords;
  private recordsInViolation = 0;

  private readonly options: ValidationOptions;

  constructor(options: ValidationOptions) {
    this.options = options;
    this.across = new AcrossRecords(options.newNearQueryIndex ?? exactNearQueryIndex);
  }

  private note(violation: Violation): void {
    if (!holdsIn(violation.rule, this.options.mode)) return;
    if (this.violations.length < VIOLATIONS_KEPT) this.violations.push(violation);
    this.countsByRule.set(violation.rule, (this.countsByRule.get(violation.rule) ?? 0) + 1);
  }

  async readProvenance(lines: Lines): Promise<void> {
    if (lines === undefined) return this.note({ rule: 'file_present', record: 'provenance.jsonl', detail: 'missing' });
    for await (const line of lines) {
      if ('broken' in line) {
        this.note({ ...line.broken, record: `${line.file}:${line.line}` });
        continue;
      }
      this.counts.provenance += 1;
      for (const violation of this.book.take(line.value, idOf(line.value) ?? `${line.file}:${line.line}`)) this.note(violation);
    }
  }

  async readRecords(lines: Lines, split: Split): Promise<void> {
    if (lines === undefined) return this.note({ rule: 'file_present', record: `${split}.jsonl`, detail: 'missing' });
    for await (const line of lines) {
      const { record, findings } = 'broken' in line ? { record: null, findings: [line.broken] } : this.checkRecord(line.value, split);
      const isRecord = !('broken' in line) || line.raw !== null;
      if (isRecord) this.counts[split] += 1;
      const broken = findings.filter(({ rule }) => holdsIn(rule, this.options.mode));
      if (broken.length === 0) {
        if (record !== null) await this.options.keep?.(record, split);
        continue;
      }
      this.recordsInViolation += 1;
      const value = 'broken' in line ? line.raw : line.value;
      const id = idOf(value);
      for (const finding of broken) this.note({ ...finding, record: id ?? `${line.file}:${line.line}` });
      await this.options.setAside?.({ file: line.file, line: line.line, id, violations: broken, record: value });
    }
  }

  private checkRecord(value: unknown, split: Split): { readonly record: ExampleRecord | null; readonly findings: readonly Finding[] } {
    const { mode } = this.options;
    const { record, findings: shape } = checkShape(value, mode);
    if (record === null) return { record, findings: shape };
    const origin = this.book.originOf(record);
    const findings = [
      ...shape,
      ...checkStructure(record),
      ...checkWording(record),
      ...this.book.check(record, split, mode),
      ...this.across.check(record, split, origin),
    ].filter(({ rule }) => holdsIn(rule, mode));
    if (findings.length === 0 || mode === 'release') this.across.add(record, split, origin);
    return { record, findings };
  }

  async readRejected(lines: Lines): Promise<void> {
    if (lines === undefined) return this.note({ rule: 'file_present', record: 'rejected.jsonl', detail: 'missing' });
    for await (const line of lines) {
      const where = `${line.file}:${line.line}`;
      if ('broken' in line) {
        this.note({ ...line.broken, record: where });
        continue;
      }
      this.counts.rejected += 1;
      const parsed = RejectedLine.safeParse(line.value);
      if (!parsed.success)
        this.note({
          rule: 'rejection_has_reason',
          record: idOf(line.value) ?? where,
          detail: parsed.error.issues.map((issue) => `${issue.path.join('.') || 'line'} ${issue.code}`).join(', '),
        });
    }
  }

  finish(input: DatasetInput): ValidationReport {
    const { mode } = this.options;
    if (this.counts.train + this.counts.test === 0) this.note({ rule: 'has_records', record: 'dataset', detail: 'no record was read' });
    if (mode === 'release') for (const violation of this.book.leftOver()) this.note(violation);
    if (input.manifest !== undefined) {
      const facts = { counts: this.counts, pipelineHashes: this.book.pipelineHashes(), hashes: input.manifest.hashes };
      for (const violation of checkManifest(input.manifest.value, facts)) this.note(violation);
    } else if (mode === 'release') this.note({ rule: 'file_present', record: 'manifest.json', detail: 'missing' });
    if (input.card === undefined || !input.card.startsWith('---\n'))
      this.note({ rule: 'card_present', record: 'README.md', detail: 'missing, or without front matter' });
    const { violations, countsByRule, counts, recordsInViolation } = this;
    return { ok: countsByRule.size === 0, mode, counts, recordsInViolation, violations, countsByRule };
  }
}
