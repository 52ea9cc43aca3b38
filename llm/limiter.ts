import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { Lane } from './lane.ts';
import type { LaneLimits, LaneStats } from './lane.ts';

/** All limits of a process: one lane per provider × model, shared by every run and role. */
export interface Limiter {
  lane(provider: string, model: string, limits: LaneLimits): Lane;
  stats(): readonly (LaneStats & { readonly provider: string; readonly model: string })[];
  /** Lets go of blocks after a person resumed. */
  unblock(): void;
}

/** Makes the one limiter of a process; the first limits named for a provider × model hold. */
export function createLimiter(clock: Clock = systemClock): Limiter {
  const lanes = new Map<string, { readonly provider: string; readonly model: string; readonly lane: Lane }>();
  return {
    lane(provider, model, limits) {
      const name = JSON.stringify([provider, model]);
      const known = lanes.get(name);
      if (known !== undefined) return known.lane;
      const lane = new Lane(clock, limits);
      lanes.set(name, { provider, model, lane });
      return lane;
    },
    stats: () => [...lanes.values()].map(({ provider, model, lane }) => ({ provider, model, ...lane.stats() })),
    unblock: () => {
      for (const { lane } of lanes.values()) lane.unblock();
    },
  };
}
