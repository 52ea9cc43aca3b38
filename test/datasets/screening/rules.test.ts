import { describe, expect, it } from 'vitest';
import { boilerplateShare, stripBoilerplate } from '../../../datasets/screening/boilerplate.ts';
import { complexityOf } from '../../../datasets/screening/complexity.ts';
import { hasQuestionIntent, isClosing } from '../../../datasets/screening/intent.ts';
import { asciiLetterShare, isEnglish } from '../../../datasets/screening/language.ts';
import { hasCharacterRun, isNoise } from '../../../datasets/screening/noise.ts';
import { qualityScore } from '../../../datasets/screening/quality.ts';
import { screenRow } from '../../../datasets/screening/screen-row.ts';
import { memorySignals } from '../../../datasets/screening/signals.ts';
import { sentencesOf } from '../../../datasets/screening/sentences.ts';
import { hasSolution, solutionShare } from '../../../datasets/screening/solution-in-question.ts';
import { TextFacts } from '../../../datasets/screening/text-facts.ts';
import { topicOf } from '../../../datasets/screening/topic.ts';
import { wrongDomain } from '../../../datasets/screening/wrong-domain.ts';
import type { Domain } from '../../../schemas/levels.ts';
import type { SourceRow } from '../../../schemas/source-row.ts';
import { sourceRow } from '../rows.ts';

describe('question intent', () => {
  it.each([
    ['What dose is right', true],
    ['My knee hurts, please advise', true],
    ['Given the list, return the k-th missing number.', true],
    ['Write a poem about rain.', true],
    ['I wonder whether it will heal', true],
    ['I have a headache and a fever since Monday.', false],
    ['The showdown was on Tuesday. It rained.', false],
    ['I wrote a book and made a cake.', false],
  ])('%j asks: %s', (text, expected) => {
    expect(hasQuestionIntent(text)).toBe(expected);
  });

  it.each([
    ['Thanks, that helps a lot!', true],
    ['Great, thank you so much.', true],
    ['Thanks. But how long must I wait?', false],
    [
      'This is my plan for the week: I want to run and swim and then cycle home each day, and my knee must hold, and my wife should be able to come along on her old bike as well, which has a flat tyre and no light at all.',
      false,
    ],
  ])('%j closes: %s', (text, expected) => {
    expect(isClosing(text)).toBe(expected);
  });
});

describe('noise', () => {
  it.each<[string, string, Domain, boolean]>([
    ['a stuck key', 'pleaaaaaase help', 'health', true],
    ['rows of marks', 'help!!!!!! me', 'general', true],
    ['mostly symbols', '$%& §§ (=) {} [] ;; a b', 'general', true],
    ['a ruler of dashes', 'Input\n------------\nOne line with n.', 'coding', false],
    ['a ruler of equal signs', 'Title\n=======\nText of the page.', 'general', false],
    ['zeros of a number', 'The limit is 1000000000 items in a list.', 'coding', false],
    ['dots of a contents line', 'Chapter one ........ page 3, and so on it goes', 'general', false],
    ['runs inside a fence', 'See this:\n```\naaaaaaaaaa\n```\nand that.', 'coding', false],
    ['code that is half symbols', 'Why is this wrong?\n```\nif (a[i] != b[j]) { c(); }\n```', 'coding', false],
    ['formulas of a statement', 'Find $a_i$ ($1 \\le i \\le n$) such that $a_i + a_j = k$.', 'coding', false],
    ['a table', 'Compare:\n| a | b |\n|---|---|\n| 1 | 2 |\nWhich one is better for me?', 'general', false],
    ['an address with many marks', 'I found https://example.org/?a=1&b=2&c=3&d=4#x=y and need help with the form.', 'general', false],
    ['five equal letters', 'hmmmmm, why is that so?', 'general', false],
  ])('%s', (_name, text, domain, expected) => {
    expect(isNoise(text, domain)).toBe(expected);
  });

  it('sees a run only in prose', () => {
    expect(hasCharacterRun('`zzzzzzzz` is a name')).toBe(false);
  });
});

describe('language', () => {
  it.each([
    ['English', 'I have had a headache for three days and would like to know what I can do about it.', true],
    ['short English', 'Why is that?', true],
    ['German', 'Ich habe seit drei Tagen Kopfschmerzen und möchte wissen, was ich dagegen tun kann, ohne Tabletten zu nehmen.', false],
    [
      'Spanish without accents',
      'Tengo dolor de cabeza desde hace tres dias y quiero saber que puedo hacer contra eso sin tomar pastillas hoy.',
      false,
    ],
    ['Chinese', '我头痛三天了，应该怎么办？', false],
    ['Russian', 'У меня болит голова уже три дня, что мне делать?', false],
    [
      'English with loanwords',
      'My kindergarten teacher had a leitmotif of schadenfreude, and the zeitgeist of our café was über-relaxed; what would you call that feeling?',
      true,
    ],
    [
      'a list of medicines',
      'Paracetamol, ibuprofen, amoxicillin, pantoprazole, metformin, ramipril, bisoprolol: is it safe to take all of them with my levothyroxine?',
      true,
    ],
    [
      'code with foreign names',
      'Why does this fail?\n```\nfor (int zaehler = 0; zaehler < laenge; zaehler++) { summe += werte[zaehler]; }\n```',
      true,
    ],
    ['mathematics with Greek letters', 'Show that α + β = γ holds for all values in the range and explain each of the steps.', true],
  ])('%s', (_name, text, expected) => {
    expect(isEnglish(text)).toBe(expected);
  });

  it('counts ASCII among letters only', () => {
    expect(asciiLetterShare('abc 123 !!')).toBe(1);
    expect(asciiLetterShare('aé')).toBe(0.5);
    expect(asciiLetterShare('123')).toBe(1);
  });
});

