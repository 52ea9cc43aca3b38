import { hashOf, seededUniforms, sha256Hex } from '../schemas/hash.ts';
import type { StratumWeights } from './strata.ts';

/** The rows of one domain by number, as far as the order needs to know them; their texts stay elsewhere. */
export interface OrderInput {
  readonly count: number;
  readonly idOf: (member: number) => string;
  readonly scoreOf: (member: number) => number;
  /** By `drawOf`. */
  readonly drawOf: (member: number) => number;
  /** Names of the strata, and which of them a row is in. */
  readonly strata: readonly string[];
  readonly stratumOf: (member: number) => number;
}

/** Neutral id of a candidate and of the example it may become: 16 hexadecimal digits of hash(source dataset, source id). */
export function candidateId(sourceDataset: string, sourceId: string): string {
  return hashOf([sourceDataset, sourceId]).slice(0, 16);
}

/** What a row draws: U from sha256(seed:id). */
export function drawOf(seed: string, id: string): number {
  return seededUniforms(`${seed}:${id}`)();
}

/** Key inside a stratum: −ln(U)/weight, weight = exp(2·clip((score − 60)/40, 0, 1)) (RULES "Strata"). */
function keyInStratum(draw: number, score: number): number {
  return -Math.log(draw + Number.EPSILON) / Math.exp(2 * Math.min(1, Math.max(0, (score - 60) / 40)));
}

/** The members of one stratum in their order, and how far they were taken. */
interface Line {
  readonly members: Uint32Array;
  readonly weight: number;
  taken: number;
  /** Of the first that was not taken. */
  key: number;
}

function linesOf(input: OrderInput, weights: StratumWeights): Line[] {
  const { count, strata, idOf, scoreOf, stratumOf } = input;
  const keys = new Float64Array(count);
  const sizes = new Uint32Array(strata.length);
  for (let member = 0; member < count; member += 1) {
    keys[member] = keyInStratum(input.drawOf(member), scoreOf(member));
    sizes[stratumOf(member)] = (sizes[stratumOf(member)] as number) + 1;
  }
  const lists = Array.from(sizes, (size) => new Uint32Array(size));
  const filled = new Uint32Array(strata.length);
  for (let member = 0; member < count; member += 1) {
    const stratum = stratumOf(member);
    (lists[stratum] as Uint32Array)[filled[stratum] as number] = member;
    filled[stratum] = (filled[stratum] as number) + 1;
  }
  return lists.flatMap((members, stratum): Line[] => {
    if (members.length === 0) return [];
    const weight = weights[strata[stratum] ?? ''] ?? 0;
    if (!(weight > 0)) throw new OrderError(strata[stratum] ?? '');
    members.sort((a, b) => (keys[a] as number) - (keys[b] as number) || (idOf(a) < idOf(b) ? -1 : 1));
    return [{ members, weight, taken: 0, key: 0.5 / weight }];
  });
}

/** Lets the line at `at` sink to its place in a heap of lines, first ones on top. */
function sink(heap: Line[], at: number, isBefore: (a: Line, b: Line) => boolean): void {
  const line = heap[at] as Line;
  let place = at;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Line, heap[child] as Line)) child += 1;
    if (!isBefore(heap[child] as Line, line)) break;
    heap[place] = heap[child] as Line;
    place = child;
  }
  heap[place] = line;
}

/**
 * Order of one domain's rows (DESIGN §4): key = (rank inside the stratum + 0.5) ÷ stratum weight, ties by hash; gives the members in order.
 * It depends on neither target nor input order, and every prefix holds each stratum within one of its share.
 */
export function buildOrder(input: OrderInput, seed: string, weights: StratumWeights): Uint32Array {
  const heap = linesOf(input, weights);
  // Few keys are equal, so few hashes are made.
  const tie = ({ members, taken }: Line): string => sha256Hex(`${seed}:${input.idOf(members[taken] as number)}`);
  const isBefore = (a: Line, b: Line): boolean => a.key < b.key || (a.key === b.key && tie(a) < tie(b));
  for (let at = heap.length >> 1; at >= 0; at -= 1) if (at < heap.length) sink(heap, at, isBefore);
  const order = new Uint32Array(input.count);
  for (let position = 0; position < order.length; position += 1) {
    const first = heap[0] as Line;
    order[position] = first.members[first.taken] as number;
    first.taken += 1;
    first.key = (first.taken + 0.5) / first.weight;
    if (first.taken === first.members.length) {
      const last = heap.pop() as Line;
      if (heap.length > 0 && last !== first) heap[0] = last;
    }
    if (heap.length > 0) sink(heap, 0, isBefore);
  }
  return order;
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
