import type { Domain, HardFamily } from '../../../schemas/levels.ts';

/** One way to write a hard distractor of a family: the memory, what a hasty assistant would make of it, and why it does not apply. */
export interface HardFrame {
  /** `{topic}` names what is asked about, `{sphere}` where the memory holds; both are filled in. */
  readonly memory: string;
  readonly tempting: string;
  readonly why: string;
  readonly kind: 'profile_fact' | 'preference' | 'case_fact';
}

/** Spheres of life in which a rule, taste or judgement holds that has no bearing here. */
export const SPHERES: Readonly<Record<Domain, readonly string[]>> = {
  health: [
    'the parish newsletter',
    'the village quiz team',
    'a neighbourhood photo club',
    'the school reunion committee',
    'a crossword circle',
    'the amateur theatre group',
    'a local history society',
    'the allotment association',
  ],
  general: [
    'a hobby forum for model trains',
    'the neighbourhood newsletter',
    'a quiz evening at the town hall',
    'the reading circle',
    'an amateur film club',
    'the staff magazine of a former employer',
    'a postcard exchange',
    'the choir programme',
  ],
  coding: [
    'a hobby blog about retro games',
    'the lightning talks of a meet-up',
    'a private wiki about board games',
    'the newsletter of a sailing club',
    'a zine on pixel art',
    'an old school project',
    'a quiz bot for friends',
    'slides for a local history talk',
  ],
};

