import { pickAt } from '../draw.ts';
import { ADJECTIVES } from './frames.ts';
import type { FrameSet, FrameTime } from './frames.ts';
import type { Measured } from './measured.ts';
import { MANNERS, NAMES, NAMES_OF_PEOPLE, NUMBERS, PLACES, PURPOSES, TIMES, TOWNS } from './modifiers.ts';

/** What a sentence has to come to. */
export interface Shape {
  readonly words: number;
  readonly holds: 'number' | 'name' | 'neither';
  /** How many digits a number phrase should have, 1 to 4. */
  readonly digits: 1 | 2 | 3 | 4;
}

/** The parts a sentence is made of. */
export interface Parts {
  readonly subjects: readonly Measured[];
  readonly frames: FrameSet;
  readonly nouns: readonly Measured[];
}

/** One order of the adverbial categories, with what the rest of it can come to in words. */
interface Plan {
  readonly categories: readonly (readonly Measured[])[];
  readonly reach: readonly ReadonlySet<number>[];
}

function planOf(categories: readonly (readonly Measured[])[]): Plan {
  const reach: Set<number>[] = [new Set([0])];
  for (const category of [...categories].reverse()) {
    const after = reach[0] ?? new Set([0]);
    const here = new Set(after);
    for (const { words } of category) for (const sum of after) here.add(sum + words);
    reach.unshift(here);
  }
  return { categories, reach };
}

function plansFor(time: FrameTime): readonly Plan[] {
  const when = TIMES[time];
  return [
    [PLACES, when, PURPOSES, MANNERS],
    [when, PLACES, MANNERS, PURPOSES],
    [MANNERS, PLACES, PURPOSES, when],
    [PLACES, MANNERS, when, PURPOSES],
    [MANNERS, when, PLACES, PURPOSES],
    [when, MANNERS, PURPOSES, PLACES],
  ].map(planOf);
}

const PLANS: Readonly<Record<FrameTime, readonly Plan[]>> = {
  habit: plansFor('habit'),
  past: plansFor('past'),
  state: plansFor('state'),
  plan: plansFor('plan'),
};

/** Fills the blanks of a number or name phrase. */
function filled(phrase: string, uniform: () => number): string {
  return phrase
    .replace('{1}', () => String(2 + Math.floor(uniform() * 8)))
    .replace('{2}', () => String(11 + Math.floor(uniform() * 88)))
    .replace('{3}', () => String(101 + Math.floor(uniform() * 880)))
    .replace('{4}', () => String(1951 + Math.floor(uniform() * 66)))
    .replace('{town}', () => pickAt(TOWNS, uniform()))
    .replace('{name}', () => pickAt(NAMES_OF_PEOPLE, uniform()));
}

/** One phrase a category at most, with exactly `total` words in all; the plan must be able to reach it. */
function choose(plan: Plan, total: number, uniform: () => number): readonly string[] {
  const out: string[] = [];
  let left = total;
  for (const [at, category] of plan.categories.entries()) {
    const after = plan.reach[at + 1];
    const options = category.filter(({ words }) => after?.has(left - words) === true);
    if (options.length === 0 || (after?.has(left) === true && uniform() < 0.3)) continue;
    const phrase = pickAt(options, uniform());
    out.push(phrase.text);
    left -= phrase.words;
  }
  return out;
}

function article(noun: string): string {
  return /^(?:[aeiou]|honest|hour)/i.test(noun) && !/^(?:use|uni|one|uku)/i.test(noun) ? 'an' : 'a';
}

/** Prime, so that it visits every pair of any table shorter than itself. */
const STRIDE = 7919;

interface Core {
  readonly frame: string;
  readonly noun: string;
  readonly left: number;
}

/** A frame and a noun that leave a number of words the adverbials can fill: the first fitting pair from a drawn place on. */
function coreAt(parts: Parts, room: number, reach: ReadonlySet<number> | undefined, uniform: number): Core | null {
  const total = parts.frames.frames.length * parts.nouns.length;
  const start = Math.floor(uniform * total);
  for (let step = 0; step < total; step += 1) {
    const at = (start + step * STRIDE) % total;
    const frame = parts.frames.frames[at % parts.frames.frames.length];
    const noun = parts.nouns[Math.floor(at / parts.frames.frames.length)];
    if (frame === undefined || noun === undefined) continue;
    const left = room - frame.words - noun.words - 1;
    if (reach?.has(left) === true) return { frame: frame.text, noun: noun.text, left };
  }
  return null;
}

/** A sentence of exactly the wanted number of words, or null when these parts cannot come to it. */
export function compose(parts: Parts, shape: Shape, uniform: () => number): string | null {
  const plan = pickAt(PLANS[parts.frames.time], uniform());
  const musts = shape.holds === 'number' ? NUMBERS[shape.digits] : shape.holds === 'name' ? NAMES : null;
  const subject = pickAt(parts.subjects, uniform());
  const slack = shape.words - subject.words;
  const must = musts === null ? null : pickAt(slack < 9 ? musts.filter(({ words }) => words <= 3) : musts, uniform());
  const room = slack - (must?.words ?? 0);
  const core = coreAt(parts, room, plan.reach[0], uniform());
  if (core === null) return null;
  const { frame, noun, left } = core;
  const adjective =
    left > 0 && plan.reach[0]?.has(left - 1) === true && uniform() < 0.7 ? pickAt(ADJECTIVES.slice(0, 30), uniform()) : null;
  const adjectiveWords = adjective === null ? 0 : 1;
  const rest = plan.reach[0]?.has(left - adjectiveWords) === true ? left - adjectiveWords : left;
  const thing = rest === left || adjective === null ? noun : `${adjective} ${noun}`;
  const said = `${subject.text} ${frame.replace('{thing}', () => `${article(thing)} ${thing}`)}`;
  const added = choose(plan, rest, uniform);
  return filled(`${[said, ...(must === null ? [] : [must.text]), ...added].join(' ')}.`, uniform);
}
