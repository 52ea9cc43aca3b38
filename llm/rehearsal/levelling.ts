import type { Action, AtomKind, Domain, Level } from '../../schemas/levels.ts';

/** Level, action and kind of a source atom with the reason for them. */
export interface Levelled {
  readonly level: Level;
  readonly action: Action;
  readonly kind: AtomKind;
  readonly reason: string;
}

const UNSAFE =
  /\b(?:stopped taking|stop taking|smok\w*|alcohol|whisky|vape|overdos\w*|double (?:the )?dose|on (?:the user's|their) own|self[- ]medicat\w*|salt substitute|leftover|without (?:a )?prescription|neighbou?r (?:told|said|recommend\w*)|friend (?:told|said|recommend\w*)|heard that|read (?:online|somewhere) that|was told earlier that|root password|hard-?coded|disabled? (?:ssl|tls|certificate|tests))\b/i;
const PROFILE =
  /\bThe user (?:is|works as) (?:an? )?(?:[\w-]+ ){0,3}(?:teacher|student|engineer|developer|nurse|driver|businessman|accountant|freshman|programmer|beginner|cyclist|librarian|designer|researcher|writer|lawyer|retiree|carpenter|baker|chef|photographer|gardener)\b|\bThe user lives in\b|\bis interested (?:mostly )?in\b/i;
const LIMIT =
  /\b(?:must|cannot|can't|can not|only|at most|at least|no more than|less than|under|within|maximum|minimum|guaranteed|sorted|distinct|unique|limited|budget|afford|deadline|never|not allowed|doesn't (?:eat|drink|want|have)|does not (?:eat|drink|want|have)|allerg\w*|vegetarian|vegan|pregnan\w*|breastfeed\w*|version|wants the answer|without)\b|[≤<>]=?|\b\d+(?:\.\d+)+\b/i;
const TREATED =
  /\b(?:tak(?:es|ing|en)|tablets?|capsules?|mg|medication|medicines?|prescribed|diagnosed|surgery|operated|steroid|antibiotics?|insulin|on (?:the )?pill|uses?|using|runs? on|written in|built (?:with|on)|python|java|javascript|typescript|c\+\+|sql|linux|windows)\b/i;
const TIMING =
  /\b(?:for (?:the )?(?:past|last)?|since|ago|previously|earlier|recently|used to|started|began|tried|months?|weeks?|days?|years?)\b/i;
const WISH = /\b(?:prefer\w*|likes?|loves?|enjoys?|wants?|would like|hates?|dislikes?|hopes?|plans?|planning|goal)\b/i;
const HEALTH_RISK =
  /\b(?:pregnan\w*|breastfeed\w*|allerg\w*|diabet\w*|kidney|liver|heart|blood|bleed\w*|epilep\w*|asthma|suicid\w*|hurting)\b/i;

function kindOf(text: string, domain: Domain): AtomKind {
  if (domain === 'health' && HEALTH_RISK.test(text)) return 'safety_sensitive';
  if (LIMIT.test(text)) return 'constraint';
  if (WISH.test(text)) return 'preference';
  return PROFILE.test(text) ? 'profile_fact' : 'case_fact';
}

/** Level of a source atom by fixed signs: unsafe or hearsay → correct, limits and treatments → C, timing → B, profile → A. */
export function levelOf(text: string, domain: Domain): Levelled {
  const kind = kindOf(text, domain);
  if (PROFILE.test(text) && !LIMIT.test(text) && !TREATED.test(text))
    return { level: 'A', action: 'ignore', kind: 'profile_fact', reason: 'a good answer is the same with and without it' };
  if (UNSAFE.test(text)) {
    const level = /\b(?:was told earlier|heard|read)\b/i.test(text) ? 'B' : 'C';
    return { level, action: 'correct', kind, reason: 'the answer has to counter it rather than follow it' };
  }
  if (LIMIT.test(text)) return { level: 'C', action: 'apply', kind, reason: 'it rules out options, so the recommendation turns on it' };
  if (TREATED.test(text) && !/\bago\b/i.test(text))
    return { level: 'C', action: 'apply', kind, reason: 'the conclusion would be another one without it' };
  if (TIMING.test(text)) return { level: 'B', action: 'apply', kind, reason: 'it supports one reason; the conclusion stands without it' };
  if (WISH.test(text)) return { level: 'C', action: 'apply', kind, reason: 'it decides between the options' };
  return { level: 'B', action: 'apply', kind, reason: 'it adds a remark; order and choice stay as they are' };
}
