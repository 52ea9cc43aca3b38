import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/hash.ts';
import { IMPERFECTIONS, imperfectionAt } from '../../../llm/rehearsal/imperfections.ts';
import { drawFor } from '../../../llm/rehearsal/draw.ts';
import { STEP_ANSWERS } from '../../../llm/rehearsal/steps.ts';
import { REHEARSED_TASKS } from '../../../llm/rehearsal/tasks.ts';
import { rehearse } from '../../../llm/rehearsal/reply.ts';
import type { Sample } from '../../../llm/rehearsal/reply.ts';
import { PAYLOADS, REPLY_SCHEMAS } from './payloads.ts';

const sample = (seed: number): Sample => ({ parts: ['rehearsal', seed], varies: true });
const problems = JSON.stringify({ problems: [{ rule: 'some_rule', path: 'query', message: 'leaks' }] });

describe('replies of the rehearsal model', () => {
  it.each(REHEARSED_TASKS)('keeps the rates of %s below one and mends by share', (step) => {
    const own = IMPERFECTIONS.filter((imperfection) => imperfection.step === step);
    const total = own.reduce((sum, { rate }) => sum + rate, 0);
    expect(own.length).toBeGreaterThan(0);
    expect(total).toBeLessThan(0.25);
    expect(imperfectionAt(step, 0)?.name).toBe(own[0]?.name);
    expect(imperfectionAt(step, 0.999)).toBeNull();
  });

  it.each(IMPERFECTIONS)('spoils a reply of $step by $name within its schema', ({ step, name }) => {
    const own = STEP_ANSWERS[step];
    const best = own.answer(PAYLOADS[step], drawFor('seed', 'best'));
    const spoiled = [1, 2, 3, 4].map((seed) => own.spoil(name, best, PAYLOADS[step], drawFor('seed', seed)));
    expect(spoiled.some((reply) => canonicalJson(reply) !== canonicalJson(best))).toBe(true);
    for (const reply of spoiled) expect(REPLY_SCHEMAS[step].safeParse(reply).error).toBeUndefined();
  });

  it.each(REHEARSED_TASKS)('sends the first reply of %s again when the repair turn quotes some other reply', (step) => {
    for (let seed = 0; seed < 30; seed += 1) {
      const first = rehearse({ task: step, payload: PAYLOADS[step], repair: null }, 'seed', sample(seed));
      const again = rehearse({ task: step, payload: PAYLOADS[step], repair: { reply: '{"broken":', problems } }, 'seed', sample(seed));
      expect(canonicalJson(again.reply)).toBe(canonicalJson(first.reply));
    }
  });

  it('mends some imperfections on the repair turn and repeats others', () => {
    const turns = new Set<string>();
    for (let seed = 0; seed < 150; seed += 1) {
      const asked = { task: 'derive', payload: PAYLOADS.derive } as const;
      const first = rehearse({ ...asked, repair: null }, 'seed', sample(seed));
      const repaired = rehearse({ ...asked, repair: { reply: JSON.stringify(first.reply), problems } }, 'seed', sample(seed));
      turns.add(`${repaired.turn} ${canonicalJson(repaired.reply) === canonicalJson(first.reply) ? 'same' : 'changed'}`);
    }
    expect([...turns].toSorted()).toEqual(['amended changed', 'mended changed', 'stubborn same']);
  });

  it('lets two reviewers err on different requests', () => {
    const names = ['rehearsal-a', 'rehearsal-b'].map((model) =>
      Array.from(
        { length: 300 },
        (_, seed) =>
          rehearse({ task: 'review-calibration', payload: PAYLOADS['review-calibration'], repair: null }, 's', {
            parts: [model, seed],
            varies: true,
          }).imperfection?.name ?? '',
      ),
    );
    expect(names[0]).not.toEqual(names[1]);
  });

  it('never cannot tell when nothing would make the next sample another request', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const { imperfection } = rehearse({ task: 'review-fidelity', payload: PAYLOADS['review-fidelity'], repair: null }, 's', {
        parts: [seed],
        varies: false,
      });
      expect(imperfection?.name).not.toBe('cannot_tell');
    }
  });

  it('answers at least 500 times a second on one core', () => {
    const before = process.cpuUsage();
    let count = 0;
    for (let round = 0; round < 30; round += 1) {
      for (const step of REHEARSED_TASKS) {
        rehearse({ task: step, payload: { ...PAYLOADS[step], round }, repair: null }, 'seed', sample(round));
        count += 1;
      }
    }
    const used = process.cpuUsage(before);
    expect(count / ((used.user + used.system) / 1e6)).toBeGreaterThan(500);
  });
});
