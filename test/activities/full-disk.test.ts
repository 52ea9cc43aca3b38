import { afterEach, expect, it } from 'vitest';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import { StoreError } from '../../store/errors.ts';
import { demoConfig, openInProcess } from '../support/in-process-build.ts';
import type { InProcess } from '../support/in-process-build.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Makes every `every`-th verdict or outcome fail to be written, as on a disk that has just filled up; gives the number of failures. */
function fillNowAndThen({ store }: InProcess, every: number): () => number {
  let writes = 0;
  let failures = 0;
  const maybeFull = (): void => {
    writes += 1;
    if (writes % every !== 0) return;
    failures += 1;
    throw new StoreError('disk_full', 'The disk is full.');
  };
  const [putOutputs, putOutcomes] = [store.putStepOutputs.bind(store), store.putOutcomes.bind(store)];
  store.putStepOutputs = async (rows) => {
    maybeFull();
    await putOutputs(rows);
  };
  store.putOutcomes = async (rows) => {
    maybeFull();
    await putOutcomes(rows);
  };
  return () => failures;
}

/** The call keys of every candidate, as the export tells them; `every` is how often a write fails. */
async function keysOf(every: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const server = await startRehearsalServer();
  closers.push(() => server.close());
  const project = await openInProcess(folder());
  closers.push(() => project.close());
  const config = demoConfig(server.url, { sources: demoConfig(server.url).sources.slice(0, 1) });
  const failures = fillNowAndThen(project, every);
  for (;;) {
    const end = await project.drive('run', 'main', config).catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.code !== 'disk_full') throw error;
      return null;
    });
    if (end !== null) break;
  }
  expect(failures() > 0).toBe(every < Number.POSITIVE_INFINITY);
  const run = await project.store.run('run');
  if (run === null) throw new Error('no run');
  const places = await project.store.outcomesAt(run.orderId, run.pipelineHash, 'health', 0, 100);
  const outcomes = await project.store.outcomes(
    run,
    places.map(({ candidateId }) => candidateId),
  );
  return new Map(outcomes.map(({ candidateId, callKeys }) => [candidateId, callKeys]));
}

it('a step whose end could not be written is done anew and named once: a full disk leaves no trace in the provenance', async () => {
  const smooth = await keysOf(Number.POSITIVE_INFINITY);
  expect(smooth.size).toBeGreaterThan(5);
  expect(await keysOf(7)).toEqual(smooth);
});