describe('boilerplate', () => {
  it.each([
    ['Hi. For further doubts consult a sexologist online -->', 1],
    ['Hello, thank you for your query. Take ibuprofen 400 mg with food for three days and rest.', 6 / 17],
    ['Take it with food. Regards.', 0.2],
    ['I hope this helps. If you have any further questions, feel free to ask.', 1],
  ])('%j has the share %d', (answer, share) => {
    expect(boilerplateShare(answer)).toBeCloseTo(share, 9);
  });

  it.each([
    ['advice that names a consultation', 'Consult a dermatologist if the mole grows, and avoid the sun at noon.'],
    ['thanks inside a letter', 'Write to her: I was glad of the scarf you knitted, and I wear it every day in the cold.'],
    ['a hope that is part of the answer', 'The nerve needs about three months, and most patients regain their strength.'],
  ])('leaves honest sentences alone: %s', (_name, answer) => {
    expect(boilerplateShare(answer)).toBe(0);
    expect(stripBoilerplate(answer)).toBe(answer);
  });

  it('splits sentences at full stops but not at abbreviations, decimals or list numbers', () => {
    expect(sentencesOf('Take 2.5 mg daily. Then stop. It costs approx. 3 euros a day.')).toHaveLength(4);
    expect(sentencesOf('take it daily. then stop.')).toHaveLength(2);
  });
});

describe('wrong domain', () => {
  it.each([
    [
      'a medical question',
      'My doctor prescribed antibiotics for the infection, but now I have a fever and a rash. Is it an allergy to the medication?',
      'medical',
    ],
    [
      'a programming question',
      'My python script throws an exception in the function that reads the database; how do I debug the query?',
      'programming',
    ],
    ['fenced code', 'How about this?\n```\ndef f(x):\n    return x\n```', 'programming'],
    [
      'medical words in a cooking question',
      'My doctor told me to eat less salt. Can you give me a recipe for a soup with beans that tastes good without it, for six people and a cold evening?',
      null,
    ],
    [
      'a shell on the beach',
      'My daughter found a seashell and a python at the zoo drew a string of visitors. Write a story about a class trip to the beach, please.',
      null,
    ],
    ['a letter in a fence', 'Can you improve this?\n```\nDear Anna, thank you for the evening.\n```', null],
    [
      'a career in software',
      'I work as a nurse and want to move to an office job; my husband writes code. Should I learn to type faster or go back to school?',
      null,
    ],
  ])('%s', (_name, text, expected) => {
    expect(wrongDomain(text)).toBe(expected);
  });
});

describe('solution in question', () => {
  const code =
    'def merge(a, b):\n    out = []\n    while a and b:\n        out.append(a.pop(0) if a[0] < b[0] else b.pop(0))\n    return out + a + b';
  it.each([
    ['the whole answer stands there', `Copy this:\n\`\`\`\n${code}\n\`\`\``, `\`\`\`\n${code}\n\`\`\``, true],
    ['only the signature stands there', 'Complete def merge(a, b): so that it merges two sorted lists.', code, false],
    ['an answer of under ten tokens', 'Return x.', 'return x', false],
  ])('%s', (_name, question, answer, expected) => {
    expect(solutionShare(question, answer) >= 0.8).toBe(expected);
    expect(hasSolution(question, answer)).toBe(expected);
  });
});

describe('memory signals', () => {
  it.each<[Domain, string, readonly string[]]>([
    ['health', 'I am 45 and have taken metformin for two years.', ['personal_entity', 'temporal_history', 'treatment']],
    ['general', 'What is the capital of France?', []],
    ['general', 'My sister cannot eat nuts and I have a budget of 40 euros.', ['personal_entity', 'resource_limit', 'relationship']],
    ['general', 'Is seashell collecting legal in Norway?', []],
    ['coding', 'What is intelligence?', []],
    ['coding', 'The input has at most 1000 integers; print the sum.', ['input_guarantee', 'interface_contract']],
    [
      'coding',
      'My Flask 0.10 app crashes behind nginx.',
      ['project_environment', 'language_version', 'dependency_framework', 'failure_history', 'deployment'],
    ],
  ])('%s %j', (domain, text, families) => {
    expect(memorySignals(text, domain)).toEqual(expect.arrayContaining([...families]));
    expect(memorySignals(text, domain).length > 0).toBe(families.length > 0);
  });
});

