import { hashOf } from '../schemas/hash.ts';
import { STEPS } from '../schemas/steps.ts';
import type { Flag } from '../schemas/workpiece.ts';
import type { Database } from './duckdb.ts';
import type { KeyIndex } from './key-index.ts';
import { rowsByNumber } from './number-ranges.ts';
import type { StepOutputRow } from './port.ts';
import { number, oneOf, text, textOrNull, type ResultRow } from './rows.ts';
import { defineTable, insertInto } from './table.ts';
import type { TextRepairs } from './text.ts';

const STEP_OUTPUTS = defineTable('step_outputs', {
  no: 'int',
  key: 'text',
  candidate_id: 'text',
  step: 'text',
  step_version: 'text',
  input_hash: 'text',
  verdict: 'text',
  reason: 'text',
  detail: 'text',
  output: 'text',
  flags: 'text',
  call_keys: 'text',
  run_id: 'text',
  at_ms: 'long',
});

/** What a verdict is stored under. */
export type VerdictName = Pick<StepOutputRow, 'candidateId' | 'step' | 'stepVersion' | 'inputHash'>;

/** Verdicts of steps: the first stored under a name wins, look-ups go through an index in memory. */
export class Verdicts {
  private readonly database: Database;
  private readonly index: () => Promise<KeyIndex>;
  private readonly repairs: TextRepairs;
  private readonly nextNo: () => number;

  constructor(database: Database, index: () => Promise<KeyIndex>, repairs: TextRepairs, nextNo: () => number) {
    this.database = database;
    this.index = index;
    this.repairs = repairs;
    this.nextNo = nextNo;
  }

  /** Stored verdicts of the asked names, in the order asked; names without any cost no query. */
  async read(wanted: readonly VerdictName[]): Promise<readonly StepOutputRow[]> {
    const index = await this.index();
    const numbers = wanted.flatMap((name) => index.get(verdictKey(name)) ?? []);
    const rows = await rowsByNumber(this.database, 'step_outputs', 'no', '*', numbers);
    const byNumber = new Map(rows.map((row) => [number(row, 'no'), row]));
    return numbers.flatMap((no) => {
      const row = byNumber.get(no);
      return row === undefined ? [] : [stepOutput(row)];
    });
  }

  /** Stores verdicts; one that stands already is left as it is. */
  async write(outputs: readonly StepOutputRow[]): Promise<void> {
    const index = await this.index();
    const fresh = new Map<string, StepOutputRow>();
    for (const output of outputs) {
      const key = verdictKey(output);
      if (index.get(key) === undefined && !fresh.has(key)) fresh.set(key, output);
    }
    const rows = [...fresh].map(([key, output]) => stepOutputRow(output, key, this.nextNo()));
    await this.database.write([insertInto(STEP_OUTPUTS, rows, this.repairs)]);
    // Two writers may have queued the same name at once: the lower number was first.
    for (const { key, no } of rows) index.set(key, Math.min(no, index.get(key) ?? no));
  }
}

/** The short key of a verdict's name: what outcomes keep of the steps they passed. */
export function verdictKey({ candidateId, step, stepVersion, inputHash }: VerdictName): string {
  return hashOf([candidateId, step, stepVersion, inputHash]).slice(0, 32);
}

function stepOutputRow(output: StepOutputRow, key: string, no: number) {
  return {
    no,
    key,
    candidate_id: output.candidateId,
    step: output.step,
    step_version: output.stepVersion,
    input_hash: output.inputHash,
    verdict: output.verdict,
    reason: output.reason,
    detail: output.detail,
    output: output.output,
    flags: JSON.stringify(output.flags),
    call_keys: JSON.stringify(output.callKeys),
    run_id: output.runId,
    at_ms: output.at,
  };
}

/** A verdict as read from its table. */
export function stepOutput(row: ResultRow): StepOutputRow {
  return { ...narrowStepOutput(row), output: textOrNull(row, 'output') };
}

/** A verdict without its text. */
export function narrowStepOutput(row: ResultRow): Omit<StepOutputRow, 'output'> {
  return {
    candidateId: text(row, 'candidate_id'),
    step: oneOf(row, 'step', STEPS),
    stepVersion: text(row, 'step_version'),
    inputHash: text(row, 'input_hash'),
    verdict: oneOf(row, 'verdict', ['accepted', 'rejected']),
    reason: textOrNull(row, 'reason'),
    detail: textOrNull(row, 'detail'),
    flags: JSON.parse(text(row, 'flags')) as Flag[],
    callKeys: JSON.parse(text(row, 'call_keys')) as string[],
    runId: text(row, 'run_id'),
    at: number(row, 'at_ms'),
  };
}
