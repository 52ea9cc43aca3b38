import type { Domain } from '../schemas/levels.ts';

/** Everyday areas of life a scene may lie in; none needs knowledge of the query. */
export const EVERYDAY_AREAS: readonly string[] = [
  'kitchen and cooking',
  'garden, balcony or house plants',
  'way to work and local transport',
  'home, rooms and furniture',
  'clothes and laundry',
  'music, choir or instruments',
  'team sport or board games',
  'language class or evening course',
  'photographs and family history',
  'neighbourhood and local clubs',
  'pets and animals of the street',
  'markets and second-hand finds',
  'letters, cards and stationery',
  'films, radio and theatre',
  'holidays long past',
  'school days',
  'woodwork, sewing or other handicraft',
  'local festivals and customs',
];

/** Areas in the vocabulary of the domain that an expert's answer still has no use for. They fix no person: the card draws one. */
export const DOMAIN_AREAS: Readonly<Record<Domain, readonly string[]>> = {
  health: [
    'the building or sign of a practice or pharmacy',
    'a health magazine, podcast or series about doctors',
    'the choir, sports team or fair of a hospital',
    'paperwork, cards and folders of a health insurance',
    'a past charity raffle for a hospital and its souvenirs',
    'decor, music or magazines of a waiting room',
  ],
  general: [
    'magazines, newsletters or talks in the field of the query',
    'a shop or venue in the field of the query: its building and staff',
    'the pastimes of people who work in the field of the query',
    'an old book or leaflet in the field of the query, as an object',
    'a club in the field of the query and its social events',
    'souvenirs and decorations with motifs of the field of the query',
  ],
  coding: [
    'newsletters, podcasts or talks about programming',
    'stickers, mugs and posters with programming motifs',
    'names given to machines, rooms or folders',
    'a past meet-up or conference: venue, badge and food',
    'the pastimes of people who write software',
    'shelf, desk and chair for work at a computer',
  ],
};

/** What sort of fact a scene is made of. */
export const FACT_KINDS: readonly string[] = [
  'a habit',
  'an object that is owned',
  'a place that is visited',
  'a past event',
  'a plan for later in the year',
  'a small preference',
  'a name given to something',
  'an arrangement with somebody',
  'a skill or hobby',
  'a keepsake and where it is kept',
];

/** Whose life a scene is about, with weights: source atoms are mostly about the user, and the person may not tell A from B and C. */
export const PERSONS: readonly (readonly [person: string, weight: number])[] = [
  ['the user', 8],
  ['a cousin of the user', 1],
  ['a neighbour of the user', 1],
  ['a colleague of the user', 1],
  ['a former flatmate of the user', 1],
  ['an aunt or uncle of the user', 1],
  ['an old school friend of the user', 1],
  ['a club the user belongs to', 1],
];
