import type { Domain } from '../../schemas/levels.ts';
import { createPatternSet } from '../pattern-set/pattern-set.ts';
import { isCardNumber, isIban, isSpanishId } from './check-digits.ts';

/** Kinds of personal identifiers that are found by pattern, in the order in which they are looked for. */
export const IDENTIFIER_KINDS = ['user', 'email', 'iban', 'national id', 'card', 'phone', 'ip', 'handle', 'name'] as const;
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];

/** One identifier in a text; `value` stands at `start`. */
export interface FoundIdentifier {
  readonly kind: IdentifierKind;
  readonly value: string;
  readonly start: number;
}

interface Detector {
  readonly kind: IdentifierKind;
  readonly pattern: RegExp;
  /** The group that holds the identifier; 0 is the whole match. */
  readonly group?: number;
  /** Domains it is left out of because honest text looks the same there. */
  readonly except?: Domain;
  readonly accept?: (value: string, before: string, domain: Domain) => boolean;
}

const digits = (text: string): string => text.replace(/\D/g, '');
const CUE = /(?:call|phone|tel|telephone|mobile|cell|whatsapp|contact|number is|text|fax|sms|reach)\b[^.\n]{0,30}$/i;
const NOT_A_NAME =
  /^(?:Doctor|Doc|Dr|Sir|Madam|Ma'am|Sirs|There|All|Everyone|Everybody|Team|Friends?|Folks|Guys|World|Again|Dear|User|Chat|Admin|Community|Customer|Hiring|Manager|Santa|Diary|God|Lord|Mom|Dad|Mum|Grand(?:ma|pa|mother|father|dad)|Aunt|Uncle|Mother|Father|Reader|Students?|Professor|Colleagues?|Parents?|Valued|Members?|Name|The|My|I|You|This|Thanks|Best|Regards|Kind|Warm|Cheers|Sincerely|Love|Many|Yours|Also|In|And|From|For|It|We|Welcome|How|What|Can|Please|Hope|Good|Not|Yes|No|So|Google|Siri|Alexa|Assistant|Robot|Kitty|Future|Self|Seuss|Pepper|Martens|Who|Strange|House|Watson|Jekyll)$/i;
const isName = (value: string): boolean => value.split(/\s+/).every((part) => !NOT_A_NAME.test(part.replace(/\.$/, '')));
const NAME = String.raw`\p{Lu}\p{Ll}+(?:[ -]\p{Lu}\p{Ll}+|\s\p{Lu}\.){0,2}`;

const DETECTORS: readonly Detector[] = [
  { kind: 'user', pattern: /\b(?:https?|ftp|ssh):\/\/([^\s/@:]+(?::[^\s/@]*)?)@[^\s)\]>"']+/gi, group: 1 },
  {
    kind: 'user',
    pattern:
      /\.[a-z]{2,}(?:\/[\w.-]+)*?\/(?:users?|u|profiles?|people|members?|author)\/((?:\d+\/)?[\w.%-]*[A-Za-z][\w.%-]*|\d+)(?<![.,])/gi,
    group: 1,
    accept: (value) => !/^(?:login|signup|register|edit|me|new|settings|guide|manual|docs?|index)(?:\.\w+)?$/i.test(value),
  },
  { kind: 'user', pattern: /\.[a-z]{2,}(?::\d+)?(?:\/[\w.-]+)*?\/[~@]([A-Za-z][\w.-]{1,38})(?<![.,])/gi, group: 1 },
  {
    kind: 'user',
    pattern:
      /\b(?:twitter\.com|x\.com|instagram\.com|facebook\.com|linkedin\.com\/in|t\.me|tiktok\.com|github\.com|gitlab\.com)\/([\w.%-]{3,})(?![\w/%-])(?<![.,])/gi,
    group: 1,
    accept: (value) =>
      !/^(?:about|login|home|explore|features|pricing|docs|help|search|share|sharer\.php|topics|trending|orgs|openai|google|microsoft|facebook)$/i.test(
        value,
      ),
  },
  {
    kind: 'email',
    pattern: /(?<![\w.+-])[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,}\b/gi,
    accept: (value) => !/@(?:example|test)\.(?:com|org|net)$|\.(?:png|jpg|js|css)$/i.test(value),
  },
  { kind: 'email', pattern: /\b[\w.+-]{2,}\s*(?:\[at\]|\(at\)|\{at\})\s*[\w-]+\s*(?:\.|\[dot\]|\(dot\)|\{dot\})\s*[a-z]{2,}\b/gi },
  { kind: 'iban', pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, accept: isIban },
  { kind: 'national id', pattern: /\b(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b/g },
  { kind: 'national id', pattern: /\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b/g },
  { kind: 'national id', pattern: /\b\d{3}\.\d{3}\.\d{3}-\d{2}\b/g },
  { kind: 'national id', pattern: /\b[A-Z]{3}[PCHFATBLJG][A-Z]\d{4}[A-Z]\b/g },
  { kind: 'national id', pattern: /\b\d{8}-?[A-HJ-NP-TV-Z]\b/g, accept: isSpanishId },
  { kind: 'national id', pattern: /\b[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]\b/g },
  {
    kind: 'national id',
    pattern:
      /\b(?:aadha?ar|ssn|social security|national (?:id|insurance)|passport|tax id|nhs)(?: (?:number|no\.?|card))*[ :#is]{0,6}([A-Z]{0,2}\d[\dA-Z -]{5,17}\d)\b/gi,
    group: 1,
  },
  {
    kind: 'card',
    pattern: /(?<![\w.,-])(?:\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})(?![\w.,]*\d)(?![ -]\d)/g,
    accept: (value, before, domain) =>
      isCardNumber(digits(value)) &&
      (domain !== 'coding' || !/ /.test(value) || /\b(?:card|visa|mastercard|amex|credit|payment)\b/i.test(before)),
  },
  {
    kind: 'phone',
    pattern: /(?<![\w+.^*/-])\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,5}(?![\d\w])/g,
    accept: (value) => digits(value).length >= 9 && digits(value).length <= 15 && /[ .()-]|^\+\d{11,13}$/.test(value),
  },
  { kind: 'phone', pattern: /(?<![\w.+-])(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[.-]\d{4}(?![\w.-]*\d)/g },
  { kind: 'phone', pattern: /(?<![\w.+-])0\d{2,4}[ -]\d{3,4}[ -]?\d{3,4}(?!\d)/g, except: 'coding' },
  {
    kind: 'phone',
    pattern: /(?<![\w.+-])\d{3,5}[ -]?\d{3,5}[ -]?\d{0,5}(?!\d)/g,
    accept: (value, before) => digits(value).length >= 8 && digits(value).length <= 13 && CUE.test(before),
  },
  {
    kind: 'ip',
    pattern: /(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w]|\.\d)/g,
    accept: (value, before) =>
      !/^(?:0\.|10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|255\.|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|8\.8\.|1\.1\.1\.1|(?:\d\.){3}\d$)/.test(
        value,
      ) && !/\b(?:version|v|release|mask)\s*$/i.test(before),
  },
  { kind: 'ip', pattern: /(?<![\w:])(?:[0-9a-f]{1,4}:){5,7}[0-9a-f]{1,4}(?![\w:])/gi },
  { kind: 'handle', pattern: /(?<![\w./@`+-])@[A-Za-z]\w{2,29}\b(?![/.(\w])/g, except: 'coding' },
  {
    kind: 'handle',
    pattern:
      /(?:twitter|instagram|telegram|follow|snapchat|tiktok|github|discord|dm|thanks to|ping)\b[^.\n@`]{0,20}(?<!\w)(@[A-Za-z]\w{2,29})\b(?![/(])/gi,
    group: 1,
  },
  {
    kind: 'name',
    pattern: new RegExp(String.raw`\b(?:[Mm]y name(?: is|'s)|[Tt]his is|[Ii] am called|[Cc]all me)\s+(${NAME})`, 'gu'),
    group: 1,
    accept: isName,
  },
  {
    kind: 'name',
    pattern: new RegExp(
      String.raw`(?:^|[.!?\n]\s*)(?:Hi|Hello|Hey|Dear|Good (?:[Mm]orning|[Ee]vening|[Aa]fternoon))[ ,]+(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(${NAME})(?=\s*[,.!:\n-])`,
      'gu',
    ),
    group: 1,
    accept: isName,
  },
  {
    kind: 'name',
    pattern: new RegExp(
      String.raw`(?:^|[.!?\n,]\s*)(?:(?:[Bb]est|[Kk]ind|[Ww]arm|[Mm]any)\s+)?(?:[Rr]egards|[Ss]incerely|[Cc]heers|[Bb]est wishes|[Yy]ours(?: truly| faithfully| sincerely)?|[Tt]hanks|[Tt]hank you|[Bb]est|[Ll]ove)[,.!]?\s*\n?\s*[-–—~]?\s*((?:(?:Dr|Mr|Mrs|Ms|Prof)\.? ?)?${NAME})(?=\s*\.?\s*(?:\n|$))`,
      'gu',
    ),
    group: 1,
    accept: isName,
  },
  { kind: 'name', pattern: new RegExp(String.raw`\bDr\.? ?(${NAME})(?=\s*(?:[,.]|$|\())`, 'gu'), group: 1, accept: isName },
];

/** Spans of code, where look-alikes (decorators, addresses of examples) are no identifiers of people. */
function codeSpans(text: string): readonly (readonly [number, number])[] {
  return [...text.matchAll(/```[\s\S]*?(?:```|$)|`[^`\n]+`/g)].map((match) => [match.index, match.index + match[0].length] as const);
}

const ALSO_IN_CODE: ReadonlySet<IdentifierKind> = new Set(['email', 'iban', 'card', 'user']);

const PATTERNS = createPatternSet(DETECTORS.map(({ pattern }) => pattern));

/** Personal identifiers of a text, without overlaps, in order of place. */
export function findIdentifiers(text: string, domain: Domain): readonly FoundIdentifier[] {
  const { has, isNone } = PATTERNS.scan(text);
  if (isNone) return [];
  const found: FoundIdentifier[] = [];
  let code: ReturnType<typeof codeSpans> | null = null;
  for (const [number, { kind, pattern, group = 0, except, accept }] of DETECTORS.entries()) {
    if (except === domain || !has(number)) continue;
    code ??= codeSpans(text);
    for (const match of text.matchAll(pattern)) {
      const value = (match[group] ?? '').trim();
      if (value === '') continue;
      const start = group === 0 ? match.index + match[0].indexOf(value) : match.index + match[0].lastIndexOf(value);
      const end = start + value.length;
      const isTaken = found.some((other) => start < other.start + other.value.length && end > other.start);
      const isInCode = !ALSO_IN_CODE.has(kind) && code.some(([from, to]) => start >= from && start < to);
      if (!isTaken && !isInCode && (accept === undefined || accept(value, text.slice(Math.max(0, start - 60), start), domain)))
        found.push({ kind, value, start });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}
