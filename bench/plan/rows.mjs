// Source rows for the rerun bench: what users tell is recombined from the demo rows (CC0), what they ask is built from parts, so that
// thousands of questions differ enough to stand beside each other in one dataset.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom, sentencePools } from '../overhead/make-rows.mjs';

const ASKS = {
  health: {
    ask: (a, b, c) => `What should I do about the ${a} in my ${b} that began after ${c} so that it gets better?`,
    parts: [
      [
        'pain',
        'swelling',
        'numbness',
        'itching',
        'stiffness',
        'burning',
        'tingling',
        'cramping',
        'soreness',
        'pressure',
        'redness',
        'weakness',
      ],
      [
        'left knee',
        'right shoulder',
        'lower back',
        'neck',
        'ankle',
        'wrist',
        'hip',
        'elbow',
        'jaw',
        'calf',
        'heel',
        'thumb',
        'forearm',
        'chest wall',
      ],
      [
        'gardening',
        'a long flight',
        'moving house',
        'a new job',
        'the flu',
        'my holiday',
        'swimming',
        'painting the kitchen',
        'a cold week',
        'cycling',
        'a dance class',
        'sleeping on a sofa',
        'carrying boxes',
        'hiking',
        'a dental visit',
        'driving all day',
        'new shoes',
        'a birthday party',
        'a football match',
        'night shifts',
        'raking leaves',
        'a stumble',
        'heavy rain',
        'my exams',
        'lifting my niece',
        'choir practice',
        'a long walk',
        'cleaning windows',
        'a ski trip',
        'baking bread',
        'a boat tour',
        'fasting',
        'a museum day',
        'shovelling snow',
      ],
    ],
  },
  general: {
    ask: (a, b, c) => `How would you ${a} a ${b} for ${c} without much money or time?`,
    parts: [
      ['plan', 'organise', 'prepare', 'arrange', 'decorate', 'announce', 'begin', 'improve', 'lead', 'design', 'host', 'simplify'],
      [
        'picnic',
        'reading circle',
        'photo evening',
        'garden party',
        'chess club',
        'street market',
        'cooking class',
        'board game night',
        'film evening',
        'book swap',
        'quiz',
        'family album',
        'farewell',
        'weekend trip',
      ],
      [
        'my neighbours',
        'the office',
        'my grandparents',
        'a school class',
        'new arrivals',
        'my cousins',
        'the village',
        'old friends',
        'my team',
        'our choir',
        'the library',
        'the whole street',
        'two families',
        'my flatmates',
        'retired colleagues',
        'the parish',
        'young parents',
        'my students',
        'the allotment',
        'the rowers',
        'our tenants',
        'some tourists',
        'my godchildren',
        'the staff',
        'the volunteers',
        'a small choir',
        'my pen friends',
        'the painters',
        'the hikers',
        'my former class',
        'the night shift',
        'our guests',
        'the orchestra',
        'the bakers',
      ],
    ],
  },
  coding: {
    ask: (a, b, c) => `How can I ${a} the ${b} of ${c} and keep the code easy to test?`,
    parts: [
      ['parse', 'sort', 'cache', 'validate', 'merge', 'split', 'index', 'stream', 'filter', 'compress', 'group', 'compare'],
      [
        'rows',
        'headers',
        'timestamps',
        'entries',
        'columns',
        'messages',
        'identifiers',
        'events',
        'paths',
        'records',
        'tokens',
        'totals',
        'labels',
        'batches',
      ],
      [
        'a CSV export',
        'a log file',
        'two queues',
        'a config folder',
        'a payment feed',
        'a REST response',
        'a SQLite table',
        'a shopping cart',
        'a mailbox',
        'a sensor array',
        'a nightly job',
        'a search form',
        'a job queue',
        'a calendar file',
        'a chat archive',
        'a build log',
        'a price list',
        'an address book',
        'a photo store',
        'a word list',
        'a bank statement',
        'an error report',
        'a user table',
        'a ticket system',
        'a map tile set',
        'a game board',
        'a music library',
        'a package index',
        'a backup folder',
        'a survey sheet',
        'a flight table',
        'a zip archive',
        'a web form',
        'a metrics store',
      ],
    ],
  },
};

function drawn(pool, count, random) {
  const left = [...pool];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(Math.floor(random() * left.length), 1)[0]);
}

/** Every question of a domain once, in a seeded order: 5,712 of them, then with a number of years, which sets them apart again. */
function question(domain, n) {
  const { ask, parts } = ASKS[domain];
  const [a, b, c] = parts;
  const all = a.length * b.length * c.length;
  // A step without a common divisor visits every combination.
  const at = (n * 2347) % all;
  const words = [a[at % a.length], b[Math.floor(at / a.length) % b.length], c[Math.floor(at / (a.length * b.length))]];
  const round = Math.floor(n / all);
  return round === 0
    ? ask(...words)
    : ask(...words).replace(/ (so that|without|and keep)\b/, `, ${round + 1} years on from the first time, $1`);
}

/** Writes `<domain>.jsonl` for the three domains into a folder, `counts` rows each. */
export function writeRows(folder, counts) {
  sentencePools().forEach(({ domain, told, said }, index) => {
    const random = randomFrom(index + 1);
    const lines = Array.from({ length: counts[domain] }, (_, n) =>
      JSON.stringify({
        id: `${domain}-${n}`,
        question: [...drawn(told, 6, random), question(domain, n)].join(' '),
        answer: drawn(said, 4, random).join(' '),
      }),
    );
    writeFileSync(join(folder, `${domain}.jsonl`), `${lines.join('\n')}\n`);
  });
}