describe('measures', () => {
  it('adds up the quality score from its four parts', () => {
    const row = sourceRow();
    const score = (families: number, question = row.question): ReturnType<typeof qualityScore> =>
      qualityScore(new TextFacts(question), new TextFacts(row.answer), row.domain, families);
    expect(score(4)).toMatchObject({ suitability: 40, cleanliness: 10, answer: 20 });
    expect(score(0).suitability).toBe(0);
    expect(score(4, 'x').question).toBe(0);
    expect(score(4, 'word '.repeat(80)).question).toBe(15);
  });

  it.each([
    ['Why is that?', 1, 'simple'],
    ['I moved. It rained. I stayed because it was late, but I left when it stopped.', 3, 'medium'],
    ['I moved because it rained, but I stayed. '.repeat(15), 6, 'complex'],
  ])('complexity of %j', (question, families, expected) => {
    expect(complexityOf(new TextFacts(question), families)).toBe(expected);
  });

  it.each<[Domain, string, string]>([
    ['health', 'sudden pain in the chest', 'acute_symptoms'],
    ['health', 'my skin is dry', 'skin_allergy'],
    ['health', 'how are you', 'general_other'],
    ['coding', 'it throws an exception', 'debugging'],
    ['coding', 'sort the list of integers', 'data_algorithm'],
    ['general', 'write a poem', 'writing_creative'],
    ['general', 'xyz', 'general_other'],
  ])('topic in %s of %j is %s', (domain, text, topic) => {
    expect(topicOf(text, domain)).toBe(topic);
  });
});

describe('screenRow', () => {
  const params = { minQualityScore: 60, identifiers: 'mask' as const };
  it('admits an honest row with its measures', () => {
    const verdict = screenRow(sourceRow(), params);
    expect(verdict).toMatchObject({ ok: true, measures: { topic: 'relationships_communication', complexity: 'complex' } });
  });

  it.each<[string, Partial<SourceRow>, string]>([
    ['short question', { question: 'I ask why?' }, 'question_too_short'],
    ['four words', { question: 'Internationalisation considerations notwithstanding?' }, 'question_too_short'],
    ['long question', { question: 'I have a cat. Why? '.repeat(400) }, 'question_too_long'],
    ['short answer', { answer: 'Use butter.' }, 'answer_too_short'],
    ['long answer', { answer: 'Use butter and sugar. '.repeat(600) }, 'answer_too_long'],
    [
      'German',
      {
        answer:
          'Ein Kuchen ohne Ofen gelingt mit Keksen und Quark, der über Nacht im Kühlschrank fest wird und dann zwölf Personen reicht.',
      },
      'non_english',
    ],
    [
      'courtesy',
      { answer: 'Thank you for your question. I hope this helps you. If you have any further questions, feel free to ask me.' },
      'boilerplate_answer',
    ],
    ['noise', { question: 'I have a caaaaaaaat and my wife too. What should we cook for it?' }, 'noise'],
    ['no intent', { question: 'I have a small kitchen and my wife cannot eat nuts. The oven broke last week.' }, 'no_question_intent'],
    ['wrong domain', { question: 'I have a python function with a bug in the query loop. How can I debug the code?' }, 'wrong_domain'],
    ['no signal', { question: 'What is the capital of the largest country in the world?' }, 'no_memory_signal'],
    ['low quality', { question: 'I have a cat: food ideas?', answer: 'It is fish, fish and fish again today.' }, 'low_quality'],
  ])('rejects %s', (_name, change, reason) => {
    expect(screenRow(sourceRow(change), params)).toMatchObject({ ok: false, reason });
  });

  it('tests intent and signals on the context too, as one MedDialog row in ten asks only there', () => {
    const question = 'It began on the left side and it is warm and red around the ankle.';
    const asked = { speaker: 'user' as const, text: 'Is my swollen foot a reaction to the new tablets I have taken since Monday?' };
    const row = sourceRow({ domain: 'health', question, answer: sourceRow().answer });
    expect(screenRow(row, { ...params, minQualityScore: 0 })).toMatchObject({ ok: false, reason: 'no_question_intent' });
    expect(screenRow({ ...row, context: [asked] }, { ...params, minQualityScore: 0 })).toMatchObject({ ok: true });
  });

  it('masks identifiers, or rejects the row, as the policy says', () => {
    const row = sourceRow({ question: `${sourceRow().question} Write to anna.b@mail-demo.org.` });
    const masked = screenRow(row, params);
    expect(masked).toMatchObject({ ok: true, masked: { email: 1 } });
    expect(JSON.stringify(masked)).not.toContain('anna.b');
    expect(screenRow(row, { ...params, identifiers: 'reject' })).toMatchObject({ ok: false, reason: 'personal_identifier' });
  });
});
