import type { Action, Level } from '../schemas/levels.ts';
import type { ExampleRecord, RejectedLine } from '../schemas/record.ts';
import type { Split } from './invariants/across-records.ts';

/** How often something occurs, by name, in name order once taken. */
export type Tally = Readonly<Record<string, number>>;

/** What an export holds, counted while it is written: the figures of the card and the manifest. */
export interface ExportCounts {
  readonly records: Readonly<Record<Split, number>>;
  readonly atoms: number;
  readonly blocks: number;
  readonly rejected: number;
  readonly byDomain: Tally;
  readonly bySource: Tally;
  readonly byLicence: Tally;
  readonly byLevel: Readonly<Record<Level, number>>;
  readonly byAction: Readonly<Record<Action, number>>;
  /** Atoms per domain and level, keys `domain level`. */
  readonly byDomainAndLevel: Tally;
  /** Rejections, keys `step\treason`. */
  readonly byRejection: Tally;
}

/** Counts records and rejections as they pass by; keeps tallies only. */
export class ExportCounter {
  private readonly records = { train: 0, test: 0 };
  private readonly byLevel = { A: 0, B: 0, C: 0 };
  private readonly byAction = { ignore: 0, apply: 0, correct: 0 };
  private readonly tallies = {
    byDomain: new Map<string, number>(),
    bySource: new Map<string, number>(),
    byLicence: new Map<string, number>(),
    byDomainAndLevel: new Map<string, number>(),
    byRejection: new Map<string, number>(),
  };
  private blocks = 0;
  private rejected = 0;

  addRecord(split: Split, record: ExampleRecord): void {
    this.records[split] += 1;
    this.blocks += record.memory_blocks.length;
    this.add('byDomain', record.domain);
    this.add('bySource', record.source_dataset ?? 'unknown');
    this.add('byLicence', record.source_license ?? 'unknown');
    for (const atom of record.memories) {
      this.byLevel[atom.u_star] += 1;
      this.byAction[atom.memory_action] += 1;
      this.add('byDomainAndLevel', `${record.domain} ${atom.u_star}`);
    }
  }

  addRejected(line: RejectedLine): void {
    this.rejected += 1;
    this.add('byRejection', `${line.step}\t${line.reason}`);
  }

  private add(tally: keyof ExportCounter['tallies'], name: string): void {
    const counts = this.tallies[tally];
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  counts(): ExportCounts {
    const sorted = (tally: keyof ExportCounter['tallies']): Tally =>
      Object.fromEntries([...this.tallies[tally]].sort(([a], [b]) => (a < b ? -1 : 1)));
    return {
      records: { ...this.records },
      atoms: this.byLevel.A + this.byLevel.B + this.byLevel.C,
      blocks: this.blocks,
      rejected: this.rejected,
      byDomain: sorted('byDomain'),
      bySource: sorted('bySource'),
      byLicence: sorted('byLicence'),
      byLevel: { ...this.byLevel },
      byAction: { ...this.byAction },
      byDomainAndLevel: sorted('byDomainAndLevel'),
      byRejection: sorted('byRejection'),
    };
  }
}
