import { domainSize, outcomePages } from '../../activities/fold-stored.ts';
import { readSpec } from '../../activities/read-spec.ts';
import { largestRemainder } from '../../datasets/largest-remainder.ts';
import type { StratumWeights } from '../../datasets/strata.ts';
import { sha256Hex } from '../../schemas/hash.ts';
import { DOMAINS, type Domain } from '../../schemas/levels.ts';
import type { Store } from '../../store/port.ts';
import { foldOf } from './fold-cache.ts';
import { latestRunFact } from './latest-run.ts';

/** A stratum (domain/source/topic/complexity) of a dry domain: its share of the target, what was kept, and what is missing. */
export interface StratumShortfall {
  readonly stratum: string;
  readonly wanted: number;
  readonly kept: number;
  readonly missing: number;
}

/** A domain whose sources ended before its target; `kept` is exact: what an export holds. */
export interface DomainShortfall {
  readonly domain: Domain;
  readonly target: number;
  readonly kept: number;
  readonly missing: number;
  /** Strata below their share, the largest gap first. Others may stand above theirs, since a dry stratum gives its share away. */
  readonly strata: readonly StratumShortfall[];
}

async function keptByStratum(
  store: Store,
  run: { readonly orderId: string; readonly pipelineHash: string },
  domain: Domain,
  kept: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const page of outcomePages(store, run, domain, await domainSize(store, run.orderId, domain)))
    for (const item of page) if (kept.has(item.candidateId)) counts.set(item.stratum, (counts.get(item.stratum) ?? 0) + 1);
  return counts;
}

/** What the latest build of a label lacks of its targets, by domain and stratum, from the acceptance fold. Domains that are met are left out. */
export async function readShortfall(store: Store, args: { readonly label: string }): Promise<readonly DomainShortfall[]> {
  const runId = await store.fact(latestRunFact(args.label));
  const run = runId === null ? null : await store.run(runId);
  const order = run === null ? null : await store.order(run.orderId);
  if (runId === null || run === null || order === null) return [];
  const spec = await readSpec(store, runId);
  const { config } = spec;
  const { weights } = JSON.parse(order.facts) as { readonly weights: StratumWeights };
  const fold = await foldOf(store, { run, spec });
  const short: DomainShortfall[] = [];
  for (const domain of DOMAINS) {
    const target = config.target[domain];
    const kept = fold.domains[domain].kept.length;
    if (kept >= target) continue;
    const counts = await keptByStratum(store, run, domain, new Set(fold.domains[domain].kept));
    const names = Object.keys(weights)
      .filter((name) => name.startsWith(`${domain}/`))
      .sort();
    const shares =
      names.length === 0
        ? []
        : largestRemainder(
            target,
            names.map((name) => weights[name] ?? 0),
            (at) => sha256Hex(names[at] ?? ''),
          );
    const strata = names
      .map((stratum, at) => ({ stratum, wanted: shares[at] ?? 0, kept: counts.get(stratum) ?? 0 }))
      .map((item) => ({ ...item, missing: Math.max(0, item.wanted - item.kept) }))
      .filter((item) => item.missing > 0)
      .sort((a, b) => b.missing - a.missing || (a.stratum < b.stratum ? -1 : 1));
    short.push({ domain, target, kept, missing: target - kept, strata });
  }
  return short;
}
