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

/** Areas in the vocabulary of the domain that an expert's answer still has no use for. */
export const DOMAIN_AREAS: Readonly<Record<Domain, readonly string[]>> = {
  health: [
    'the building or opening hours of a practice or pharmacy',
    'a health magazine, podcast or series about doctors',
    'a friend or relative who works in a hospital, and their hobbies',
    'paperwork, cards and folders of a health insurance',
    'a past charity run or blood drive and its souvenirs',
    'decor, music or magazines of a waiting room',
  ],
  general: [
    'magazines, newsletters or talks about the subject of the query',
    'a shop or venue of that trade: its building and opening hours',
    'a friend or relative who works in that field, and their hobbies',
    'an old book or leaflet about the subject, as an object',
    'a club around the subject and its social events',
    'souvenirs and decorations with the subject as motif',
  ],
  coding: [
    'newsletters, podcasts or talks about programming',
    'stickers, mugs and posters with programming motifs',
    'names given to machines, branches or folders at home',
    'a past meet-up or conference: venue, badge and food',
    'a friend or relative who writes software, and their hobbies',
    'shelf, desk and chair where the user programs',
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

/** Whose life the scene is about. */
export const PERSONS: readonly string[] = [
  'the user',
  'a cousin of the user',
  'a neighbour of the user',
  'a colleague of the user',
  'a former flatmate of the user',
  'an aunt or uncle of the user',
  'an old school friend of the user',
  'a club the user belongs to',
];
