import type { Candidate, RowMeasures } from '../schemas/candidate.ts';
import type { SourceConfig } from '../schemas/config.ts';
import type { Domain } from '../schemas/levels.ts';

/** Weight of each stratum of each domain, summing to 1 over a domain; computed once per project and stored. */
export type StratumWeights = Readonly<Record<string, number>>;

/** What stratification needs to know of a screened row. */
export interface StratumMember {
  readonly domain: Domain;
  readonly source: string;
  readonly measures: Pick<RowMeasures, 'topic' | 'complexity'>;
  /** How many rows it stands for; 1 when absent. */
  readonly count?: number;
}

/** Accepted examples of the published 15,000 per source dataset (SPEC §3): the default mix. */
export const PUBLISHED_MIX: Readonly<Partial<Record<SourceConfig['adapter'], number>>> = {
  meddialog: 3793,
  healthcaremagic: 3707,
  ultrachat: 2377,
  oasst1: 470,
  oasst2: 903,
  magicoder: 2771,
  apps: 174,
  stackexchange: 805,
};

/** Wanted share of each complexity class (RULES: 25 / 50 / 25). */
const COMPLEXITY_TARGET: Readonly<Record<RowMeasures['complexity'], number>> = { simple: 0.25, medium: 0.5, complex: 0.25 };

/** A source that is wanted 0 times still stands in the order, behind everything else. */
const NEGLIGIBLE = 1e-6;

/** Name of the stratum of a row: domain × source × topic × complexity. */
export function stratumOf(member: StratumMember): Candidate['stratum'] {
  return [member.domain, member.source, member.measures.topic, member.measures.complexity].join('/');
}

/** Shares of the sources of one domain: quotas where given; the rest by the published mix in the same unit; unknown datasets get the mean of the known. */
export function sourceShares(sources: readonly Pick<SourceConfig, 'name' | 'adapter' | 'quota'>[]): ReadonlyMap<string, number> {
  const mixOf = (adapter: SourceConfig['adapter']): number => {
    const known = sources.flatMap((source) => PUBLISHED_MIX[source.adapter] ?? []);
    const mean = known.length === 0 ? 1 : known.reduce((sum, count) => sum + count, 0) / known.length;
    return PUBLISHED_MIX[adapter] ?? mean;
  };
  const given = sources.filter((source) => source.quota !== undefined && source.quota > 0);
  const quotaSum = given.reduce((sum, source) => sum + (source.quota ?? 0), 0);
  const mixSum = given.reduce((sum, source) => sum + mixOf(source.adapter), 0);
  const unit = mixSum === 0 ? 1 : quotaSum / mixSum;
  const raw = sources.map((source) => Math.max(NEGLIGIBLE, source.quota ?? mixOf(source.adapter) * unit));
  const total = raw.reduce((sum, share) => sum + share, 0);
  return new Map(sources.map((source, at) => [source.name, (raw[at] ?? 0) / total]));
}

function add(map: Map<string, number>, key: string, amount: number): void {
  map.set(key, (map.get(key) ?? 0) + amount);
}

/** Weights of all strata of one domain: source share × √capacity of the topic × complexity target, each over what is there. */
export function stratumWeights(members: Iterable<StratumMember>, shares: ReadonlyMap<string, number>): StratumWeights {
  const counts = new Map<string, { member: StratumMember; count: number }>();
  for (const member of members) {
    const name = stratumOf(member);
    const known = counts.get(name);
    if (known === undefined) counts.set(name, { member, count: member.count ?? 1 });
    else known.count += member.count ?? 1;
  }
  const names = [...counts.keys()].sort();
  const topicCapacity = new Map<string, number>();
  const complexitySum = new Map<string, number>();
  const topicsOf = new Map<string, Set<string>>();
  for (const name of names) {
    const entry = counts.get(name);
    if (entry === undefined) continue;
    const topic = `${entry.member.source}/${entry.member.measures.topic}`;
    add(topicCapacity, topic, entry.count);
    add(complexitySum, topic, COMPLEXITY_TARGET[entry.member.measures.complexity]);
    const topics = topicsOf.get(entry.member.source) ?? new Set<string>();
    topicsOf.set(entry.member.source, topics.add(topic));
  }
  const topicSum = new Map(
    [...topicsOf].map(([source, topics]) => [
      source,
      [...topics].reduce((sum, topic) => sum + Math.sqrt(topicCapacity.get(topic) ?? 0), 0),
    ]),
  );
  const presentShare = [...topicsOf.keys()].sort().reduce((sum, source) => sum + (shares.get(source) ?? 0), 0);
  const weights: Record<string, number> = {};
  for (const name of names) {
    const entry = counts.get(name);
    if (entry === undefined) continue;
    const { source, measures } = entry.member;
    const topic = `${source}/${measures.topic}`;
    const ofSource = (shares.get(source) ?? 0) / (presentShare || 1);
    const ofTopic = Math.sqrt(topicCapacity.get(topic) ?? 0) / (topicSum.get(source) ?? 1);
    const ofComplexity = COMPLEXITY_TARGET[measures.complexity] / (complexitySum.get(topic) ?? 1);
    weights[name] = Math.max(NEGLIGIBLE * NEGLIGIBLE, ofSource * ofTopic * ofComplexity);
  }
  return weights;
}
