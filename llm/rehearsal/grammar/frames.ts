import { list } from './measured.ts';
import type { Measured } from './measured.ts';

/** When the facts of a frame hold: decides which times can be added. */
export type FrameTime = 'habit' | 'past' | 'state' | 'plan';

/** Predicates for one kind of fact; `{thing}` is the noun phrase. */
export interface FrameSet {
  readonly match: RegExp;
  readonly time: FrameTime;
  readonly frames: readonly Measured[];
}

const SETS: readonly FrameSet[] = [
  {
    match: /habit/,
    time: 'habit',
    frames: list(
      'dusts {thing}|polishes {thing}|takes out {thing}|checks on {thing}|shows visitors {thing}|sketches {thing}|sings beside {thing}|counts the scratches on {thing}|airs {thing}|tidies up around {thing}',
    ),
  },
  {
    match: /object that is owned/,
    time: 'state',
    frames: list(
      'owns {thing}|has {thing}|still has {thing}|looks after {thing}|inherited {thing}|has a spare for {thing}|is proud of {thing}|has labelled {thing}',
    ),
  },
  {
    match: /place that is visited/,
    time: 'habit',
    frames: list(
      'likes a café that displays {thing}|stops at a stall with {thing}|visits a museum corner with {thing}|walks to a window with {thing}|sits near {thing}|meets friends beside {thing}|passes a yard with {thing}',
    ),
  },
  {
    match: /past event/,
    time: 'past',
    frames: list(
      'won {thing} in a raffle|dropped {thing} down the stairs|found {thing} in a skip|painted {thing}|swapped {thing} for a kettle|lost {thing} on a ferry|repaired {thing}|was given {thing}|sold {thing} at a fête',
    ),
  },
  {
    match: /plan for later/,
    time: 'plan',
    frames: list(
      'plans to repaint {thing}|means to frame {thing}|intends to give away {thing}|hopes to photograph {thing}|wants to wrap {thing}|is going to move {thing}|will lend out {thing}|plans to sketch {thing}',
    ),
  },
  {
    match: /small preference/,
    time: 'state',
    frames: list(
      'is fond of {thing}|likes the look of {thing}|prefers {thing} over a newer one|would rather draw {thing} than buy one|enjoys the smell of {thing}|favours {thing}|smiles at {thing}|has a soft spot for {thing}',
    ),
  },
  {
    match: /name given/,
    time: 'state',
    frames: list(
      'has a nickname for {thing}|calls {thing} by a pet name|wrote a name on {thing}|named {thing} after a singer|gave {thing} a silly name|speaks of {thing} like a person|christened {thing} with lemonade',
    ),
  },
  {
    match: /arrangement/,
    time: 'habit',
    frames: list(
      'shares {thing} with a neighbour|lends {thing} to a colleague|stores {thing} for a friend|swaps {thing} with a cousin|takes turns with {thing}|borrows {thing} from the caretaker|leaves {thing} with the porter',
    ),
  },
  {
    match: /skill or hobby/,
    time: 'state',
    frames: list(
      'can draw {thing} from memory|knows how to mend {thing}|collects pictures of {thing}|builds small copies of {thing}|writes limericks about {thing}|can juggle next to {thing}|makes paper models of {thing}',
    ),
  },
  {
    match: /keepsake/,
    time: 'state',
    frames: list(
      'keeps {thing} as a keepsake|stores {thing} under the bed|hangs {thing} behind the door|has {thing} on a high shelf|keeps {thing} wrapped in felt|treasures {thing}|displays {thing} in a cabinet',
    ),
  },
];

const ANY: FrameSet = {
  match: /./,
  time: 'state',
  frames: list('keeps {thing}|likes {thing}|has {thing}|remembers {thing}|talks about {thing}'),
};

/** Predicates for the kind of fact a scene card names. */
export function framesOf(kind: string): FrameSet {
  return SETS.find((set) => set.match.test(kind)) ?? ANY;
}

/** Adjectives that go with any thing. */
export const ADJECTIVES: readonly string[] =
  'small|faded|blue|dented|striped|narrow|heavy|spare|plain|painted|dusty|green|scratched|round|tiny|yellow|sturdy|mismatched|ornate|borrowed|grey|crooked|speckled|polished|creaky|lopsided|old-fashioned|hand-made|cherry-red|odd-looking|slightly rusty|rather battered'.split(
    '|',
  );
