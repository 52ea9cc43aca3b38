const UNITS =
  '(?:week(?:end)?|month|year|night|morning|afternoon|evening|spring|summer|autumn|fall|winter|semester|quarter|season|monday|tuesday|wednesday|thursday|friday|saturday|sunday|' +
  'january|february|march|april|june|july|august|september|october|november|december|christmas|easter)';

const RULES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:since|from) (?:yesterday|this morning|today|last night|yesterday (?:evening|morning|night))\b/gi, 'since very recently'],
  [/\byesterday(?: (?:evening|morning|night|afternoon))?\b/gi, 'recently'],
  [/\b(?:later|earlier) this (?:day|week|month|year)\b/gi, 'recently'],
  [new RegExp(`\\b(?:on |in |since )?(?:last|this past) ${UNITS}\\b(?! of)(?: (?:morning|evening|night|afternoon))?`, 'gi'), 'recently'],
  [new RegExp(`\\b(?:on |in |until |by )?next ${UNITS}\\b(?! of)`, 'gi'), 'soon'],
  [new RegExp(`\\bthis (?:coming |past )?${UNITS}\\b`, 'gi'), 'recently'],
  [/\bday before yesterday\b/gi, 'recently'],
  [/\b(?:today|just now|right now|a few (?:minutes|hours) ago|some (?:minutes|hours) ago)\b/gi, 'recently'],
  [/\b(?:tonight|(?:day after )?tomorrow(?: (?:morning|evening|night))?)\b/gi, 'soon'],
];

/** Turns relative dates into "recently" or "soon": a memory outlives the day it was said (SPEC §4.2). */
export function withoutRelativeDates(text: string): string {
  return RULES.reduce((current, [pattern, replacement]) => current.replace(pattern, replacement), text).replace(
    /\brecently(?: recently)+\b/g,
    'recently',
  );
}
