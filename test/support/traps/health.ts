import type { JsonObject } from '../../../schemas/json.ts';
import type { Trap } from './trap.ts';

const Q = 'Hello doctor, I have had a sore knee for two weeks since I fell from my bike in June. Should I rest it or go on training?';
const A = 'Rest it for a week, cool it three times a day and have it examined if the swelling stays. After that begin with easy walks.';
const med = (change: JsonObject = {}): JsonObject => ({ Description: '', Patient: Q, Doctor: A, ...change });
const hcm = (change: JsonObject = {}): JsonObject => ({
  instruction: 'If you are a doctor, please answer.',
  input: Q,
  output: A,
  ...change,
});
const icl = (change: JsonObject = {}): JsonObject => ({
  question: 'What helps a sore knee?',
  question_text: Q,
  answer: A,
  tags: [],
  url: 'https://x.org/1',
  ...change,
});

/** Traps of the consultation sources. */
export const HEALTH_TRAPS: readonly Trap[] = [
  {
    adapter: 'meddialog',
    clause: 'answer is only boilerplate',
    name: 'an answer of courtesy and referral',
    rows: [med({ Doctor: 'Hi. For further doubts consult a sexologist online -->' })],
    reasons: ['boilerplate_answer'],
  },
  {
    adapter: 'meddialog',
    clause: 'trailing `-->`',
    name: 'a trailing arrow is taken off',
    rows: [med({ Doctor: `${A} For further doubts consult an orthopaedist online -->` })],
    reasons: [],
    kept: { has: [/examined/], hasNot: [/-->/, /consult an/] },
  },
  {
    adapter: 'meddialog',
    clause: 'exact duplicate dialogues',
    name: 'repeated dialogues are one',
    rows: [med(), med(), med()],
    reasons: ['exact_duplicate', 'exact_duplicate'],
  },
  {
    adapter: 'meddialog',
    clause: 'Description often restates',
    name: 'a description that only restates adds no context',
    rows: [med({ Description: 'Q. I have had a sore knee for two weeks since I fell from my bike in June.' })],
    reasons: [],
    kept: { has: [/"context":\[\]/] },
  },
  {
    adapter: 'meddialog',
    clause: 'NBSP',
    name: 'no-break spaces become spaces',
    rows: [med({ Patient: Q.replaceAll(' ', '\u00A0') })],
    reasons: [],
    kept: { hasNot: [/\u00A0/], has: [/sore knee for two weeks/] },
  },
  {
    adapter: 'meddialog',
    clause: 'truncated mid-word',
    name: 'an answer cut at 2,500 characters',
    rows: [{ patient_message: Q, doctor_response: `${'Rest it well. '.repeat(200).slice(0, 2494)} becau` }],
    reasons: ['truncated_answer'],
  },
  {
    adapter: 'meddialog',
    clause: 'empty (NaN) Doctor',
    name: 'an empty answer cell',
    rows: [med({ Doctor: 'NaN' }), med({ Doctor: null })],
    reasons: ['missing_answer', 'missing_answer'],
  },
  {
    adapter: 'meddialog',
    clause: 'same dialogues also sit in iCliniq',
    name: 'a dialogue in another source of the domain',
    rows: [med()],
    beside: { adapter: 'icliniq', rows: [icl()] },
    reasons: ['exact_duplicate'],
  },
  {
    adapter: 'icliniq',
    clause: 'answers lower-cased',
    name: 'a lower-cased answer is read in sentences',
    rows: [icl({ answer: `hi. ${A.toLowerCase()} for further doubts consult an orthopaedist online --> <link>` })],
    reasons: [],
    kept: { has: [/rest it for a week/], hasNot: [/consult an orthopaedist/, /"answer":"hi/] },
  },
  {
    adapter: 'icliniq',
    clause: 'all end in "consult a',
    name: 'the referral tail with its link is taken off',
    rows: [icl({ answer: `${A} Revert back with the photos to an orthopaedist online --> <link>` })],
    reasons: [],
    kept: { hasNot: [/<link>|-->|online/] },
  },
  {
    adapter: 'icliniq',
    clause: 'question_text padded',
    name: 'a padded question is trimmed',
    rows: [icl({ question_text: `\r\n\t\t ${Q}\r\n\t ` })],
    reasons: [],
    kept: { has: [/"question":"Hello doctor/], hasNot: [/\\t|\\r/] },
  },
  {
    adapter: 'icliniq',
    clause: '"Chat Doctor" replaces',
    name: 'model answers of the hub set stay out',
    rows: [{ input: Q, answer_icliniq: A, answer_chatgpt: 'MODELTEXT one', answer_chatdoctor: 'MODELTEXT two' }],
    reasons: [],
    kept: { hasNot: [/MODELTEXT/] },
  },
  {
    adapter: 'healthcaremagic',
    clause: 'greeting and sign-off boilerplate',
    name: 'greeting and sign-off are taken off',
    rows: [hcm({ output: `Hi, Thank you for posting your query. ${A} Hope this answers your query. Wish you good health.` })],
    reasons: [],
    kept: { has: [/Rest it/], hasNot: [/Thank you|Hope this/] },
  },
  {
    adapter: 'healthcaremagic',
    clause: 'search-and-replace artefact',
    name: '"Chat Doctor" in greeting and signature',
    rows: [hcm({ output: `Hello, Welcome to Chat Doctor forum. ${A} Regards, Chat Doctor.` })],
    reasons: [],
    kept: { hasNot: [/Chat Doctor/] },
  },
  {
    adapter: 'healthcaremagic',
    clause: 'automatic grammar correction',
    name: 'damaged words stay as they are: no rule repairs text, the model screens it',
    rows: [hcm({ output: `${A} Take Ibuprofen for hundred my twice.` })],
    reasons: [],
    kept: { has: [/hundred my twice/] },
  },
  {
    adapter: 'healthcaremagic',
    clause: 'duplicate outputs',
    name: 'equal answers to different questions are two rows',
    rows: [
      hcm(),
      hcm({
        input:
          'My daughter is nine and has had a cough every night since March. What could the cause of it be, and does she need an X-ray?',
      }),
    ],
    reasons: [],
  },
  {
    adapter: 'healthcaremagic',
    clause: 'missing spaces after full stops',
    name: 'joined sentences, short questions, bare referrals',
    rows: [
      hcm({ output: A.replace('. After', '.After') }),
      hcm({ input: 'Knee pain why?' }),
      hcm({ input: `${Q} It is the left one.`, output: 'Hi. You should consult an orthopaedist online for further details.' }),
    ],
    reasons: ['question_too_short', 'boilerplate_answer'],
    kept: { has: [/stays\. After/] },
  },
];
