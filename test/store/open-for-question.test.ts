import { expect, test } from 'vitest';
import { openForQuestion } from '../../store/open.ts';
import { completion, intent, keyOf } from './made.ts';
import { reopened, tempStore } from './samples.ts';

async function madeFile(): Promise<string> {
  const { store, file } = await tempStore();
  await store.ledger.writeIntents([intent('a'), intent('b'), intent('open')]);
  await store.ledger.writeCompletions([completion('a', 1, { class: 'truncated', replyText: null }), completion('b')]);
  await store.ledger.writeIntents([intent('a', 2)]);
  await store.ledger.writeCompletions([completion('a', 2), completion('b', 1, { class: 'server_error', costMicroUsd: 7 })]);
  await store.close();
  return file;
}

const KEYS = ['b', 'missing', 'a', 'open'].map(keyOf);

test('a store opened for one question tells the same attempts as the index does: repeated, duplicate and open ones', async () => {
  const file = await madeFile();
  const asked = await openForQuestion(file, { readOnly: true });
  const byQuery = [...(await asked.ledger.attempts(KEYS))];
  await asked.close();
  const indexed = await reopened(file, { readOnly: true });
  expect(byQuery).toEqual([...(await indexed.ledger.attempts(KEYS))]);
  expect(byQuery.map(([, attempts]) => attempts.length)).toEqual([1, 2, 1]);
});

test('what needs the index loads it: sums, series, replies, and attempts asked after it', async () => {
  const file = await madeFile();
  const asked = await openForQuestion(file, { readOnly: true });
  const seen = [
    await asked.ledger.spent({}),
    await asked.ledger.series(KEYS),
    await asked.ledger.replies([{ key: keyOf('a'), attempt: 2 }]),
    [...(await asked.ledger.attempts(KEYS))],
    [...(await asked.ledger.requests([keyOf('b')])).keys()],
  ];
  await expect(asked.ledger.writeIntents([intent('late')])).rejects.toMatchObject({ code: 'read_only' });
  await asked.close();
  const indexed = await reopened(file, { readOnly: true });
  expect(seen).toEqual([
    await indexed.ledger.spent({}),
    await indexed.ledger.series(KEYS),
    await indexed.ledger.replies([{ key: keyOf('a'), attempt: 2 }]),
    [...(await indexed.ledger.attempts(KEYS))],
    [keyOf('b')],
  ]);
});
