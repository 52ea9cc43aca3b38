import { describe, expect, it } from 'vitest';
import { hasFirstPerson, toThirdPerson } from '../../../llm/rehearsal/text/person.ts';

const REWRITTEN: readonly (readonly [string, string])[] = [
  ['I have been taking Ramipril 5 mg for seven weeks', 'The user has been taking Ramipril 5 mg for seven weeks.'],
  ['I am a 24 year old female', 'The user is a 24 year old female.'],
  ['My height is 5\'5" and weight is 58 kg', "The user's height is 5'5\" and weight is 58 kg."],
  ['I go to bed at 10 and wake up at six', 'The user goes to bed at 10 and wakes up at six.'],
  ["I'm a freshman to machine learning", 'The user is a freshman to machine learning.'],
  ["I've already seen so many landmarks in London", 'The user has already seen so many landmarks in London.'],
  ["I don't smoke or drink", "The user doesn't smoke or drink."],
  ['I do not eat meat', 'The user does not eat meat.'],
  ['I want to lose weight and build muscle', 'The user wants to lose weight and build muscle.'],
  ['My wife and I are planning a trip to Crete', "The user's wife and the user are planning a trip to Crete."],
  ['I was told by my doctor that I have type I diabetes', "The user was told by the user's doctor that the user has type I diabetes."],
  ['I take it and feel weak', 'The user takes it and feels weak.'],
  ['I use I/O streams in Java', 'The user uses I/O streams in Java.'],
  ['i have pain and swelling in my left knee', "The user has pain and swelling in the user's left knee."],
  ["I'd like to keep the cost low", 'The user would like to keep the cost low.'],
  ["I'd taken two tablets before the meal", 'The user had taken two tablets before the meal.'],
  [
    'Two years ago Amlodipine made my ankles swell and I had to stop it',
    "Two years ago Amlodipine made the user's ankles swell and the user had to stop it.",
  ],
  ['I often wake at night and have trouble breathing', 'The user often wakes at night and has trouble breathing.'],
  ['I can run 5 km and swim', 'The user can run 5 km and swim.'],
  ['I get headaches when I work at my desk', "The user gets headaches when the user works at the user's desk."],
  ['I try to sleep early and wake at 6', 'The user tries to sleep early and wake at 6.'],
  ['I carry a laptop and do yoga', 'The user carries a laptop and does yoga.'],
  ['I read the manual two years ago', 'The user read the manual two years ago.'],
  ['I read a page every day', 'The user reads a page every day.'],
  ['I smoke and drink', 'The user smokes and drinks.'],
  ['I set the value with `my_func(I)` and call the API', 'The user sets the value with `my_func(I)` and calls the API.'],
  ['My boss gives me a deadline and I panic', "The user's boss gives the user a deadline and the user panics."],
  ['I hardly eat meat and never drink alcohol', 'The user hardly eats meat and never drinks alcohol.'],
  ['I lost my job last month', "The user lost the user's job recently."],
  ['I live in the US and work for a bank', 'The user lives in the US and works for a bank.'],
  ['For the past week, I have been getting pain in my knee', "For the past week, the user has been getting pain in the user's knee."],
  ['I have an interview next Thursday', 'The user has an interview soon.'],
  ['We have two kids and a dog', 'The user and the people close to the user have two kids and a dog.'],
];
const LEFT_ALONE = ['What should I do', 'I grok this', 'That book is mine', 'Am I too old', 'Can I swim'];
const LOOK_ALIKES: readonly (readonly [string, boolean])[] = [
  ['The user has type I diabetes.', false],
  ['The user uses I/O streams.', false],
  ['The user lives in the US.', false],
  ['The user calls `my_func(I)`.', false],
  ['The user said "I am tired" in class.', false],
  ['The user takes my tablet.', true],
  ['The user and I agree.', true],
];

describe('person rewriting', () => {
  it.each(REWRITTEN)('turns "%s" into the third person', (first, third) => {
    expect(toThirdPerson(first)).toBe(third);
    expect(hasFirstPerson(third)).toBe(false);
  });

  it.each(LEFT_ALONE)('leaves "%s" alone rather than guess', (sentence) => {
    expect(toThirdPerson(sentence)).toBeNull();
  });

  it.each(LOOK_ALIKES)('tells first person in "%s" from its look-alikes', (text, expected) => {
    expect(hasFirstPerson(text)).toBe(expected);
  });
});