/** Frames by family. */
export const HARD_FRAMES: Readonly<Record<HardFamily, readonly HardFrame[]>> = {
  factual_judgment_pollution: [
    {
      memory: 'The user finds most songs about {topic} overrated',
      tempting: 'Most of what is said on {topic} is overrated.',
      why: 'taste in songs says nothing on the matter itself',
      kind: 'profile_fact',
    },
    {
      memory: 'A joke about {topic} once won the user a round of cocoa',
      tempting: 'Your hunch about {topic} was right before.',
      why: 'a joke is no evidence',
      kind: 'case_fact',
    },
    {
      memory: 'The user once lost a silly bet about {topic}',
      tempting: 'Your bet on {topic} shows that guesses fail.',
      why: 'a bet made in fun is no evidence',
      kind: 'case_fact',
    },
    {
      memory: 'In an essay for {sphere} the user argued that headlines about {topic} are mostly overrated',
      tempting: 'As you said yourself, most of what is written on {topic} is overrated, so do not worry.',
      why: 'an opinion about headlines says nothing on the matter itself',
      kind: 'profile_fact',
    },
    {
      memory: 'In a debate at {sphere} the user was assigned to speak against every new idea on {topic}',
      tempting: 'Since you are against new ideas on {topic}, stay with the old way.',
      why: 'the side was assigned in a debate and is no judgement of the user',
      kind: 'profile_fact',
    },
    {
      memory: 'The user once won a bet at {sphere} by guessing a trivia answer about {topic}',
      tempting: 'Your instinct about {topic} was right before, so trust your guess.',
      why: 'a lucky guess in a quiz is no evidence',
      kind: 'case_fact',
    },
    {
      memory: 'For {sphere} the user wrote a satirical column that made fun of experts on {topic}',
      tempting: 'Given your doubts about experts on {topic}, you need not ask one.',
      why: 'satire for entertainment is not what the user believes',
      kind: 'profile_fact',
    },
  ],
  scope_overreach: [
    {
      memory: 'At quizzes the user skips every round on {topic}',
      tempting: 'Let us skip {topic} altogether.',
      why: 'the habit holds at quizzes only',
      kind: 'profile_fact',
    },
    {
      memory: 'The user keeps choir notes on {topic} short',
      tempting: 'I keep {topic} as short as your choir notes.',
      why: 'the rule holds for those notes only',
      kind: 'preference',
    },
    {
      memory: 'In board games the user bans all talk of {topic}',
      tempting: 'I will not talk of {topic}, as you ask of others.',
      why: 'the ban holds at the table only',
      kind: 'preference',
    },
    {
      memory: 'For {sphere} the user keeps every note on {topic} down to a single paragraph',
      tempting: 'Here is one paragraph on {topic}, as you keep it in your notes.',
      why: 'the rule holds for that publication only',
      kind: 'preference',
    },
    {
      memory: 'The rules of {sphere} forbid the user to name brands in anything about {topic}',
      tempting: 'I leave out all names on {topic}, since your rules forbid them.',
      why: 'the rule binds texts for that group, not this answer',
      kind: 'profile_fact',
    },
    {
      memory: 'At {sphere} the user always asks for two opposing views on {topic} before a vote',
      tempting: 'Before you decide about {topic}, here are two opposing views for the vote.',
      why: 'there is no vote here',
      kind: 'profile_fact',
    },
    {
      memory: 'When writing for {sphere} the user translates every expert word on {topic} into plain rhyme',
      tempting: 'Let me put {topic} into a rhyme for you.',
      why: 'the habit belongs to texts for that audience',
      kind: 'preference',
    },
  ],
  current_evidence_conflict: [
    {
      memory: 'A fortune cookie once told the user to forget {topic}',
      tempting: 'Forget {topic}, as you were told.',
      why: 'what is known now weighs more than a cookie',
      kind: 'case_fact',
    },
    {
      memory: 'An old horoscope promised the user luck with {topic}',
      tempting: 'Luck with {topic} is on your side.',
      why: 'what is known now weighs more than a horoscope',
      kind: 'case_fact',
    },
    {
      memory: 'A childhood diary of the user calls {topic} a dragon',
      tempting: 'You have always seen {topic} as a dragon.',
      why: 'the present description stands against a childhood diary',
      kind: 'case_fact',
    },
    {
      memory: 'Years ago a horoscope in {sphere} told the user that luck with {topic} would turn by itself',
      tempting: 'Your luck with {topic} will turn by itself, so just wait.',
      why: 'what is known now weighs more than an old horoscope',
      kind: 'case_fact',
    },
    {
      memory: 'An old quiz card from {sphere} gave the user a joke answer about {topic}',
      tempting: 'The answer about {topic} is the one on your quiz card.',
      why: 'a joke on a card is no evidence against the present facts',
      kind: 'case_fact',
    },
    {
      memory: 'In a school play for {sphere} the user once had the part of somebody with no worries about {topic}',
      tempting: 'You have had no worries about {topic} before, so there is no cause now.',
      why: 'a part in a play tells nothing about the present case',
      kind: 'profile_fact',
    },
    {
      memory: 'A childhood drawing by the user in {sphere} shows {topic} as a friendly monster',
      tempting: 'You have always seen {topic} as friendly, so treat it lightly.',
      why: 'the present description stands against a childhood drawing',
      kind: 'case_fact',
    },
  ],
  profile_style_near_neighbour: [
    {
      memory: 'The user draws owls beside private notes on {topic}',
      tempting: 'Picture {topic} as an owl.',
      why: 'a habit in private notes is no wish about an answer',
      kind: 'profile_fact',
    },
    {
      memory: 'The user writes limericks about {topic} for friends',
      tempting: 'There once was a thing called {topic}.',
      why: 'verses for friends are another kind of text',
      kind: 'profile_fact',
    },
    {
      memory: 'Postcards from the user on {topic} end with a riddle',
      tempting: 'Here is a riddle on {topic}.',
      why: 'postcards are another kind of text',
      kind: 'profile_fact',
    },
    {
      memory: 'In reviews for {sphere} the user always ends a piece on {topic} with a table of star ratings',
      tempting: 'Here is a table of star ratings for {topic}.',
      why: 'the style belongs to those reviews, and advice was asked for here',
      kind: 'profile_fact',
    },
    {
      memory: 'The user signs letters to {sphere} about {topic} with a line from a sea shanty',
      tempting: 'As a sailor would sing of {topic}: heave ho!',
      why: 'a way to sign letters is no wish about this answer',
      kind: 'profile_fact',
    },
    {
      memory: 'Readers of {sphere} know the user for long footnotes whenever {topic} comes up',
      tempting: 'See the following seven footnotes on {topic}.',
      why: 'the footnotes belong to another kind of text',
      kind: 'profile_fact',
    },
    {
      memory: 'For {sphere} the user illustrates articles about {topic} with woodcuts of owls',
      tempting: 'Picture {topic} as an owl in a woodcut.',
      why: 'an illustration habit has no place in an answer',
      kind: 'profile_fact',
    },
  ],
  untriggered_preference: [
    {
      memory: 'The user likes blue covers on books about {topic}',
      tempting: 'Look for a blue cover when it comes to {topic}.',
      why: 'no book is chosen here',
      kind: 'preference',
    },
    {
      memory: 'For posters on {topic} the user prefers matte paper',
      tempting: 'Print your plan for {topic} on matte paper.',
      why: 'nothing is printed here',
      kind: 'preference',
    },
    {
      memory: 'At talks about {topic} the user likes the front row',
      tempting: 'Take a seat in the front row for {topic}.',
      why: 'no seat is chosen here',
      kind: 'preference',
    },
    {
      memory: 'When ordering posters on {topic} for {sphere} the user prefers matte paper in landscape format',
      tempting: 'Print your plan for {topic} on matte paper in landscape format.',
      why: 'nothing is printed here',
      kind: 'preference',
    },
    {
      memory: 'For evenings of {sphere} with a talk on {topic} the user likes seats near the exit',
      tempting: 'For {topic}, pick a seat near the exit.',
      why: 'no seat is to be chosen here',
      kind: 'preference',
    },
    {
      memory: 'If {sphere} ever stages an exhibition on {topic}, the user wants a blue banner',
      tempting: 'Start with a blue banner for {topic}.',
      why: 'the exhibition is not what is asked about',
      kind: 'preference',
    },
    {
      memory: 'When {sphere} orders snacks for a discussion on {topic}, the user prefers salted almonds',
      tempting: 'Take salted almonds while you think about {topic}.',
      why: 'no snack is ordered here',
      kind: 'preference',
    },
  ],
};
