import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../../cli/commands/table.ts';
import { reopenFailed } from '../../cli/owner/failed-candidates.ts';
import { readStatus } from '../../cli/queries/status.ts';
import { FAILURES } from '../../llm/failures.ts';
import type { FaultName } from '../../llm/rehearsal/faults.ts';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import type { ConfigInput } from '../../schemas/config.ts';
import { STEPS } from '../../schemas/steps.ts';
import { faultTable, readBooks, struckOf, SURVIVABLE } from '../support/fault-books.ts';
import type { FaultLine, RunBooks } from '../support/fault-books.ts';
import { demoConfig, openInProcess } from '../support/in-process-build.ts';
import { manyRows } from '../support/many-rows.ts';
import type { BuildEnd } from '../support/in-process-build.ts';

const NAMES = Object.keys(SURVIVABLE) as FaultName[];
const SHARE = 0.3;
const ROWS = 300;

interface Driven {
  readonly ends: readonly BuildEnd[];
  /** As the run stood when it first stopped, and after its failed candidates were asked again. */
  readonly first: RunBooks;
  readonly last: RunBooks;
  readonly imbalances: readonly string[];
  readonly reopened: number;
}

async function driveAll(folder: string, url: string, sources: ConfigInput['sources']): Promise<Driven> {
  const project = await openInProcess(folder);
  try {
    const config = demoConfig(url, { sources });
    const ends = [await project.drive('run-1', 'main', config)];
    const first = await readBooks(project, 'run-1');
    let reopened = 0;
    while (ends.length <= STEPS.length && ends.at(-1)?.kind === 'ended') {
      const touched = await reopenFailed(project.store, { label: 'main', class: null });
      if (touched.candidates === 0) break;
      reopened += touched.candidates;
      ends.push(await project.drive('run-1', 'main', config));
    }
    const status = await readStatus(project.store, 'main');
    const imbalances = (status?.books ?? []).flatMap((line) => (line.imbalance === null ? [] : [line.imbalance]));
    return { ends, first, last: await readBooks(project, 'run-1'), imbalances, reopened };
  } finally {
    await project.close();
  }
}

describe(`the whole pipeline on ${ROWS} rows under a mix of every fault that does not pause a run, 30 % of requests in all`, () => {
  const folders = [0, 1, 2].map(() => mkdtempSync(join(tmpdir(), 'memcalib-faults-')));
  const struck = new Map<FaultName, string[]>(NAMES.map((name) => [name, []]));
  let clean: Driven;
  let faulty: Driven;
  let lines: readonly FaultLine[] = [];

  beforeAll(async () => {
    const calm = await startRehearsalServer();
    const rules = NAMES.map((fault) => ({ fault, rate: SHARE / NAMES.length, tasks: STEPS, durationMs: 500 }));
    const rough = await startRehearsalServer({
      faults: { seed: 'faults-1', rules },
      onFault: (fault, { identity }) => void struck.get(fault)?.push(identity),
    });
    const sources = manyRows(folders[2] ?? '', ROWS);
    const began = performance.now();
    try {
      clean = await driveAll(folders[0] ?? '', calm.url, sources);
      const between = performance.now();
      faulty = await driveAll(folders[1] ?? '', rough.url, sources);
      const [cleanS, faultyS] = [between - began, performance.now() - between].map((ms) => (ms / 1000).toFixed(0));
      process.stdout.write(`\n${clean.last.outcomes.size} candidates; without faults ${cleanS} s, with faults ${faultyS} s\n`);
    } finally {
      await Promise.all([calm.close(), rough.close()]);
    }
    lines = faultTable(struck, faulty.first, clean.last);
    const rows = lines.map((line) => [line.fault, line.injected, line.recovered, line.failed, line.extraCalls, line.bound]);
    process.stdout.write(`\n${table(['fault', 'injected', 'recovered', 'failed', 'extra calls', 'bound'], rows)}\n`);
  }, 800_000);
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('ends, once the failed were asked again', () => {
    expect(clean.ends.map((end) => end.kind === 'ended' && end.verdict)).toEqual(['dry']);
    expect(faulty.ends.at(-1)).toMatchObject({ kind: 'ended', verdict: 'dry' });
  });

  it('strikes with every fault', () => {
    for (const line of lines) expect(line.injected, line.fault).toBeGreaterThan(0);
  });

  it('keeps balanced books', () => {
    expect(clean.imbalances).toEqual([]);
    expect(faulty.imbalances).toEqual([]);
  });

  it('makes of every candidate both runs accepted the same example, byte for byte', () => {
    let both = 0;
    const different: string[] = [];
    for (const [id, outcome] of clean.last.outcomes) {
      const other = faulty.last.outcomes.get(id);
      if (outcome.status !== 'accepted' || other?.status !== 'accepted') continue;
      both += 1;
      if (other.example !== outcome.example) different.push(`${id}: ${struckOf(struck, faulty.last, id).join(', ')}`);
    }
    const accepted = [clean, faulty].map((run) => [...run.last.outcomes.values()].filter(({ status }) => status === 'accepted').length);
    process.stdout.write(
      `accepted ${accepted[0]} without faults, ${accepted[1]} with, ${both} by both, ${faulty.reopened} reopened by retry\n`,
    );
    expect(different).toEqual([]);
    expect(both).toBeGreaterThan(0.6 * (accepted[0] ?? 0));
  });

  it.each(NAMES)('%s costs no more calls than its policy allows', (name) => {
    const line = lines.find(({ fault }) => fault === name);
    expect(line?.extraCalls).toBeLessThanOrEqual(line?.bound ?? -1);
  });

  it('leaves failed only what its policy ends at once', () => {
    const failing = lines.filter(({ failed }) => failed > 0).map(({ fault }) => fault);
    process.stdout.write(`failed at first stop: ${failing.join(', ')}\n`);
    expect(failing).toEqual(expect.arrayContaining(['refusal', 'content_filter']));
    for (const name of failing)
      expect(
        (SURVIVABLE[name] ?? []).some((of) => FAILURES[of].maxAttempts === 1),
        name,
      ).toBe(true);
  });
});
