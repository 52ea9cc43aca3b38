// Writes N source rows made by recombining the sentences of the demo rows (CC0), a third per domain, in the `custom` shape.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROWS = join(import.meta.dirname, '../../datasets/demo/rows');
const jsonl = (name) =>
  readFileSync(join(ROWS, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const json = (name) => JSON.parse(readFileSync(join(ROWS, name), 'utf8'));
const plain = (html) =>
  html
    .replace(/<pre>[\s\S]*?<\/pre>/g, '')
    .replace(/<[^>]+>/g, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&[a-z]+;/g, '');

// Questions and answers of the demo rows of a domain; only rows long enough to build from.
const SEEDS = {
  health: [
    ...jsonl('meddialog.jsonl').map((row) => [row.patient_message, row.doctor_response]),
    ...jsonl('healthcaremagic.jsonl').map((row) => [row.input, row.output]),
  ],
  general: json('ultrachat.json').map((row) => [row.messages[0]?.content, row.messages[1]?.content]),
  coding: jsonl('stackexchange.jsonl').map((row) => [plain(row.question ?? ''), plain(row.answers?.[0]?.text ?? '')]),
};
const sentences = (text) =>
  text
    .split(/(?<=[.?!])\s+/)
    .map((part) => part.trim())
    .filter((part) => part.length > 25 && part.length < 300);

/** A small seeded generator (mulberry32): the same rows for the same count, on every machine. */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function drawn(pool, count, random) {
  const left = [...pool];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(Math.floor(random() * left.length), 1)[0]);
}

/** Sentences of the demo rows by domain: what users tell, what they ask, what is answered. */
export function sentencePools() {
  return Object.entries(SEEDS).map(([domain, pairs]) => {
    const rows = pairs.filter(([question, answer]) => (question ?? '').length > 100 && (answer ?? '').length > 60);
    const ofQuestions = rows.flatMap(([question]) => sentences(question));
    return {
      domain,
      told: ofQuestions.filter((part) => !part.endsWith('?')),
      asked: ofQuestions.filter((part) => part.endsWith('?')),
      said: rows.flatMap(([, answer]) => sentences(answer)),
    };
  });
}

/** Writes `<domain>.jsonl` for the three domains into a folder. */
export function makeRows(folder, count) {
  sentencePools().forEach(({ domain, told, asked, said }, index, all) => {
    const random = randomFrom(index + 1);
    const share = Math.floor(count / all.length) + (index < count % all.length ? 1 : 0);
    const lines = Array.from({ length: share }, (_, n) =>
      JSON.stringify({
        id: `${domain}-${n}`,
        question: [...drawn(told, 6, random), ...drawn(asked, 1, random)].join(' '),
        answer: drawn(said, 4, random).join(' '),
      }),
    );
    writeFileSync(join(folder, `${domain}.jsonl`), `${lines.join('\n')}\n`);
  });
}

/** The source entry of a config for the file of a domain that `makeRows` wrote. */
export function sourceOf(domain) {
  return {
    name: domain,
    adapter: 'custom',
    path: `${domain}.jsonl`,
    domain,
    licence: 'CC0-1.0',
    columns: { id: 'id', question: 'question', answer: 'answer' },
  };
}
