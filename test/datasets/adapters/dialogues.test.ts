import { describe, expect, it } from 'vitest';
import { readHealthCareMagic } from '../../../datasets/adapters/healthcaremagic.ts';
import { readIcliniq } from '../../../datasets/adapters/icliniq.ts';
import { readMedDialog } from '../../../datasets/adapters/meddialog.ts';
import { contextOf, reasonOf, rowOf } from '../rows.ts';

const med = contextOf('meddialog');
const QUESTION = 'Hello doctor, I have had a sore knee for two weeks since I fell from my bike. Should I rest it?';
const ANSWER = 'Rest it for a week, cool it three times a day and have it examined if the swelling stays.';

describe('MedDialog', () => {
  it.each([
    ['hub columns', { patient_message: QUESTION, doctor_response: ANSWER, dialogue_context: '' }],
    ['Description, Patient, Doctor', { Description: 'Q. Sore knee after a fall?', Patient: QUESTION, Doctor: ANSWER }],
    ['Question, Patient, Answer', { Question: 'Q. Sore knee after a fall?', Patient: QUESTION, Answer: ANSWER }],
    ['columnar turns', { dialogue_id: 7, dialogue_turns: { speaker: [0, 1], utterance: [QUESTION, ANSWER] } }],
    ['utterances with speakers', { description: 'Q. Sore knee?', utterances: [`patient: ${QUESTION}`, `doctor: ${ANSWER}`] }],
  ])('reads the shape "%s"', (_name, row) => {
    const found = rowOf(readMedDialog(row, med));
    expect([found.question, found.answer, found.domain, found.sourceLicense]).toEqual([QUESTION, ANSWER, 'health', 'unknown']);
    expect(found.sourceId).toMatch(/^meddialog:train:/);
    expect(found.groupKey).toMatch(/^dialogue:[0-9a-f]{16}$/);
  });

  it.each([
    ['empty (NaN) Doctor cell', { Patient: QUESTION, Doctor: 'NaN' }, 'missing_answer'],
    ['no Doctor cell', { Patient: QUESTION, Doctor: null }, 'missing_answer'],
    ['no patient text', { Patient: ' ', Doctor: ANSWER }, 'missing_question'],
    [
      'answer is only boilerplate with a referral tail',
      { Patient: QUESTION, Doctor: 'Hi. For further doubts consult a sexologist online -->' },
      'boilerplate_answer',
    ],
    [
      'answer cut mid-word at 2,500 characters',
      { patient_message: QUESTION, doctor_response: 'Rest it well. '.repeat(200).slice(0, 2494) + ' becau' },
      'truncated_answer',
    ],
    [
      'question cut mid-word at 2,500 characters',
      { patient_message: 'It hurts a lot. '.repeat(200).slice(0, 2494) + ' becau', doctor_response: ANSWER },
      'truncated_question',
    ],
    ['other columns', { text: 'x' }, 'wrong_columns'],
    ['a doctor who speaks first and alone', { dialogue_turns: { speaker: [1], utterance: [ANSWER] } }, 'missing_question'],
    ['a patient without reply', { dialogue_turns: { speaker: [0], utterance: [QUESTION] } }, 'missing_answer'],
  ])('rejects: %s', (_name, row, reason) => {
    expect(reasonOf(readMedDialog(row, med))).toBe(reason);
  });

  it('keeps an answer of 2,500 characters that ends in a full stop', () => {
    const answer = 'Rest it well. '.repeat(200).slice(0, 2499) + '.';
    expect(reasonOf(readMedDialog({ patient_message: QUESTION, doctor_response: answer }, med))).toBe('row');
  });

  it('takes the trailing --> and the referral off, and NBSP out', () => {
    const row = rowOf(
      readMedDialog(
        {
          Patient: QUESTION.replace('two weeks', 'two\u00A0weeks'),
          Doctor: `Hello. ${ANSWER} Hope this helps. For more information consult an orthopaedician online -->`,
        },
        med,
      ),
    );
    expect(row.answer).toBe(ANSWER);
    expect(row.question).toBe(QUESTION);
  });

  it('leaves a description out that only restates the question, and keeps one that adds to it', () => {
    const restated = rowOf(readMedDialog({ Description: 'Q. Should I rest it?', Patient: QUESTION, Doctor: ANSWER }, med));
    const adding = rowOf(readMedDialog({ Description: 'Q. Sore knee with a plate from 2015?', Patient: QUESTION, Doctor: ANSWER }, med));
    expect(restated.context).toEqual([]);
    expect(adding.context).toEqual([{ speaker: 'user', text: 'Sore knee with a plate from 2015?' }]);
  });

  it('makes earlier turns of a longer dialogue the context', () => {
    const row = rowOf(
      readMedDialog({ dialogue_turns: { speaker: [0, 1, 0, 1], utterance: ['My knee hurts.', 'Since when?', QUESTION, ANSWER] } }, med),
    );
    expect(row.context.map((turn) => turn.speaker)).toEqual(['user', 'assistant']);
    expect(row.question).toBe(QUESTION);
  });

  it('gives exact duplicate dialogues one id and different answers different ids', () => {
    const [a, b, c] = [ANSWER, ANSWER, `${ANSWER} Then start swimming.`].map(
      (Doctor) => rowOf(readMedDialog({ Patient: QUESTION, Doctor }, med)).sourceId,
    );
    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });
});

