import type { Domain } from '../../../schemas/levels.ts';
import { words } from '../../../stages/text/words.ts';

const DECISIVE: Readonly<Record<Domain, RegExp>> = {
  health:
    /\b(?:allerg\w*|pregnan\w*|breastfeed\w*|tak(?:e|es|ing|en)|tablets?|mg|medication|medicines?|prescri\w*|diagnos\w*|diabet\w*|asthma|kidney|liver|heart|hypertension|blood pressure|surger\w*|operat\w*|stopped|smok\w*|drink\w*|years? old|weigh\w*|epilep\w*|thyroid)\b/i,
  general:
    /\b(?:budget|only|never|cannot|can't|doesn't|allerg\w*|vegetarian|vegan|prefer\w*|wants?|deadline|under|less than|limited|afford|hates?|likes?|loves?|already|needs?|must|children|kids|plans?|planning|lives?|works?)\b/i,
  coding:
    /\b(?:python|java|javascript|typescript|c\+\+|version|sorted|guaranteed|at most|at least|maximum|must|cannot|only|without|distinct|unique|positive|integers?|windows|linux|memory|framework|tensorflow|keras|django|react|sql|returns?|input|output)\b|\d/i,
};

/** How much a fact is likely to decide about an answer; a fixed heuristic. */
export function weigh(text: string, domain: Domain): number {
  const count = words(text).length;
  const length = count >= 8 && count <= 22 ? 1 : count > 28 ? -1 : 0;
  return (DECISIVE[domain].test(text) ? 2 : 0) + length + (/\d/.test(text) ? 0.5 : 0);
}
