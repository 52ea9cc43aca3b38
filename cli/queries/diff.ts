import { compareExamples } from '../../metrics/example-change.ts';
import type { ExampleChange, FieldChange } from '../../metrics/example-change.ts';
import type { Store } from '../../store/port.ts';
import { measureExample } from '../../metrics/example-digest.ts';
import type { ExampleDigest } from '../../metrics/example-digest.ts';
import { openSide } from './diff/side.ts';
import type { End, Side, SideCost } from './diff/side.ts';
import { Lengths, LevelCounts, Parts, qaFlips, reasonLines } from './diff/tallies.ts';
import type { LengthLine, LevelMatrix, PartChange, QaFlip, ReasonLine } from './diff/tallies.ts';

/** What is compared: names as typed, and the paths they would be as folders. `details` examples are given text by text. */
export interface DiffArgs {
  readonly before: { readonly name: string; readonly path: string };
  readonly after: { readonly name: string; readonly path: string };
  readonly details: number;
}

/** Facts about one side. */
export interface SideFacts {
  readonly name: string;
  readonly kind: 'build' | 'export';
  readonly runId: string | null;
  readonly pipelineHash: string;
  readonly examples: number;
  /** Rows decided up to the cut-offs, kept ones included. */
  readonly decided: number;
  readonly cost: SideCost | null;
}

/** An example that stands on one side only, and where its row stands on the other. */
export interface OneSided {
  readonly id: string;
  readonly elsewhere: Omit<End, 'covered'> | null;
}

/** A changed example: its size always, its texts among the first `details` only. */
export interface ChangedExample {
  readonly id: string;
  readonly size: number;
  readonly parts: readonly string[];
  readonly changes: readonly FieldChange[] | null;
}

/** What an edit did to the data. */
export interface DiffReport {
  readonly before: SideFacts;
  readonly after: SideFacts;
  readonly unchanged: number;
  readonly changed: readonly ChangedExample[];
  readonly added: readonly OneSided[];
  readonly withdrawn: readonly OneSided[];
  readonly parts: readonly PartChange[];
  readonly levels: LevelMatrix;
  readonly reasons: readonly ReasonLine[];
  readonly lengths: readonly LengthLine[];
  readonly passToFail: readonly QaFlip[];
  readonly failToPass: readonly QaFlip[];
}

/** Pairs of examples held at a time. */
const PAGE = 1000;

function facts(side: Side): SideFacts {
  const { name, kind, runId, pipelineHash, kept, ends, cost } = side;
  const decided = [...ends.values()].filter(({ covered, state }) => covered && state !== 'open').length;
  return { name, kind, runId, pipelineHash, examples: kept.length, decided, cost };
}

function oneSided(ids: readonly string[], other: Side): readonly OneSided[] {
  return ids.map((id) => {
    const end = other.ends.get(id);
    return { id, elsewhere: end === undefined ? null : { state: end.state, step: end.step, reason: end.reason } };
  });
}

function bySize(a: { readonly id: string; readonly size: number }, b: { readonly id: string; readonly size: number }): number {
  return b.size - a.size || (a.id < b.id ? -1 : 1);
}

/** Changed examples, the largest first; texts are held of as many as are asked for, so that memory does not grow with the data. */
class Changed {
  private readonly all: Omit<ChangedExample, 'changes'>[] = [];
  private readonly details: number;
  private detailed: ExampleChange[] = [];

  constructor(details: number) {
    this.details = details;
  }

  take(change: ExampleChange): void {
    if (change.changes.length === 0) return;
    this.all.push({ id: change.id, size: change.size, parts: [...new Set(change.changes.map(({ part }) => part))] });
    this.detailed.push(change);
    if (this.detailed.length > 2 * this.details) this.detailed = this.detailed.sort(bySize).slice(0, this.details);
  }

  lines(): readonly ChangedExample[] {
    const texts = new Map(
      this.detailed
        .sort(bySize)
        .slice(0, this.details)
        .map((change) => [change.id, change.changes]),
    );
    return this.all.sort(bySize).map((line) => ({ ...line, changes: texts.get(line.id) ?? null }));
  }
}

interface Compared {
  readonly changed: Changed;
  readonly lengths: Lengths;
  readonly parts: Parts;
  readonly levels: LevelCounts;
}

/** Ids of examples that must be read on both sides, in the order in which reading them costs least; the others are the same. */
function toRead(before: Side, after: Side, both: readonly string[], takeSame: (digest: ExampleDigest) => void): readonly string[] {
  const differing = new Set<string>();
  for (const id of both) {
    const [a, b] = [before.digests.get(id), after.digests.get(id)];
    if (a !== undefined && a.hash === b?.hash) takeSame(a);
    else differing.add(id);
  }
  const stored = [...before.digests.keys()].filter((id) => differing.delete(id));
  return [...stored, ...differing];
}

async function compareBoth(before: Side, after: Side, both: readonly string[], details: number): Promise<Compared> {
  const [lengths, parts, changed, levels] = [new Lengths(), new Parts(), new Changed(details), new LevelCounts()];
  const ids = toRead(before, after, both, (digest) => {
    lengths.take('before', digest);
    lengths.take('after', digest);
    levels.takeSame(digest.levels);
  });
  for (let at = 0; at < ids.length; at += PAGE) {
    const page = ids.slice(at, at + PAGE);
    const old = await before.read(page);
    const now = new Map((await after.read(page)).map((record) => [record.id, record]));
    for (const record of old) {
      const other = now.get(record.id);
      if (other === undefined) throw new Error(`${after.name} keeps ${record.id} and holds no text of it`);
      lengths.take('before', before.digests.get(record.id) ?? measureExample(record));
      lengths.take('after', after.digests.get(record.id) ?? measureExample(other));
      const change = compareExamples(record, other);
      parts.take(change);
      levels.take(change.levels);
      changed.take(change);
    }
  }
  return { changed, lengths, parts, levels };
}

async function measureRest(side: Side, which: 'before' | 'after', ids: readonly string[], lengths: Lengths): Promise<void> {
  const unknown: string[] = [];
  for (const id of ids) {
    const digest = side.digests.get(id);
    if (digest === undefined) unknown.push(id);
    else lengths.take(which, digest);
  }
  for (let at = 0; at < unknown.length; at += PAGE)
    for (const record of await side.read(unknown.slice(at, at + PAGE))) lengths.take(which, measureExample(record));
}

/** Compares two builds or exports example by example. `store` is null when both sides are folders. */
export async function readDiff(store: Store | null, args: DiffArgs): Promise<DiffReport> {
  const before = await openSide(store, args.before.name, args.before.path);
  const after = await openSide(store, args.after.name, args.after.path);
  const [keptBefore, keptAfter] = [new Set(before.kept), new Set(after.kept)];
  const both = before.kept.filter((id) => keptAfter.has(id));
  const { changed, lengths, parts, levels } = await compareBoth(before, after, both, args.details);
  const withdrawn = before.kept.filter((id) => !keptAfter.has(id));
  const added = after.kept.filter((id) => !keptBefore.has(id));
  await measureRest(before, 'before', withdrawn, lengths);
  await measureRest(after, 'after', added, lengths);
  const lines = changed.lines();
  return {
    before: facts(before),
    after: facts(after),
    unchanged: both.length - lines.length,
    changed: lines,
    added: oneSided(added, before),
    withdrawn: oneSided(withdrawn, after),
    parts: parts.lines(),
    levels: levels.lines(),
    reasons: reasonLines(before, after),
    lengths: lengths.lines(),
    passToFail: qaFlips(before, after),
    failToPass: qaFlips(after, before),
  };
}
