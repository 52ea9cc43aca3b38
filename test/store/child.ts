import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { StoreError } from '../../store/errors.ts';
import { openStore } from '../../store/open.ts';
import { candidate, completion, intent, pages, rejection } from './made.ts';
import { putOrder } from '../support/put-order.ts';

/** A process of its own that uses a real store and is killed or starved by its parent; says what was acknowledged, a line each. */
const [mode, file = '', number = '0'] = process.argv.slice(2);

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function writeForEver(): Promise<void> {
  const store = await openStore(file);
  say('open');
  const writer = async (id: number): Promise<void> => {
    for (let n = 0; ; n += 1) {
      const name = `${process.pid}-${id}-${n}`;
      await store.ledger.writeIntents([intent(name)]);
      say(`intent ${name}`);
      await store.ledger.writeCompletions([completion(name)]);
      say(`completion ${name}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, id) => writer(id)));
}

async function* dying<T>(items: readonly T[], part: number): AsyncGenerator<readonly T[]> {
  let page = 0;
  for await (const rows of pages(items, 2048)) {
    if (page === part) process.kill(process.pid, 'SIGKILL');
    yield rows;
    page += 1;
  }
}

async function dieInOrder(diesAtPage: number): Promise<void> {
  const store = await openStore(file);
  const candidates = Array.from({ length: 2_500 }, (_, n) => candidate(n));
  const rejections = Array.from({ length: 2_500 }, (_, n) => rejection(n));
  await putOrder(store, { id: 'order-1', createdAt: 1, facts: '{}' }, dying(candidates, diesAtPage), dying(rejections, diesAtPage));
  say('stored');
  process.kill(process.pid, 'SIGKILL');
}

async function dieBetweenIntentAndCompletion(): Promise<void> {
  const store = await openStore(file);
  await store.ledger.writeIntents([intent('a'), intent('b')]);
  await store.ledger.writeCompletions([completion('a')]);
  process.kill(process.pid, 'SIGKILL');
}

async function fillDisk(): Promise<void> {
  const store = await openStore(file);
  for (let n = 0; n < 2_000; n += 1) {
    try {
      await store.ledger.writeIntents([intent(`fill ${n}`)]);
      say(`intent fill ${n}`);
      await store.ledger.writeCompletions([completion(`fill ${n}`, 1, { replyText: randomBytes(40_000).toString('base64') })]);
      say(`completion fill ${n}`);
    } catch (error) {
      say(`error ${error instanceof StoreError ? error.code : String(error)}`);
      say(`reads ${(await store.ledger.attempts([intent('fill 0').request.key])).size}`);
      process.kill(process.pid, 'SIGKILL');
    }
  }
}

async function openOnly(): Promise<void> {
  try {
    await openStore(file);
    say('open');
    setInterval(() => undefined, 1_000);
  } catch (error) {
    say(error instanceof StoreError ? `${error.code}: ${error.message}` : String(error));
  }
}

if (mode === 'write') await writeForEver();
else if (mode === 'order') await dieInOrder(Number(number));
else if (mode === 'intent') await dieBetweenIntentAndCompletion();
else if (mode === 'fill') await fillDisk();
else await openOnly();
