import { createPatternSet } from '../pattern-set/pattern-set.ts';
import { countWords, proseOf } from './row-text.ts';

/** Words of a domain; each is counted as often as it stands. */
export const MEDICAL =
  /\b(?:symptoms?|diagnos(?:e|ed|is)|doctors?|physicians?|prescri(?:bed?|ption)|medications?|medicines?|antibiotics?|tablets?|dosage|\d+ ?mg|patients?|disease|infections?|tumou?rs?|cancer|diabet\w+|hypertension|blood pressure|fever|nausea|vomiting|diarrh\w+|rash|swelling|surgery|surgical|clinical|therapy|chronic|inflammation|cardiac|pregnan\w+|insulin|allerg\w+|asthma|migraines?|chest pain|hospital|clinic|dermatolog\w+|syndrome|vaccin\w+|ulcers?|biopsy|mri|x-ray|ibuprofen|paracetamol|acetaminophen)\b/gi;
export const PROGRAMMING =
  /\b(?:python|javascript|typescript|java|c\+\+|c#|php|html|css|sql|mysql|postgres\w*|api|json|xml|def|import|const|function\(|functions?|variables?|arrays?|strings?|compil\w+|runtime|debug\w*|code|coding|programming|algorithms?|class|script|regex|github|docker|linux|terminal|npm|pip|django|flask|react|node\.?js|database|queries|query|loop|recursion|pointer|boolean|integer|syntax|exception|stack trace|localhost|server-side|backend|frontend|dataframe|pandas|numpy|bash|powershell|kernel)\b/gi;

/** Lowest share of domain words, and lowest number of different ones, that make a text mainly medical or mainly code. */
const MIN_SHARE = 0.04;
const MIN_DISTINCT = 4;

const LISTS = [MEDICAL, PROGRAMMING] as const;
const WORD_LISTS = createPatternSet(LISTS);

/** Whether a text is mainly of a list's kind; `mostHits` bounds its hits from above and spares counting in most texts. */
function isMainly(text: string, list: RegExp, mostHits: number | null): boolean {
  if (mostHits !== null && mostHits < MIN_DISTINCT) return false;
  const words = Math.max(1, countWords(text));
  if (mostHits !== null && mostHits / words < MIN_SHARE) return false;
  const hits = text.match(list) ?? [];
  const distinct = new Set(hits.map((hit) => hit.toLowerCase()));
  return distinct.size >= MIN_DISTINCT && hits.length / words >= MIN_SHARE;
}

/** Whether text of the general domain is mainly medical or mainly programming (RULES: two word lists; fenced code counts as programming). */
export function wrongDomain(text: string): 'medical' | 'programming' | null {
  const prose = proseOf(text);
  const { ends } = WORD_LISTS.scan(prose);
  if (isMainly(prose, MEDICAL, ends(0))) return 'medical';
  const fenced = /```[^\n]*\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  const isCode = /[;{}]\s*$|^\s*(?:def|import|from|class|function|const|let|var|public|#include|SELECT)\b|\w\([^)]*\)/m.test(fenced);
  return isCode || isMainly(prose, PROGRAMMING, ends(1)) ? 'programming' : null;
}
