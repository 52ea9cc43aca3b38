import { array, assert, asyncProperty, integer } from 'fast-check';
import { expect, test } from 'vitest';
import { GroupCommit } from '../../store/group-commit.ts';

const LIMITS = { lingerMs: 2, maxJobs: 8, maxWeight: 100 };

test('every job is committed once, in order, and groups keep to their limits', async () => {
  await assert(
    asyncProperty(array(integer({ min: 1, max: 120 }), { maxLength: 60 }), async (weights) => {
      const groups: (readonly number[])[] = [];
      const group = new GroupCommit<number>(async (jobs) => {
        groups.push(jobs);
        await Promise.resolve();
      }, LIMITS);
      await Promise.all(weights.map((weight, job) => group.write(job, weight)));
      expect(groups.flat()).toEqual(weights.map((_, job) => job));
      for (const jobs of groups) {
        expect(jobs.length).toBeLessThanOrEqual(LIMITS.maxJobs);
        const sum = jobs.reduce((total, job) => total + (weights[job] ?? 0), 0);
        expect(jobs.length === 1 || sum <= LIMITS.maxWeight).toBe(true);
      }
    }),
    { numRuns: 30 },
  );
});

test('in a failed group each writer gets its own error, the good ones are committed and the queue goes on', async () => {
  const committed: string[] = [];
  const group = new GroupCommit<string>(async (jobs) => {
    const bad = jobs.find((job) => job.startsWith('bad'));
    if (bad !== undefined) throw new Error(`refused ${bad}`);
    committed.push(...jobs);
    await Promise.resolve();
  }, LIMITS);
  const ends = await Promise.allSettled(['a', 'bad 1', 'b', 'bad 2'].map((job) => group.write(job, 1)));
  expect(ends.map((end) => (end.status === 'rejected' ? String(end.reason) : end.status))).toEqual([
    'fulfilled',
    'Error: refused bad 1',
    'fulfilled',
    'Error: refused bad 2',
  ]);
  await group.write('c', 1);
  expect(committed).toEqual(['a', 'b', 'c']);
});

test('what runs alone sees everything queued before it committed and nothing queued after', async () => {
  const seen: string[] = [];
  const group = new GroupCommit<string>(async (jobs) => {
    await Promise.resolve();
    seen.push(...jobs);
  }, LIMITS);
  const before = group.write('before', 1);
  const alone = group.alone(async () => {
    seen.push('alone begins');
    await new Promise((resolve) => setTimeout(resolve, 5));
    seen.push('alone ends');
  });
  const after = group.write('after', 1);
  await expect(group.alone(() => Promise.reject(new Error('own error')))).rejects.toThrow('own error');
  await Promise.all([before, alone, after]);
  expect(seen).toEqual(['before', 'alone begins', 'alone ends', 'after']);
});
