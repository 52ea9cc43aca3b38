import { STOP_WORDS } from '../../../stages/text/words.ts';
import { BASE_VERBS, isPast } from '../text/verbs.ts';

const SYMPTOM =
  /\b((?:blood pressure|heart rate|back|knee|chest|stomach|abdominal|throat|ear|neck|tooth|hair|joint|muscle|eye|skin|hip|shoulder|breast|leg|foot|jaw|gum) (?:pain|ache|loss|problem|infection|rash|allergy|fall|swelling|injury|weakness|tablet|tablets)|headaches?|migraines?|cough|fever|rash|acne|eczema|psoriasis|anxiety|depression|insomnia|diabetes|asthma|constipation|diarrhea|diarrhoea|acidity|acid reflux|bloating|nausea|dizziness|vertigo|tinnitus|fatigue|allergy|infection|swelling|lump|ulcers?|pimples?|dandruff|periods?|pregnancy|thyroid|cholesterol|hypertension|blood pressure|weight|sleep|vision|eyes?|teeth|tooth|gums?|hair|skin|stomach|throat|chest|back|knee|ankle|shoulder|hip|neck|ear|nose|sinus|tonsils?|kidney|liver|heart|bowel|bladder|medicines?|medication|tablets?|pills?|surgery|treatment|symptoms?|pain|itching|cyst|fibroids?|hernia|fracture|scar|wound|burn|bite|palpitations?|panic attacks?|mood|appetite|digestion|urine|semen|erection|penis|vagina|testicles?|reports?|scan|vomiting|dose)\b/i;
const DULL =
  /^(?:hello|doctor|dear|problem|question|help|thing|things|something|anything|someone|people|person|user|time|times|year|years|month|months|week|weeks|day|days|hour|hours|today|lot|kind|sort|example|case|reason|fact|idea|answer|advice|information|best|good|better|great|different|important|possible|able|sure|new|old|first|second|last|next|many|several|two|three|four|five|male|female|mother|father|wife|husband|son|daughter|really|recently|thank|thanks|please|okay|yes|would|going|using|being|having|taking|getting|following|input|output|line|given|integer|test|number|contains|single|there|doesn|isn|please|years-old|true|false|indicate|lots|task|tasks|past|fastest|smallest|largest|greatest|minimum|maximum|right|lots|rest|part|side|way|ways|same|more|most|some|such)$/i;

/** What a row is about in one or two of its own words: a complaint in health, else its most frequent noun-like word; null when nothing stands out. */
export function topicOf(texts: readonly string[], domain: string): string | null {
  if (domain === 'health') {
    for (const text of texts) {
      const found = SYMPTOM.exec(text)?.[1];
      if (found !== undefined) return found.toLowerCase();
    }
  }
  const counts = new Map<string, number>();
  const bare = texts.map((text) => text.replace(/```[\s\S]*?```|`[^`]*`|\$[^$]*\$|https?:\S+/g, ' ')).join('\n');
  for (const match of bare.matchAll(/\b(?:the|a|an|my|our|of|about|for|with|some|any|these|this)\s+(?:[a-z]+\s+)?([A-Za-z]+)\b/gi)) {
    const lower = (match[1] ?? '').toLowerCase();
    if (
      !/^[a-z]{4,16}$/.test(lower) ||
      STOP_WORDS.has(lower) ||
      BASE_VERBS.has(lower) ||
      BASE_VERBS.has(lower.replace(/(?:e?s)$/, '')) ||
      BASE_VERBS.has(lower.replace(/s$/, '')) ||
      isPast(lower) ||
      DULL.test(lower) ||
      /(?:ly|ing)$/.test(lower)
    )
      continue;
    counts.set(lower, (counts.get(lower) ?? 0) + 1);
  }
  let best: string | null = null;
  for (const [word, count] of counts) if (best === null || count > (counts.get(best) ?? 0)) best = word;
  return best;
}
