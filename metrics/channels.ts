import { LEVELS, type Level } from '../schemas/levels.ts';
import type { AtomUse } from './response-scores.ts';

/** The nine channels, ideal level first, in the order of SPEC §1. */
export const CHANNELS = ['AA', 'AB', 'AC', 'BA', 'BB', 'BC', 'CA', 'CB', 'CC'] as const;
export type Channel = (typeof CHANNELS)[number];

/** How a channel is printed: `A+` for AA, `AB-` for AB. */
export function channelLabel(channel: Channel): string {
  return channel[0] === channel[1] ? `${channel[0]}+` : `${channel}-`;
}

/** Atoms per channel, pooled over the given responses. */
export function channelCounts(responses: readonly (readonly AtomUse[])[]): Readonly<Record<Channel, number>> {
  const counts = Object.fromEntries(CHANNELS.map((channel) => [channel, 0])) as Record<Channel, number>;
  for (const { ideal, actual } of responses.flat()) counts[`${ideal}${actual}`] += 1;
  return counts;
}

function atomsOf(counts: Readonly<Record<Channel, number>>, ideal: Level): number {
  return LEVELS.reduce((sum, actual) => sum + counts[`${ideal}${actual}`], 0);
}

/** Each channel in percent of the atoms of its ideal level; null where there is no such atom. */
export function channelPercentages(counts: Readonly<Record<Channel, number>>): Readonly<Record<Channel, number | null>> {
  const share = (channel: Channel): number | null => {
    const atoms = atomsOf(counts, channel[0] as Level);
    return atoms === 0 ? null : (100 * counts[channel]) / atoms;
  };
  return Object.fromEntries(CHANNELS.map((channel) => [channel, share(channel)])) as Record<Channel, number | null>;
}

/** Mean of the right shares of the three ideal levels, in percent, over the levels that occur; null without atoms. */
export function macroAccuracy(counts: Readonly<Record<Channel, number>>): number | null {
  const percentages = channelPercentages(counts);
  const shares = [percentages.AA, percentages.BB, percentages.CC].filter((share) => share !== null);
  return shares.length === 0 ? null : shares.reduce((a, b) => a + b, 0) / shares.length;
}

/** Share of atoms used at their ideal level, in percent; null without atoms. */
export function microAccuracy(counts: Readonly<Record<Channel, number>>): number | null {
  const atoms = LEVELS.reduce((sum, ideal) => sum + atomsOf(counts, ideal), 0);
  return atoms === 0 ? null : (100 * (counts.AA + counts.BB + counts.CC)) / atoms;
}
