import type { Domain } from '../../schemas/levels.ts';
import type { SourceRow } from '../../schemas/source-row.ts';
import type { RowPlace, TracedOutcome } from '../../store/lineage-port.ts';
import type { Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { foldOf } from './fold-cache.ts';
import { runOfLabel } from './run-of.ts';
import type { KnownRun } from './run-of.ts';
import type { AtomPassport } from './why/atom.ts';
import { fateOf } from './why/fate.ts';
import type { Fate } from './why/fate.ts';
import { findRow, rowChanges } from './why/find-row.ts';
import type { FoundRow, RowChange } from './why/find-row.ts';
import { readWay } from './why/step-history.ts';
import type { EarlierVerdict, StepPassport } from './why/step-history.ts';

/** The source row behind an id, at its pinned revision. */
export interface SourcePassport {
  readonly source: string;
  readonly dataset: string;
  readonly sourceId: string;
  readonly revision: string | null;
  readonly license: string | null;
  readonly attribution: string | null;
  readonly file: string;
  readonly row: number;
  readonly domain: Domain | null;
  readonly position: number | null;
  readonly stratum: string | null;
  readonly topic: string | null;
  readonly complexity: string | null;
  readonly qualityScore: number | null;
  readonly changes: readonly RowChange[];
}

/** Sums over the calls that led to where a candidate stands. */
export interface CallTotals {
  readonly calls: number;
  readonly attempts: number;
  readonly repairs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly microUsd: number;
  readonly unknownCosts: number;
}

/** Everything `why` knows of an example, an atom or a source row. */
export interface WhyReport {
  readonly id: string;
  readonly label: string;
  readonly runId: string;
  readonly pipelineHash: string;
  readonly fate: Fate;
  readonly source: SourcePassport;
  readonly steps: readonly StepPassport[];
  readonly totals: CallTotals;
  readonly earlier: readonly EarlierVerdict[];
  readonly reviews: readonly { readonly step: string; readonly reviewer: string; readonly model: string; readonly verdict: string }[];
  readonly releases: readonly { readonly id: string; readonly folder: string; readonly at: number; readonly split: string }[];
  readonly atom: AtomPassport | null;
}

function sourcePassport(row: SourceRow, place: RowPlace | null, changes: readonly RowChange[]): SourcePassport {
  const candidate = place?.candidate ?? null;
  return {
    source: row.source,
    dataset: row.sourceDataset,
    sourceId: row.sourceId,
    revision: row.sourceRevision,
    license: row.sourceLicense,
    attribution: row.attribution,
    file: row.origin.file,
    row: row.origin.row,
    domain: row.domain,
    position: candidate?.position ?? null,
    stratum: candidate?.stratum ?? null,
    topic: candidate?.measures.topic ?? null,
    complexity: candidate?.measures.complexity ?? null,
    qualityScore: candidate?.measures.qualityScore ?? null,
    changes,
  };
}

function totalsOf(steps: readonly StepPassport[]): CallTotals {
  const calls = steps.flatMap((step) => step.calls);
  const sum = (value: (call: (typeof calls)[number]) => number): number => calls.reduce((total, call) => total + value(call), 0);
  return {
    calls: calls.length,
    attempts: sum((call) => call.attempts.length),
    repairs: calls.filter((call) => call.turn === 'repair').length,
    inputTokens: sum((call) => call.freshInput + call.cachedInput),
    outputTokens: sum((call) => call.output),
    microUsd: sum((call) => call.microUsd),
    unknownCosts: sum((call) => call.unknownCosts),
  };
}

function reviewsOf(steps: readonly StepPassport[]): WhyReport['reviews'] {
  return steps
    .filter(({ step }) => step === 'review-fidelity' || step === 'review-calibration')
    .flatMap(({ step, verdict, reason, detail, calls }) =>
      ['reviewerA', 'reviewerB'].flatMap((reviewer) => {
        const call = calls.findLast((item) => item.role === reviewer);
        if (call === undefined) return [];
        const named = detail?.startsWith(reviewer) === true;
        const said = verdict === 'accepted' ? 'approves' : named ? `rejects: ${reason ?? ''} (${detail ?? ''})` : 'does not decide it';
        return [{ step, reviewer, model: `${call.provider}/${call.model}`, verdict: said }];
      }),
    );
}

async function releasesOf(store: Store, id: string): Promise<WhyReport['releases']> {
  const [members, releases] = await Promise.all([store.lineage.releasesOf(id), store.releases()]);
  return members.flatMap(({ releaseId, split }) => {
    const release = releases.find((item) => item.id === releaseId);
    return release === undefined ? [] : [{ id: releaseId, folder: release.folder, at: release.at, split }];
  });
}

function setAside(known: KnownRun, label: string, found: Extract<FoundRow, { kind: 'set_aside' }>): WhyReport {
  const { rejection, inThisOrder } = found;
  const where = `${rejection.origin.file} row ${rejection.origin.row}`;
  return {
    id: rejection.sourceId,
    label,
    runId: known.run.id,
    pipelineHash: known.run.pipelineHash,
    fate: {
      state: 'set_aside',
      step: 'eligibility',
      reason: rejection.reason,
      sentence: `The row (${where}) was set aside before any model saw it: ${rejection.reason}. ${rejection.detail}`,
      next: inThisOrder
        ? 'A mended row, or another rule in `screening` of the config, brings it back at the next build.'
        : 'The sources of this build no longer hold it.',
    },
    source: {
      source: rejection.source,
      dataset: rejection.sourceDataset,
      sourceId: rejection.sourceId,
      revision: null,
      license: null,
      attribution: null,
      file: rejection.origin.file,
      row: rejection.origin.row,
      domain: null,
      position: null,
      stratum: null,
      topic: null,
      complexity: null,
      qualityScore: null,
      changes: [],
    },
    steps: [],
    totals: totalsOf([]),
    earlier: [],
    reviews: [],
    releases: [],
    atom: null,
  };
}

/** A row that the sources held once and hold no longer: its examples go with it. */
function withdrawn(last: RowPlace): Fate {
  return {
    state: 'withdrawn',
    step: null,
    reason: null,
    sentence: `The sources no longer hold its row (last seen ${new Date(last.createdAt).toISOString().slice(0, 10)}), so its example is withdrawn.`,
    next: 'Put the row back into its source: what was made of it is stored and is not asked again.',
  };
}

async function atomOf(
  store: Store,
  known: KnownRun,
  place: RowPlace,
  outcome: TracedOutcome | null,
  atomId: string,
): Promise<AtomPassport> {
  const { atomPassport, workpieceOf } = await import('./why/atom.ts');
  const trail = new Set(outcome?.trail ?? []);
  const all = await store.lineage.stepOutputs(place.candidate.id);
  const atom = atomPassport(
    workpieceOf(
      known.spec.config.seed,
      place,
      all.filter(({ key }) => trail.has(key)),
    ),
    atomId,
  );
  if (atom !== null) return atom;
  throw new CliError(
    `Example ${place.candidate.id} has no atom ${atomId}. Type \`memcalib show ${place.candidate.id} --hidden\` to see its atoms.`,
    EXIT.usage,
  );
}

/** The passport of an example, an atom or a source row in the latest build of a label. */
export async function readWhy(store: Store, args: { readonly label: string; readonly id: string }): Promise<WhyReport> {
  const known = await runOfLabel(store, args.label);
  const { run } = known;
  const found = await findRow(store, run.orderId, args.id);
  if (found.kind === 'set_aside') return setAside(known, args.label, found);
  const place = found.now ?? found.places.at(-1);
  if (place === undefined) throw new CliError(`No order holds ${args.id}.`, EXIT.usage);
  const { id } = place.candidate;
  const outcome =
    (await store.lineage.outcomes(id)).findLast((item) => item.pipelineHash === run.pipelineHash && item.rowHash === place.rowHash) ?? null;
  const [way, releases] = await Promise.all([readWay(store, known, id, outcome), releasesOf(store, id)]);
  const fate =
    found.now === null
      ? withdrawn(place)
      : await fateOf({ store, known, fold: await foldOf(store, known), stored: place, outcome, hasBegun: way.steps.length > 0 });
  return {
    id: found.atomId === null ? id : `${id}/${found.atomId}`,
    label: args.label,
    runId: run.id,
    pipelineHash: run.pipelineHash,
    fate,
    source: sourcePassport(place.candidate.row, found.now, rowChanges(found.places)),
    steps: way.steps,
    totals: totalsOf(way.steps),
    earlier: way.earlier,
    reviews: reviewsOf(way.steps),
    releases,
    atom: found.atomId === null ? null : await atomOf(store, known, place, outcome, found.atomId),
  };
}
