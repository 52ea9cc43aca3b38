import { expect, test } from 'vitest';
import { claimsFromAssistant } from '../../../stages/checks/assistant-claim.ts';
import { firstPerson } from '../../../stages/checks/first-person.ts';
import { danglingOpener } from '../../../stages/checks/pronouns.ts';
import { relativeDates } from '../../../stages/checks/relative-dates.ts';

test.each([
  ['The user collects stamps from World War I.'],
  ['The user has heart failure of NYHA class I.'],
  ['The user has type I diabetes.'],
  ['The user was diagnosed with Bipolar I disorder.'],
  ['The user reads about Elizabeth I of England.'],
  ['Napoleon I is the subject of the talk of the user.'],
  ["The user's disk I/O is slow."],
  ['I/O errors appear in the log of the user.'],
  ['The user commutes on I-95.'],
  ['The user bought a steel I-beam.'],
  ['The user works in a coal mine near Essen.'],
  ['The user is a friend of mine workers in Kiruna.'],
  ['The user moved to the US in 2019.'],
  ["The user's US visa has expired."],
  ["The user's variable `my_list` holds three items."],
  ['The user says "I hate mornings" to colleagues.'],
  ["The user calls the dog 'My Boy' at home."],
  ['The user loves the film My Fair Lady.'],
  ['The user has ME and tires quickly.'],
  ['The user loops over i and j in the code.'],
  ["The user's users' house faces a farmers' market."],
  ['The user plays Wii tennis and watches Us Weekly.'],
])('third person passes: %s', (text) => {
  expect(firstPerson(text)).toEqual([]);
});

test.each([
  ['I take 5 mg every morning.', ['I']],
  ["The user says I'm tired.", ["I'm"]],
  ['My dog is old.', ['My']],
  ['The user and my wife live in Oslo.', ['my']],
  ['We have two cats.', ['We']],
  ['The user asked us to wait.', ['us']],
  ['The tablet I take is small.', ['I']],
  ['In Berlin I live near the park.', ['I']],
  ['A friend of mine is a nurse.', ['mine']],
  ['My Fair Lady is a film the user loves.', ['My']],
  ['The user told me so.', ['me']],
  ['Should I stop the tablet?', ['I']],
  ['Whenever I eat, the pain starts.', ['I']],
  ['Hello doctor,Yesterday I fell.', ['I']],
  ['Our house is cold.', ['Our']],
])('first person is found: %s', (text, found) => {
  expect(firstPerson(text)).toEqual(found);
});

test.each([
  ['The user has had the cough for seven weeks.'],
  ['The user stopped Amlodipine two years ago.'],
  ['The user was in Rome in the last week of May 2019.'],
  ['The user felt better the next day.'],
  ['The user meets the band on the last Friday of every month.'],
  ['The user reads USA Today on Sundays.'],
  ['The user wrote "see you tomorrow" on the card.'],
  ['The user has a recent X-ray.'],
  ['The user lasts four rounds in the ring.'],
  ['The user had pain over the last month.'],
  ['The user uses this weekend ticket for trips.'],
])('a time that stays true passes: %s', (text) => {
  expect(relativeDates(text)).toEqual([]);
});

test.each([
  ['The user had an X-ray last Friday.', ['last Friday']],
  ['The user started the diet this week.', ['this week']],
  ['The user fell yesterday.', ['yesterday']],
  ['The user will travel next month.', ['next month']],
  ["Today the user's fever is 39 C.", ['Today']],
  ['The user took a test earlier this year.', ['this year', 'earlier this year']],
  ['The user changed jobs last May.', ['last May']],
])('a time that goes stale is found: %s', (text, found) => {
  expect([...relativeDates(text)].sort()).toEqual([...found].sort());
});

test.each([
  ['The user swims on Mondays.'],
  ['IT support is the job of the user.'],
  ['It takes the user forty minutes to get to work.'],
  ['Her Majesty Theatre is where the user sings.'],
  ['The former owner left the user a piano.'],
  ['The latter half of the match bored the user.'],
  ['Two children in the daughter’s kindergarten have chickenpox.'],
  ['Theo is the brother of the user.'],
  ['Hertz cars are what the user rents.'],
])('an atom that stands alone passes: %s', (text) => {
  expect(danglingOpener(text)).toBeNull();
});

test.each([
  ['She has a fever.', 'She'],
  ['It started three weeks ago.', 'It'],
  ["It's worse at night.", 'It'],
  ['This makes the user dizzy.', 'This'],
  ['That tablet made the user dizzy.', 'That'],
  ['The latter was stopped by the user.', 'The latter was'],
  ['Their son goes to school.', 'Their'],
  ['Such headaches come with rain.', 'Such'],
  ['These began in March.', 'These'],
])('a dangling opener is found: %s', (text, opener) => {
  expect(danglingOpener(text)).toBe(opener);
});

test.each([
  ['The user was told earlier that 60 Hz is enough.', ['assistant'], false],
  ["The user's mother was advised to rest.", ['assistant'], false],
  ['The user has already been given three museum names.', ['assistant', 'assistant'], false],
  ['The user has received a list of four museums.', ['assistant'], false],
  ['The user owns a 60 Hz screen.', ['user', 'assistant'], false],
  ['The user owns a 60 Hz screen.', ['other'], false],
  ['The user owns a 60 Hz screen.', ['assistant'], true],
  ['60 Hz is enough for most people.', ['assistant'], true],
] as const)('what only an assistant said is told, not claimed: %s %s', (text, speakers, claimed) => {
  expect(claimsFromAssistant(text, speakers)).toBe(claimed);
});
