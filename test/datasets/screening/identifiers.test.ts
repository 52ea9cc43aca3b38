import { describe, expect, it } from 'vitest';
import { findIdentifiers, IDENTIFIER_KINDS } from '../../../datasets/screening/identifiers.ts';
import { maskRow } from '../../../datasets/screening/mask-row.ts';
import { DOMAINS, type Domain } from '../../../schemas/levels.ts';
import { sourceRow } from '../rows.ts';

const PLANTED: readonly (readonly [kind: string, text: string, value: string])[] = [
  ['email', 'Write to anna.berg+news@mail.example-clinic.de please.', 'anna.berg+news@mail.example-clinic.de'],
  ['email', 'Reach me at jo_smith (at) postbox (dot) org today.', 'jo_smith (at) postbox (dot) org'],
  ['phone', 'Call me at +49 171 2345678 tonight.', '+49 171 2345678'],
  ['phone', 'My office is (212) 555-0187 in the morning.', '(212) 555-0187'],
  ['phone', 'My mobile number is 98765 43210, please call.', '98765 43210'],
  ['phone', 'Ring 415-555-0132 after six.', '415-555-0132'],
  ['ip', 'The log shows 84.173.22.19 at noon.', '84.173.22.19'],
  ['ip', 'It came from 2001:db8:85a3:8d3:1319:8a2e:370:7348 again.', '2001:db8:85a3:8d3:1319:8a2e:370:7348'],
  ['iban', 'Transfer it to DE89 3704 0044 0532 0130 00 by Friday.', 'DE89 3704 0044 0532 0130 00'],
  ['iban', 'Account GB82WEST12345698765432 is mine.', 'GB82WEST12345698765432'],
  ['card', 'I paid with card 4111 1111 1111 1111 yesterday.', '4111 1111 1111 1111'],
  ['card', 'The card number was 5500005555555559 there.', '5500005555555559'],
  ['national id', 'My number is 536-22-8145, is that enough?', '536-22-8145'],
  ['national id', 'NI number QQ is a sample, mine is AB 12 34 56 C now.', 'AB 12 34 56 C'],
  ['national id', 'My Aadhaar number is 2345 6789 0123, they say.', '2345 6789 0123'],
  ['national id', 'CPF 390.533.447-05 was refused.', '390.533.447-05'],
  ['user', 'See https://forum.example.org/users/maria.lopez for it.', 'maria.lopez'],
  ['user', 'My page is https://twitter.com/joe_the_baker now.', 'joe_the_baker'],
  ['user', 'Clone https://anna:secret@git.example.org/x.git first.', 'anna:secret'],
  ['user', 'Read https://www.uni-example.edu/~hofmann/notes.pdf first.', 'hofmann'],
  ['name', 'Hello, my name is Sarah Miller and I am tired.', 'Sarah Miller'],
  ['name', 'Hi Dr. Kowalski, my back hurts.', 'Kowalski'],
  ['name', 'What can I do?\n\nBest regards,\nThomas Berger', 'Thomas Berger'],
];

describe('planted identifiers', () => {
  it.each(PLANTED)('finds the %s in %j', (kind, text, value) => {
    for (const domain of DOMAINS) {
      const found = findIdentifiers(text, domain);
      expect(found.map((item) => [item.kind, item.value])).toEqual([[kind, value]]);
    }
  });

  it('finds handles outside coding, and in coding where someone is called', () => {
    expect(findIdentifiers('Ask @baking_anna about it.', 'general').map((item) => item.value)).toEqual(['@baking_anna']);
    expect(findIdentifiers('Follow me on twitter @baking_anna for more.', 'coding').map((item) => item.value)).toEqual(['@baking_anna']);
    expect(new Set(PLANTED.map(([kind]) => kind)).size).toBe(IDENTIFIER_KINDS.length - 1);
  });
});

describe('look-alikes stay', () => {
  it.each<[Domain, string]>([
    ['coding', 'Use @Override above the method and @property in Python, or @media in CSS.'],
    ['coding', 'Install @angular/core 1.2.3.4 and listen on 127.0.0.1 or 192.168.0.10.'],
    ['coding', 'The list 415546599 415546599 415546599 415546599 has equal numbers.'],
    ['coding', 'Given 4 4 1 2 1 1 4 2 3 4 1 2 1 4 4 1 as input, print 7.'],
    ['coding', 'Its id is 2af579e8-b359-4538-9611-141a20b3c4d5 in the log.'],
    ['coding', 'Version 10.15.7.1 of the driver; netmask 255.255.255.0.'],
    ['coding', 'Compute 1000000007 modulo 998244353 with n up to 10^18.'],
    ['coding', 'user@example.com is the placeholder of the docs.'],
    ['coding', 'Clone https://github.com/some-org/some-repo and read https://github.com/features first.'],
    ['health', 'My pressure was 120/80, sugar 5.6 - 7.8, and weight 70-75 kg in 2019-2020.'],
    ['health', 'Hi doctor, I took 500-750 mg for 10-14 days.'],
    ['health', 'Dear Sir, thank you. Hello Doctor, good morning.'],
    ['health', 'My TSH went 2.31, 4.75, 3.90 and the scan was on 12-05-2019 at 10.30.'],
    ['general', 'Hi there! Dear Santa, I wish for a train. Thanks. Best, and so on.'],
    ['general', 'The Dr. Seuss books and Dr. Martens shoes are for my son.'],
    ['general', 'From 1914-1918 and 1939-1945 about 100,000,000 people moved.'],
    ['general', 'Meet me @ 5 pm, 20 people @ 15 euros each.'],
    ['general', 'Good morning Vietnam was a film. Hello World is a program.'],
  ])('%s: %j', (domain, text) => {
    expect(findIdentifiers(text, domain)).toEqual([]);
  });
});

describe('maskRow', () => {
  it('gives equal values one placeholder all over the row and numbers the others', () => {
    const row = sourceRow({
      question: 'Write to a@b.org or c@d.org about it?',
      context: [{ speaker: 'user', text: 'I am A@B.org' }],
      answer: 'Use c@d.org first.',
    });
    const { row: masked, counts } = maskRow(row);
    expect(masked.context[0]?.text).toBe('I am [email]');
    expect(masked.question).toBe('Write to [email] or [email 2] about it?');
    expect(masked.answer).toBe('Use [email 2] first.');
    expect(counts).toEqual({ email: 4 });
  });

  it('gives a row without identifiers back as it was', () => {
    const row = sourceRow();
    expect(maskRow(row)).toEqual({ row, counts: {} });
  });
});
