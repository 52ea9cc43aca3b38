import type { Domain } from '../../schemas/levels.ts';
import { createPatternSet, type PatternSet } from '../pattern-set/pattern-set.ts';

type Families = readonly (readonly [name: string, pattern: RegExp])[];

const HEALTH: Families = [
  [
    'personal_entity',
    /\b(?:i(?:'m| am)|my|mine|me|he is|she is|we|our)\b|\b\d{1,3}[ -]?(?:years?|yrs?|months?|weeks?)[ -]old\b|\b(?:male|female|aged?|pregnant|wife|husband|son|daughter|mother|father|baby)\b/i,
  ],
  [
    'temporal_history',
    /\b(?:for|since|past|last|ago|over|within|after)\b[^.!?]{0,25}\b(?:days?|weeks?|months?|years?|hours?|nights?|yesterday|morning|childhood|january|february|march|april|may|june|july|august|september|october|november|december|(?:19|20)\d\d)\b|\b(?:days?|weeks?|months?|years?|hours?) (?:ago|back|now)\b|\b(?:yesterday|last night|recently|since childhood)\b/i,
  ],
  [
    'condition_history',
    /\b(?:diagnosed|history of|suffer(?:ing|ed|s)? from|diabet\w+|hypertension|high blood pressure|asthma|thyroid|pcos|cancer|tumou?r|infection|arthritis|migraines?|epilep\w+|depression|anxiety|disorder|syndrome|disease|allerg\w+|ulcers?|gastritis|hepatitis|fracture|surgery|operated|anaemi\w|anemi\w|eczema|psoriasis|gerd|ibs|hernia|stroke|heart (?:attack|condition))\b/i,
  ],
  [
    'treatment',
    /\b(?:tak(?:e|es|ing|en)|took|prescrib\w+|on medication|medicines?|medications?|tablets?|pills?|capsules?|antibiotics?|ointments?|creams?|inhaler|injections?|vaccin\w+|therapy|physiotherapy|dose|dosage|\d+ ?mg|\d+ ?ml|mcg|surgery|treatment|treated|supplements?|drops|steroids?|insulin)\b/i,
  ],
  [
    'measurement',
    /\b\d+(?:[./]\d+)?\s*(?:mg\/d?l|mmol(?:\/l)?|mmhg|bpm|kg|kgs|lbs?|pounds|cm|mm|feet|ft|inch(?:es)?|degrees?|°[cf]|fahrenheit|celsius|iu|ng\/ml|%)|\b(?:bp|blood pressure|sugar|hba1c|tsh|haemoglobin|hemoglobin|creatinine|cholesterol|pulse|temperature|weight|height|bmi)\b[^.!?]{0,25}\d|\b\d{2,3}\/\d{2,3}\b|\b(?:ultrasound|mri|ct|x-?ray|ecg|ekg|echo|blood test|scan|biopsy|endoscopy|test results?|reports?)\b/i,
  ],
  [
    'event_exposure',
    /\b(?:accident|fell|fall|injur\w+|hit|bitten|bite|stung|exposed|exposure|travell?ed|trip|after eating|ate|drank|drinking|smok\w+|alcohol|vomited|swallowed|burn(?:t|ed)|miscarriage|delivery|gave birth|unprotected|contact with|gym|lifted|lifting|started|stopped|missed)\b/i,
  ],
  [
    'preference_constraint',
    /\b(?:can(?:no|')t|cannot|unable to|don't want|do not want|would (?:like|prefer|rather)|prefer\w*|avoid\w*|allergic|intoleran\w+|vegetarian|vegan|afford|without|instead of|breast ?feeding|trying to conceive|have to|must|only|scared|afraid|worried)\b/i,
  ],
  [
    'symptom_course',
    /\b(?:pain\w*|ache\w*|headaches?|fever|cough\w*|rash\w*|itch\w*|swelling|swollen|swells|bleed\w*|nausea|vomit\w*|diarrh\w+|constipat\w+|dizz\w+|tired\w*|fatigue|weakness|numb\w*|tingl\w+|burning|discharge|cramps?|lump|sore|stiff\w*|spots?|bumps?|palpitations?|breath\w*|sleep\w*|insomnia|wors(?:e|ening)|improv\w+|comes and goes|periods?)\b/i,
  ],
];

const GENERAL: Families = [
  [
    'personal_entity',
    /\b(?:i(?:'m| am) (?:an?|the|in|from|living|working|planning|currently|new)|i (?:have|own|live|work|study|use|run|play|teach|cook|grew|drive|moved|got|bought)|my|our)\b/i,
  ],
  [
    'temporal',
    /\b(?:for|since|past|last|next|within|in|over|by)\b[^.!?]{0,15}\b(?:days?|weeks?|months?|years?|hours?|minutes|weekend|summer|winter|spring|autumn|fall|january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:days?|weeks?|months?|years?) (?:ago|old|from now)\b|\b(?:tomorrow|tonight|yesterday|this (?:week|month|year|weekend|evening|morning)|recently|every (?:day|week|morning|evening|night|year))\b/i,
  ],
  [
    'preference',
    /\bi(?:'m| am|'d| would| do| don't| really| also)*\s*(?:prefer|like|love|enjoy|hate|dislike|want|rather|favou?r|fond|interested|into|not (?:a fan|fond|keen)|care about)\b|\bmy favou?rite\b|\b(?:vegetarian|vegan|gluten[- ]free|dislikes?|picky|not too|no more than|rather than|instead of)\b/i,
  ],
  [
    'goal_plan',
    /\bi(?:'m| am|'ve| have| would|'d| want| need| plan| hope| will| was)*\s*(?:want(?:ed)?|need(?:ed)?|plan(?:ning|s|ned)?|hop(?:e|ing)|try(?:ing)?|going|looking|think(?:ing)?|aim(?:ing)?|prepar(?:e|ing)|considering|would like|intend\w*|decid\w+)\b|\b(?:my goal|my plan|so that i|in order to|preparing for)\b/i,
  ],
  [
    'experience',
    /\bi(?:'ve| have| had| did| was| used| never| already| just| once| recently| only)*\s*(?:tried|been|read|learned|learnt|worked|visited|used|bought|seen|watched|made|started|studied|played|done|noticed|found|failed|finished|lost|written|built|never|heard|moved|forgot|broke)\b|\b(?:beginner|novice|no experience|experienced|my experience|first time|used to)\b/i,
  ],
  [
    'resource_limit',
    /\b(?:budget|afford|cheap\w*|cost\w*|\$ ?\d+|£ ?\d+|€ ?\d+|\d+ (?:dollars|euros|pounds|usd|minutes|hours|people|guests|square)|limited|only have|have only|no more than|at most|under \d+|less than \d+|short on|don't have|do not have|without (?:a|an|any)|small (?:apartment|flat|kitchen|garden|budget|space|team))\b/i,
  ],
  [
    'relationship',
    /\b(?:my|our|his|her|their) (?:[a-z]+[- ])?(?:wife|husband|partner|girlfriend|boyfriend|friends?|boss|manager|cowork\w+|colleagues?|mother|mom|mum|father|dad|parents?|sons?|daughters?|kids?|child(?:ren)?|brother|sister|family|roommates?|neighbou?rs?|team|class|students?|teacher|dogs?|cats?|pets?|grand\w+|landlord|uncle|aunt|niece|nephew|toddler|baby|in-laws)\b/i,
  ],
];

const CODING: Families = [
  [
    'project_environment',
    /\b(?:my|our) (?:[\w.+#-]+ ){0,3}(?:app|application|project|code|codebase|program|script|repo(?:sitory)?|server|service|site|website|database|table|model|network|api|class|function|team|company|game|bot|pipeline)\b|\b(?:windows|linux|ubuntu|debian|macos|mac os|android|ios|raspberry|docker|eclipse|visual studio|vs ?code|xcode|jupyter|production|localhost|arduino|microcontroller|embedded|(?:i|we)(?:'m| am|'re| are) (?:working|building|using|writing|developing|running|making|creating|training|implementing|designing|trying)|(?:i|we)(?:'ve| have| use| used| tried| wrote| built| run| maintain| inherited)|my (?:own|current|first|laptop|computer|machine|data(?:set)?)|our|you are (?:given|tasked|working|developing|building|creating|implementing))\b/i,
  ],
  [
    'language_version',
    /\b(?:python|java|javascript|typescript|c\+\+|c#|f#|rust|golang|go \d|ruby|php|swift|kotlin|scala|perl|haskell|bash|shell|powershell|sql|html5?|css3?|matlab|objective-c|vba|clojure|elixir|lua|\.net|node(?:\.?js)?)(?![\w])|\bversion \d|\bv?\d+\.\d+(?:\.\d+)?\b|```(?:python|cpp|java|js|ts|c|rust|go|sh|bash|php|swift|typescript|javascript|csharp)\b/i,
  ],
  [
    'input_guarantee',
    /\b(?:input|guaranteed|constraints?|at most|at least|no more than|up to|between \d|integers?|positive|non-?negative|non-?empty|sorted|distinct|unique|lower-?case|upper-?case|length (?:of|n|at)|size of|range|limits?|maximum|minimum|given (?:an?|two|the|n)|each line|first line|test cases?)\b|[≤≥<>]=?\s*\d|\\le\b|\\leq\b/i,
  ],
  [
    'dependency_framework',
    /\b(?:librar(?:y|ies)|framework|packages?|modules?|imports?|dependenc(?:y|ies)|npm|pip|maven|gradle|react|angular|vue|django|flask|rails|spring|laravel|express|jquery|numpy|pandas|tensorflow|keras|pytorch|scikit|opencv|boost|hibernate|entity framework|asp\.net|bootstrap|wordpress|unity|qt|mysql|postgres(?:ql)?|sqlite|mongodb|redis|kafka|aws|azure|firebase|graphql|sqlalchemy|selenium|junit|pytest|open ?cv)\b/i,
  ],
  [
    'interface_contract',
    /\b(?:returns?|function|method|signature|parameters?|arguments?|takes|accepts|outputs?|prints?|class|interface|endpoint|api|callback|field|property|type of|format|schema|json|xml|csv)\b/i,
  ],
  [
    'failure_history',
    /\b(?:errors?|exceptions?|fail(?:s|ed|ing|ure)?|crash\w*|bugs?|doesn't work|does not work|not working|didn't work|can't|cannot|unable|wrong|unexpected\w*|segfault|null ?pointer|undefined|timeouts?|hangs?|stuck|broken|issue|problem (?:is|with)|tried|instead (?:of|it)|warning|leak\w*|slow)\b/i,
  ],
  [
    'implementation_constraint',
    /\b(?:without (?:using|any|a|an|the)|must(?: not)?|should(?: not|n't)?|only (?:use|using|one|once)|not allowed|need(?:s)? to|have to|has to|efficient\w*|O\([^)]*\)|time complexity|space complexity|in-?place|memory|performance|recursi\w+|iterativ\w+|thread-?safe|cannot (?:use|change|modify)|can't (?:use|change|modify)|avoid|constant|real[- ]time|asynchronous\w*|concurren\w+)\b/i,
  ],
  [
    'style',
    /\b(?:readable|idiomatic|pythonic|clean(?:er)?|elegant|best practices?|convention|naming|style|one-?liner|concise|maintainable|comments?|documentation|docstrings?|pep ?8|lint\w*|good practice)\b/i,
  ],
  [
    'deployment',
    /\b(?:deploy\w*|production|docker|kubernetes|heroku|ci\/cd|jenkins|github actions|cloud|aws|azure|gcp|nginx|apache|tomcat|iis|server|hosting|vm|container|app store|release|staging|cron)\b/i,
  ],
];

/** The families of each domain, in table order. */
export const FAMILIES: Readonly<Record<Domain, Families>> = { health: HEALTH, general: GENERAL, coding: CODING };

const setOf = (families: Families): PatternSet => createPatternSet(families.map(([, pattern]) => pattern));
const SETS: Readonly<Record<Domain, PatternSet>> = { health: setOf(HEALTH), general: setOf(GENERAL), coding: setOf(CODING) };

/** Memory-signal families (RULES) that a text shows, in table order; none means nothing in it could become a memory. */
export function memorySignals(text: string, domain: Domain): readonly string[] {
  const { has } = SETS[domain].scan(text);
  return FAMILIES[domain].filter((_, number) => has(number)).map(([name]) => name);
}