describe('HealthCareMagic', () => {
  const context = contextOf('healthcaremagic');
  const instruction = "If you are a doctor, please answer the medical questions based on the patient's description.";

  it('drops the constant instruction and the greeting and sign-off of the answer', () => {
    const row = rowOf(
      readHealthCareMagic(
        { instruction, input: QUESTION, output: `Hi, Thank you for posting your query. ${ANSWER} Hope this answers your query.` },
        context,
      ),
    );
    expect([row.question, row.answer, row.context]).toEqual([QUESTION, ANSWER, []]);
    expect(JSON.stringify(row)).not.toContain(instruction);
  });

  it('takes off the "Chat Doctor" a search-and-replace left behind', () => {
    const row = rowOf(
      readHealthCareMagic(
        { instruction, input: QUESTION, output: `Hello, Welcome to Chat Doctor forum. ${ANSWER} Regards, Chat Doctor.` },
        context,
      ),
    );
    expect(row.answer).toBe(ANSWER);
  });

  it('puts the missing space after a full stop back', () => {
    const row = rowOf(
      readHealthCareMagic(
        { instruction, input: QUESTION, output: 'Rest the knee for a week.Cool it daily and see a doctor if it swells.' },
        context,
      ),
    );
    expect(row.answer).toBe('Rest the knee for a week. Cool it daily and see a doctor if it swells.');
  });

  it.each([
    ['missing answer', { instruction, input: QUESTION, output: '' }, 'missing_answer'],
    ['missing question', { instruction, input: '', output: ANSWER }, 'missing_question'],
    [
      'courtesy only',
      { instruction, input: QUESTION, output: 'Hello, thanks for using our service. I hope this helps you. Take care.' },
      'boilerplate_answer',
    ],
    ['chat-format mirror with one text column', { text: 'x' }, 'wrong_columns'],
  ])('rejects: %s', (_name, row, reason) => {
    expect(reasonOf(readHealthCareMagic(row, context))).toBe(reason);
  });
});

describe('iCliniq', () => {
  const context = contextOf('icliniq');

  it('reads only the answer of a person from the ChatDoctor columns', () => {
    const row = rowOf(
      readIcliniq({ input: QUESTION, answer_icliniq: ANSWER, answer_chatgpt: 'MODEL ONE', answer_chatdoctor: 'MODEL TWO' }, context),
    );
    expect(row.answer).toBe(ANSWER);
    expect(JSON.stringify(row)).not.toMatch(/MODEL/);
  });

  it('reads title, padded body and lower-cased answer with its link tail', () => {
    const row = rowOf(
      readIcliniq(
        {
          question: 'is a swollen knee after a fall dangerous?',
          question_text: `\r\n\r\n\t\t\t${QUESTION}\t\t\t`,
          answer: 'rest it for a week. cool it three times a day. for more information consult an orthopaedician online --> <link>',
          tags: ['knee'],
          url: 'https://example.org/q',
        },
        context,
      ),
    );
    expect(row.question).toBe(QUESTION);
    expect(row.context).toEqual([{ speaker: 'user', text: 'is a swollen knee after a fall dangerous?' }]);
    expect(row.answer).toBe('rest it for a week. cool it three times a day.');
  });

  it('keeps a short lower-cased answer whose advice stands before the referral', () => {
    const row = {
      question: 'q',
      question_text: QUESTION,
      answer:
        'yes, resting it is right. please go ahead. for further doubts consult an orthopaedician and traumatologist online --> <link>',
    };
    expect(reasonOf(readIcliniq(row, context))).toBe('row');
  });
});
