const PAST =
  'week|month|year|night|evening|weekend|summer|winter|spring|autumn|fall|monday|tuesday|wednesday|thursday|friday|saturday|sunday';

const RULES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:since|from) (?:yesterday|this morning|today|last night|yesterday (?:evening|morning|night))\b/gi, 'since very recently'],
  [/\byesterday(?: (?:evening|morning|night|afternoon))?\b/gi, 'recently'],
  [new RegExp(`\\b(?:on |in )?last (?:${PAST})\\b(?! of)`, 'gi'), 'recently'],
  [/\bthis (?:morning|afternoon|evening|week|month)\b/gi, 'recently'],
  [/\b(?:today|just now|right now|a few minutes ago|some hours ago)\b/gi, 'recently'],
  [/\b(?:tonight|tomorrow(?: (?:morning|evening|night))?|next (?:week|month))\b/gi, 'soon'],
];

/** Turns relative dates into "recently" or "soon": a memory outlives the day it was said (SPEC §4.2). */
export function withoutRelativeDates(text: string): string {
  return RULES.reduce((current, [pattern, replacement]) => current.replace(pattern, replacement), text).replace(
    /\brecently(?: recently)+\b/g,
    'recently',
  );
}
