import type { RowMeasures } from '../schemas/candidate.ts';
import { hashOf, seededUniforms, sha256Hex } from '../schemas/hash.ts';
import type { Domain } from '../schemas/levels.ts';
import { stratumOf, type StratumMember, type StratumWeights } from './strata.ts';

/** What the order needs to know of a screened row; its text stays elsewhere. */
export interface OrderMember extends StratumMember {
  readonly id: string;
  readonly measures: RowMeasures;
}

/** A row's place in the order of its domain; `member` is its number in the input. */
export interface OrderedMember {
  readonly member: number;
  readonly position: number;
  readonly stratum: string;
}

/** Neutral id of a candidate and of the example it may become: 16 hexadecimal digits of hash(source dataset, source id). */
export function candidateId(sourceDataset: string, sourceId: string): string {
  return hashOf([sourceDataset, sourceId]).slice(0, 16);
}

/** Key inside a stratum: −ln(U)/weight, U from sha256(seed:id), weight = exp(2·clip((score − 60)/40, 0, 1)) (RULES "Strata"). */
function keyInStratum(seed: string, id: string, score: number): number {
  const uniform = seededUniforms(`${seed}:${id}`)();
  return -Math.log(uniform + Number.EPSILON) / Math.exp(2 * Math.min(1, Math.max(0, (score - 60) / 40)));
}

/**
 * Order of one domain's rows (DESIGN §4): key = (rank inside the stratum + 0.5) ÷ stratum weight, ties by hash.
 * It depends on neither target nor input order, and every prefix holds each stratum within one of its share.
 */
export function buildOrder(
  members: readonly OrderMember[],
  domain: Domain,
  seed: string,
  weights: StratumWeights,
): readonly OrderedMember[] {
  const strata = new Map<string, { member: number; key: number; id: string }[]>();
  members.forEach((item, member) => {
    if (item.domain !== domain) return;
    const stratum = stratumOf(item);
    const list = strata.get(stratum) ?? [];
    if (list.length === 0) strata.set(stratum, list);
    list.push({ member, key: keyInStratum(seed, item.id, item.measures.qualityScore), id: item.id });
  });
  const keyed: { readonly member: number; readonly stratum: string; readonly key: number; readonly id: string }[] = [];
  for (const [stratum, list] of strata) {
    const weight = weights[stratum];
    if (weight === undefined || !(weight > 0)) throw new OrderError(stratum);
    list.sort((a, b) => a.key - b.key || (a.id < b.id ? -1 : 1));
    list.forEach(({ member, id }, rank) => keyed.push({ member, stratum, key: (rank + 0.5) / weight, id }));
  }
  // Few keys are equal, so few hashes are made.
  const tie = ({ id }: { readonly id: string }): string => sha256Hex(`${seed}:${id}`);
  keyed.sort((a, b) => a.key - b.key || (tie(a) < tie(b) ? -1 : 1));
  return keyed.map(({ member, stratum }, position) => ({ member, position, stratum }));
}

/** A stratum without a weight: the caller must complete stored weights before ordering. */
export class OrderError extends Error {
  override readonly name = 'OrderError';
  readonly code = 'stratum_without_weight';
  readonly stratum: string;

  constructor(stratum: string) {
    super(`The stratum ${stratum} has no weight; run \`memcalib plan --restratify\` to compute the weights again.`);
    this.stratum = stratum;
  }
}
