import { ownVoice } from './first-person.ts';

const UNIT =
  '(?:week(?:end)?|month|year|night|morning|afternoon|evening|spring|summer|autumn|winter|semester|quarter|season|' +
  'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|June|July|August|September|October|November|December|Christmas|Easter)';

const PATTERNS: readonly RegExp[] = [
  /\bday (?:before yesterday|after tomorrow)\b/gi,
  /(?<!\b(?:USA|Psychology|History|Medscape|Medical News) )\b(?:yesterday|today|tomorrow|tonight)\b/gi,
  // "the next day" and "the last week of pregnancy" are told from within the story and stay true.
  new RegExp(`(?<!\\b(?:the|his|her|their|every|each|a|in|for|user['’]s|past) )\\b(?:last|next) ${UNIT}s?\\b(?! of )`, 'gi'),
  new RegExp(`\\b(?:this|that same) (?:coming |past )?${UNIT}\\b(?! (?:plan|pass|job|shift|ticket)\\b)`, 'gi'),
  /\b(?:last|next) May\b/g,
  /\b(?:earlier|later) this (?:day|week|month|year)\b/gi,
  /\b(?:a few|some) (?:minutes|hours) ago\b/gi,
];

/** Dates that go stale once the text is stored ("last Friday", "this week", "yesterday"); durations and "ago" by the day or longer stay. */
export function relativeDates(text: string): readonly string[] {
  const voice = ownVoice(text);
  return [...new Set(PATTERNS.flatMap((pattern) => voice.match(pattern) ?? []))];
}
