import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerLine, openRequests } from '../../support/answer-batch.ts';
import { all, batchStatuses, bench, endWithEachTest, folder, requests, serve, settingsOf } from './desk-bench.ts';

endWithEachTest();

describe('cancelling a run whose batches are out', () => {
  it('asks the provider to cancel its batches, says what that leaves unpaid, and keeps what was done', async () => {
    const server = await serve({ batchDelayMs: 60_000 });
    const made = await bench(server, { where: folder() });
    await made.ask(requests(4));
    await made.tend();
    const [sentence = ''] = await made.client.cancelBatches('run');
    expect(sentence).toMatch(
      /^Batch run-builder-001: p was asked to cancel it\. None of its 4 requests was done: they \(up to \$0\.\d+\) stay unpaid/,
    );
    expect(await batchStatuses(server)).toEqual(['cancelled']);
    expect(await made.client.cancelBatches('other run')).toEqual([]);
    expect(await made.settle()).toEqual({ kind: 'ready' });
    expect(await made.store.ledger.spent({}), 'nothing of it is billed').toMatchObject({ microUsd: 0, unknownCalls: 0 });
    expect(await made.ask(requests(4))).toEqual(all(4, 'batched'));
  });

  it('a batch that had ended when it was cancelled keeps its answers', async () => {
    const server = await serve();
    const made = await bench(server, { where: folder() });
    await made.ask(requests(3));
    await made.tend();
    while ((await batchStatuses(server))[0] !== 'completed') await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await made.client.cancelBatches('run')).toEqual([expect.stringContaining('had ended at p already')]);
    expect(await made.settle()).toEqual({ kind: 'ready' });
    expect(await made.ask(requests(3))).toEqual(all(3, 'reply'));
  });

  it('a batch whose provider cannot be reached is told to be still out', async () => {
    const server = await serve({ batchDelayMs: 60_000 });
    const made = await bench(server, { where: folder() });
    await made.ask(requests(1));
    await made.tend();
    await server.close();
    expect(await made.client.cancelBatches('run')).toEqual([
      expect.stringMatching(/could not be cancelled: .* goes on and is billed: cancel it at p \(batch_1\)/),
    ]);
    expect(await made.store.batches.out()).toHaveLength(1);
  });

  it('says where its file batch lies; answers that come later still count', async () => {
    const where = folder();
    const server = await serve();
    const made = await bench(server, { where, mode: settingsOf('file') });
    await made.ask(requests(2));
    await made.tend();
    const [sentence = ''] = await made.client.cancelBatches('run');
    expect(sentence).toContain(
      `lies in ${[...openRequests(where).keys()][0]?.replace('.results.', '.requests.') ?? ''}: tell whoever answers it`,
    );
    const [[file, asked]] = [...openRequests(where)] as [[string, Parameters<typeof answerLine>[1][]]];
    writeFileSync(file, `${(await Promise.all(asked.map((request) => answerLine(server.url, request)))).join('\n')}\n`);
    expect(await made.tend()).toEqual({ kind: 'ready' });
    expect(await made.ask(requests(2))).toEqual(all(2, 'reply'));
  });
});
