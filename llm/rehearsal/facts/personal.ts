import type { Domain } from '../../../schemas/levels.ts';
import { contentStems, words } from '../../../stages/text/words.ts';
import { toThirdPerson } from '../text/person.ts';

/** Whom a later "she" or "he" means, when the user spoke of one relative before. */
export interface Relative {
  readonly noun: string;
  readonly pronoun: 'she' | 'he';
}

const SHE = 'daughter|wife|mother|mom|mum|sister|girlfriend|aunt|grandmother|niece|mother-in-law|granddaughter';
const HE = 'son|husband|father|dad|brother|boyfriend|uncle|grandfather|nephew|father-in-law|grandson';
const RELATIVE = new RegExp(`\\bmy (?:\\S+ ){0,4}?(${SHE}|${HE})\\b`, 'i');

/** The relative a clause speaks of, if exactly one. */
export function relativeIn(text: string): Relative | null {
  const noun = RELATIVE.exec(text)?.[1]?.toLowerCase();
  if (noun === undefined) return null;
  return { noun, pronoun: new RegExp(`^(?:${SHE})$`).test(noun) ? 'she' : 'he' };
}

const REQUEST =
  /\?|\b(?:you|your|u|please|pls|plz|kindly|thank|thanks|hope|wish to know|want to know|like to know|need to know|wonder|wondering|looking forward|advise|suggest(?:ion)?s? (?:me|from)|let me know|tell me|my (?:question|query|doubt|concern) (?:is|was|here)|need (?:help|advice|guidance|assistance|some help|some advice)|help me|(?:don't|do not) (?:know|understand) (?:how|what|why|where|which|if|whether)|not sure (?:how|what|why|where|which|if|whether)|curious|understand (?:how|why|what)|know (?:how|if|whether|what)|figure out (?:how|why|what)|can't (?:figure|seem)|any (?:help|advice|suggestions|ideas))\b/i;
const DANGLING =
  /^(?:it|its|he|she|they|this|that|these|those|his|her|their|there|such|same|another|both|one|which|who|here|what|how|why)\b/i;
const POINTING =
  /\b(?:this|that|these|those|above|below|following|aforementioned|said|same|latter|former)\s+(?!(?:time|year|age|the|i|is|was|are|has|my)\b)\w+/i;
const PRONOUN = /\b(?:he|she|him|her|his|hers|they|them|it|its|this|that|one|ones)\b/i;
const SUBJECTLESS: readonly (readonly [RegExp, string])[] = [
  [/^(?:am|have been|have had|have|had been|had|was|got|been)\s/i, 'I '],
  [/^(?:suffering|having|taking|using|experiencing|feeling|getting|facing|planning|working|living|trying)\s/i, 'I am '],
  [/^(?:diagnosed|prescribed|advised)\s(?:with|to|for)\b/i, 'I was '],
  [/^(?:an? )?\d{1,3}[ -]?(?:years?|yrs?|y)[ -]?old,? (?:male|female|man|woman|boy|girl|guy|lady)\b/i, 'I am '],
];
const BODY =
  /^the (pain|cough|lump|rash|fever|swelling|report|reports|scan|doctor|doctors|dentist|surgeon|bleeding|itching|headaches?|symptoms?|wound|tests?|results?|x-ray|mri|ultrasound|medicines?|tablets?|discharge|burning|spots?|bumps?) (?!of\b|that\b|who\b|which\b)/i;

const IMPERATIVE =
  /^(?:give|tell|show|write|explain|suggest|recommend|provide|describe|list|help|create|make|let|find|imagine|assume|consider|pretend|act|teach|maybe|perhaps|suppose)\b/i;
/** In technical prose "we" mostly means everybody; these few forms speak of a team of the user's. */
const TEAM =
  /^(?:we|we're|we've) (?:use|run|have (?:a|an|two|three|our)|are (?:using|running|building|working|trying)|deploy|store|work|need|currently|already)\b/i;

function completed(clause: string, domain: Domain): string {
  for (const [pattern, prefix] of SUBJECTLESS) {
    if (!pattern.test(clause)) continue;
    const rest = prefix === 'I am ' && /^\d/.test(clause) ? `a ${clause}` : clause;
    return `${prefix}${rest.charAt(0).toLowerCase()}${rest.slice(1)}`.replace(/^I been /, 'I have been ');
  }
  return domain === 'health' && BODY.test(clause) ? `My ${clause.slice(4)}` : clause;
}

/** A pronoun is fine when its noun stands earlier in the same clause. */
function pronounsResolved(clause: string): boolean {
  const match = PRONOUN.exec(
    clause.replace(/\bthat (?=I|my|the|it|a|an)\b/gi, '').replace(/\bone (?:week|day|month|year|hour|of|side|time)\b/gi, ''),
  );
  if (match === null) return true;
  if (/^(?:he|she|him|her|his|hers|they|them)$/i.test(match[0]) && relativeIn(clause.slice(0, match.index)) === null) {
    return /\b(?:doctor|friend|boss|manager|teacher|colleague|neighbour|neighbor|dentist|partner|cat|dog|baby|child|kid)s?\b/i.test(
      clause.slice(0, match.index),
    );
  }
  return contentStems(clause.slice(0, match.index)).length >= 2;
}

function withRelative(clause: string, relative: Relative | null): string {
  if (relative === null) return clause;
  const subject = new RegExp(`^${relative.pronoun}('s)?\\s`, 'i');
  const owned = relative.pronoun === 'she' ? /^her\s/i : /^his\s/i;
  return clause
    .replace(subject, (_, is: string | undefined) => `My ${relative.noun}${is === undefined ? '' : ' is'} `)
    .replace(owned, `My ${relative.noun}'s `);
}

/** The atom text a clause of the user's yields, or null when it states nothing that stands alone. */
export function personalFact(clause: string, domain: Domain, relative: Relative | null): string | null {
  if (REQUEST.test(clause)) return null;
  const whole = completed(withRelative(clause, relative), domain);
  if (IMPERATIVE.test(whole) || (domain === 'coding' && /\b(?:we|us|our)\b/i.test(whole) && !TEAM.test(whole))) return null;
  if (DANGLING.test(whole) || POINTING.test(whole) || !pronounsResolved(whole)) return null;
  if (
    /^(?:when|if|because|since|although|while|that|which|unless|whether|than|or|to|of|with|without|like|even|every time|sometimes when|and|whenever)\b/i.test(
      whole,
    ) &&
    !/,/.test(whole)
  )
    return null;
  if (
    /^(?:will|would|can|could|should|is|are|was|were|has|had|does|did|may|might|must|not)\b/i.test(whole) ||
    /\b(?:and|or|but|for|with|that|to|of|the|a|an|in|for that|from|so)$/i.test(whole)
  )
    return null;
  if (/[:([{]$|\.\.\.|…|[<>{}]{1}.*[<>{}]|\|\|/.test(whole)) return null;
  const text = toThirdPerson(whole, domain === 'coding' ? "the user and the user's team" : 'the user and the people close to the user');
  if (text === null || !/\bthe user\b/i.test(text)) return null;
  const count = words(text).length;
  const content = contentStems(text).filter((item) => item !== 'user').length;
  return count >= 5 && count <= 34 && content >= 2 && text.length >= 24 && text.length <= 240 ? text : null;
}
