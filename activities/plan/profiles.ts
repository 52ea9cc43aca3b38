import { STEPS } from '../../schemas/steps.ts';
import { needsOf } from '../../stages/plan/profile.ts';
import type { Known } from '../../stages/plan/profile.ts';
import type { CandidatePlan } from './candidate-plan.ts';
import type { Past } from './walk.ts';
import type { World } from './world.ts';

/** What is known of a candidate and what follows for its steps. */
export type Profile = Known & Pick<CandidatePlan, 'needs'>;

function hadOf(world: World, past: Past | null): Pick<Known, 'had' | 'changed' | 'rejectedAt'> {
  if (past === null) return { had: new Set(), changed: new Set(), rejectedAt: null };
  const had = new Set(STEPS.slice(0, past.trail.keys.length));
  const parts = past.baseline.parts;
  const changed = new Set(STEPS.filter((step) => parts === null || parts.steps[step] !== world.steps.get(step)?.version));
  return { had, changed, rejectedAt: past.trail.status === 'rejected' ? past.trail.step : null };
}

/** Profiles of one plan. Thousands of candidates share a few dozen, so each is made once and handed out again. */
export class Profiles {
  private readonly world: World;
  private readonly made = new Map<string, Profile>();

  constructor(world: World) {
    this.world = world;
  }

  /** The profile of a candidate that settled so far and must ask `first` next (null: nothing). */
  of(past: Past | null, settled: Known['settled'], first: Known['first']): Profile {
    const name = [
      past === null ? '' : `${past.baseline.hash} ${past.trail.keys.length} ${past.trail.status} ${past.trail.step}`,
      settled.map(({ step, need }) => `${step} ${need}`).join(),
      first ?? '',
    ].join('|');
    const known = this.made.get(name);
    if (known !== undefined) return known;
    const fresh: Known = { settled, first, ...hadOf(this.world, past) };
    const profile = { ...fresh, needs: needsOf(fresh) };
    this.made.set(name, profile);
    return profile;
  }
}
