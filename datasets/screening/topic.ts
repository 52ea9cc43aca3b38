import type { Domain } from '../../schemas/levels.ts';
import { createPatternSet, type PatternSet } from '../pattern-set/pattern-set.ts';

type Topics = readonly (readonly [topic: string, pattern: RegExp])[];

/** The topics of each domain in the order in which they are tried. */
export const TOPICS: Readonly<Record<Domain, { readonly list: Topics; readonly other: string }>> = {
  general: {
    other: 'general_other',
    list: [
      [
        'writing_creative',
        /\b(?:write|writing|story|stories|poem|poetry|essay|novel|fiction|lyrics|song|screenplay|dialogue|character|blog post|haiku|limerick|speech|toast|caption|slogan)\b/i,
      ],
      [
        'planning_advice',
        /\b(?:plan(?:ning)?|schedule|organi[sz]e|itinerary|advice|should i|routine|prepare|checklist|goals?|tips|budget(?:ing)?)\b/i,
      ],
      [
        'learning_explanation',
        /\b(?:explain|what is|what are|how do(?:es)?|why do(?:es)?|difference between|learn(?:ing)?|teach|understand|meaning of|history of|example of|define|study(?:ing)?)\b/i,
      ],
      [
        'relationships_communication',
        /\b(?:friends?|partner|wife|husband|girlfriend|boyfriend|family|parents?|colleague|boss|apologi[sz]e|conversation|relationship|email to|message to|wedding)\b/i,
      ],
      [
        'travel_shopping_household',
        /\b(?:travel|trip|visit|hotel|flight|buy|shopping|price|recipe|cook(?:ing)?|bake|clean(?:ing)?|garden(?:ing)?|furniture|kitchen|restaurant|car|phone|laptop|pets?|dog|cat)\b/i,
      ],
      [
        'career_productivity',
        /\b(?:job|career|resume|cv|interview|salary|manager|workplace|productiv\w+|meeting|business|startup|company|project|marketing|freelanc\w+)\b/i,
      ],
    ],
  },
  coding: {
    other: 'coding_other',
    list: [
      [
        'debugging',
        /\b(?:errors?|exceptions?|bugs?|debug\w*|fix|crash\w*|not working|doesn't work|does not work|fails?|failing|traceback|segfault|undefined|unexpected)\b/i,
      ],
      [
        'testing_quality',
        /\b(?:unit tests?|tests? (?:suite|framework)|testing|pytest|junit|mock(?:ing)?|assert\w*|refactor\w*|code review|lint\w*|coverage)\b/i,
      ],
      [
        'api_library',
        /\b(?:api|librar(?:y|ies)|framework|sdk|package|django|flask|react|spring|express|rails|tensorflow|pytorch|pandas|numpy|jquery|endpoint|rest)\b/i,
      ],
      [
        'data_algorithm',
        /\b(?:algorithms?|array|list of|integers?|sort(?:ed|ing)?|graph|tree|dynamic programming|complexity|matrix|string|subsequence|permutation|prime|sum of|search|neural|dataset|regression|classif\w+)\b/i,
      ],
      [
        'systems_devops',
        /\b(?:docker|kubernetes|deploy\w*|server|linux|nginx|cloud|aws|azure|ci\/cd|pipeline|shell|bash|network(?:ing)?|thread\w*|concurren\w+|memory|process|database|sql)\b/i,
      ],
      ['implementation', /\b(?:implement\w*|write|create|build|class|function|method|design|develop|program)\b/i],
    ],
  },
  health: {
    other: 'general_other',
    list: [
      [
        'acute_symptoms',
        /\b(?:sudden(?:ly)?|severe|acute|high fever|bleeding|faint\w*|unconscious|emergency|accident|injur\w+|fell|burn(?:t|s)?|bite|stung|fracture)\b/i,
      ],
      ['cardio', /\b(?:heart|cardi\w+|chest pain|blood pressure|hypertension|palpitations?|cholesterol|pulse|ecg|ekg|angina|stent)\b/i],
      [
        'chronic_disease',
        /\b(?:diabet\w+|thyroid|arthritis|kidney|liver|hepatitis|cancer|tumou?r|lupus|hiv|autoimmune|anaemi\w|anemi\w|gout|crohn\w*)\b/i,
      ],
      [
        'digestive',
        /\b(?:stomach|abdom\w+|acid|reflux|gastri\w+|diarrh\w+|constipat\w+|bowel|stool|nausea|vomit\w*|ulcer|bloat\w+|piles|h(?:a)?emorrhoids?|indigestion|appendi\w+)\b/i,
      ],
      [
        'medication_treatment',
        /\b(?:tablets?|medicines?|medications?|dose|dosage|\d+ ?mg|side effects?|prescri\w+|antibiotics?|pill|injections?|vaccin\w+|drug)\b/i,
      ],
      ['mental_sleep', /\b(?:anxiety|anxious|depress\w+|panic|stress|sleep\w*|insomnia|mood|ocd|adhd|phobia|nightmares?)\b/i],
      [
        'neuro',
        /\b(?:headaches?|migraines?|dizz\w+|seizures?|epilep\w+|numb\w*|tingl\w+|nerve|brain|memory|stroke|vertigo|tremors?|spine|sciatica)\b/i,
      ],
      [
        'pediatrics',
        /\b(?:baby|infant|toddler|newborn|(?:my|our) (?:son|daughter|child|kid)|\d+[ -]?(?:months?|weeks?)[ -]old|child(?:ren)?)\b/i,
      ],
      [
        'pregnancy_reproductive',
        /\b(?:pregnan\w+|periods?|menstru\w+|ovulat\w+|conceiv\w+|ivf|uter\w+|ovar\w+|pcos|sperm|contracept\w+|miscarriage|breast ?feed\w+|vagin\w+)\b/i,
      ],
      [
        'respiratory_ent',
        /\b(?:cough\w*|breath\w*|asthma|throat|sinus\w*|nose|nasal|ears?|tonsil\w*|lungs?|bronch\w+|cold|sneez\w+|hearing|hoarse\w*)\b/i,
      ],
      ['skin_allergy', /\b(?:skin|rash\w*|itch\w*|acne|eczema|psoriasis|allerg\w+|hives|pimples?|hair|moles?|fung\w+|scalp|nails?)\b/i],
    ],
  },
};

const setOf = (domain: Domain): PatternSet => createPatternSet(TOPICS[domain].list.map(([, pattern]) => pattern));
const SETS: Readonly<Record<Domain, PatternSet>> = { health: setOf('health'), general: setOf('general'), coding: setOf('coding') };

/** Topic of a row: the first match in the order of RULES on context, question and answer. */
export function topicOf(text: string, domain: Domain): string {
  const { list, other } = TOPICS[domain];
  const { has } = SETS[domain].scan(text);
  return list.find((_, number) => has(number))?.[0] ?? other;
}
