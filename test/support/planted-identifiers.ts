import { seededUniforms } from '../../schemas/hash.ts';

/** Ten kinds of personal identifiers; the first eight have a pattern of their own, names are known by what stands before them. */
export const PLANTED_KINDS = [
  'email',
  'phone',
  'user url',
  'ip',
  'iban',
  'card',
  'national id',
  'handle',
  'greeting name',
  'signature name',
] as const;
export type PlantedKind = (typeof PLANTED_KINDS)[number];

/** A made-up identifier, and the sentence it stands in. */
export interface Planted {
  readonly kind: PlantedKind;
  readonly value: string;
  readonly sentence: string;
  /** Where in the question it stands. */
  readonly at: 'before' | 'after';
}

const FIRST = ['Marta', 'Jonas', 'Priya', 'Tomasz', 'Ingrid', 'Ravi', 'Lucia', 'Emeka', 'Sofia', 'Hannes'];
const LAST = ['Kowalczyk', 'Berger', 'Lindqvist', 'Okafor', 'Moreau', 'Castellano', 'Iyer', 'Halvorsen', 'Petrov', 'Whitfield'];
const WORDS = ['maple', 'harbor', 'quartz', 'violet', 'falcon', 'cedar', 'ember', 'delta', 'willow', 'cobalt'];

function luhnTail(body: string): string {
  let sum = 0;
  body
    .split('')
    .reverse()
    .forEach((digit, at) => {
      const doubled = at % 2 === 0 ? Number(digit) * 2 : Number(digit);
      sum += doubled > 9 ? doubled - 9 : doubled;
    });
  return String((10 - (sum % 10)) % 10);
}

function germanIban(bban: string): string {
  // 131400 stands for "DE00" at the end, as ISO 7064 moves country and check digits there.
  let rest = 0;
  for (const digit of `${bban}131400`) rest = (rest * 10 + Number(digit)) % 97;
  return `DE${String(98 - rest).padStart(2, '0')}${bban}`;
}

/** Identifier number `n` of a kind: the same one on every machine. */
export function plant(kind: PlantedKind, n: number): Planted {
  const draw = seededUniforms('planted', kind, n);
  const below = (limit: number): number => Math.floor(draw() * limit);
  const digits = (count: number): string => Array.from({ length: count }, () => below(10)).join('');
  const pick = (list: readonly string[]): string => list[below(list.length)] ?? '';
  const user = `${pick(WORDS)}${pick(['_', '.', ''])}${pick(LAST).toLowerCase()}${below(90) + 10}`;
  const after = (value: string, sentence: string): Planted => ({ kind, value, sentence, at: 'after' });
  switch (kind) {
    case 'email': {
      const value = `${user}@${pick(WORDS)}-${pick(['mail', 'post', 'web'])}.${pick(['com', 'de', 'co.uk', 'net', 'org'])}`;
      return after(
        value,
        pick([`You can write to ${value} if you need more.`, `My address is ${value}.`, `Send the details to <${value}>, please.`]),
      );
    }
    case 'phone': {
      const value = pick([
        `+49 17${below(10)} ${digits(3)} ${digits(4)}`,
        `(${below(7) + 2}${digits(2)}) ${below(7) + 2}${digits(2)}-${digits(4)}`,
        `+1 ${below(7) + 2}${digits(2)} ${below(7) + 2}${digits(2)} ${digits(4)}`,
        `+44 20 7${digits(3)} ${digits(4)}`,
        `${below(7) + 2}${digits(2)}-${below(7) + 2}${digits(2)}-${digits(4)}`,
      ]);
      return after(
        value,
        pick([`Please call me at ${value} in the evening.`, `My phone number is ${value}.`, `You reach me under ${value} after six.`]),
      );
    }
    case 'user url': {
      const value = user;
      const url = pick([
        `https://forum.${pick(WORDS)}.org/users/${value}`,
        `https://twitter.com/${value}`,
        `https://github.com/${value}`,
        `https://www.${pick(WORDS)}.net/members/${value}`,
      ]);
      return after(value, pick([`My profile is ${url} and shows more.`, `I wrote about it at ${url} last month.`]));
    }
    case 'ip': {
      const value = `${pick(['84', '93', '151', '62', '217'])}.${below(200) + 20}.${below(200) + 20}.${below(200) + 20}`;
      return after(value, pick([`The access came from ${value} yesterday.`, `My router shows ${value} as its address.`]));
    }
    case 'iban': {
      const bare = germanIban(`${below(9) + 1}${digits(17)}`);
      const value = below(2) === 0 ? bare : (bare.match(/.{1,4}/g) ?? []).join(' ');
      return after(value, `The refund should go to ${value} as agreed.`);
    }
    case 'card': {
      const body = pick(['4', '51', '54']) + digits(15);
      const bare = body.slice(0, 15) + luhnTail(body.slice(0, 15));
      const value = below(2) === 0 ? bare : (bare.match(/.{4}/g) ?? []).join('-');
      return after(value, `I paid with the credit card ${value} back then.`);
    }
    case 'national id': {
      const value = pick([
        `${below(500) + 100}-${below(80) + 10}-${below(9000) + 1000}`,
        `AB ${digits(2)} ${digits(2)} ${digits(2)} C`,
        `${digits(3)}.${digits(3)}.${digits(3)}-${digits(2)}`,
      ]).replace(/^666/, '665');
      return after(value, pick([`On the form I gave ${value} as my number.`, `My number there is ${value}, they said.`]));
    }
    case 'handle': {
      const value = `@${pick(WORDS)}_${pick(LAST).toLowerCase()}${below(90) + 10}`;
      return after(value, pick([`Follow me on twitter ${value} for the rest.`, `On instagram I am ${value} since last year.`]));
    }
    case 'greeting name': {
      const value = `${pick(FIRST)} ${pick(LAST)}`;
      return {
        kind,
        value,
        at: 'before',
        sentence: pick([`Hello, my name is ${value}.`, `Hi, this is ${value}.`, `Dear Dr. ${value},\n`]),
      };
    }
    case 'signature name': {
      const value = `${pick(FIRST)} ${pick(LAST)}`;
      return after(value, `\n\n${pick(['Best regards', 'Kind regards', 'Sincerely', 'Cheers'])},\n${value}`);
    }
  }
}
