import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/hash.ts';
import { STEPS } from '../../../schemas/steps.ts';
import { IMPERFECTIONS, imperfectionAt } from '../../../llm/rehearsal/imperfections.ts';
import { rehearse } from '../../../llm/rehearsal/reply.ts';
import type { Sample } from '../../../llm/rehearsal/reply.ts';
import { PAYLOADS } from './payloads.ts';

const sample = (seed: number): Sample => ({ parts: ['rehearsal', seed], varies: true });
const problems = JSON.stringify({ problems: [{ rule: 'some_rule', path: 'query', message: 'leaks' }] });

describe('replies of the rehearsal model', () => {
  it.each(STEPS)('keeps the rates of %s below one and mends by share', (step) => {
    const own = IMPERFECTIONS.filter((imperfection) => imperfection.step === step);
    const total = own.reduce((sum, { rate }) => sum + rate, 0);
    expect(own.length).toBeGreaterThan(0);
    expect(total).toBeLessThan(0.25);
    expect(imperfectionAt(step, 0)?.name).toBe(own[0]?.name);
    expect(imperfectionAt(step, 0.999)).toBeNull();
  });

  it('draws every imperfection somewhere and changes the reply by it', () => {
    const seen = new Set<string>();
    for (const step of STEPS) {
      const plain = new Set<string>();
      for (let seed = 0; seed < 900; seed += 1) {
        const { reply, imperfection } = rehearse({ task: step, payload: PAYLOADS[step], repair: null }, 'seed', sample(seed));
        if (imperfection === null) plain.add(canonicalJson(reply));
        else if (!plain.has(canonicalJson(reply)) || plain.size === 0) seen.add(`${step}/${imperfection.name}`);
      }
      expect(plain.size).toBe(1);
    }
    expect([...seen].toSorted()).toEqual(IMPERFECTIONS.map(({ step, name }) => `${step}/${name}`).toSorted());
  }, 60_000);

  it.each(STEPS)('sends the first reply of %s again when the repair turn quotes some other reply', (step) => {
    for (let seed = 0; seed < 30; seed += 1) {
      const first = rehearse({ task: step, payload: PAYLOADS[step], repair: null }, 'seed', sample(seed));
      const again = rehearse({ task: step, payload: PAYLOADS[step], repair: { reply: '{"broken":', problems } }, 'seed', sample(seed));
      expect(canonicalJson(again.reply)).toBe(canonicalJson(first.reply));
    }
  });

  it('mends some imperfections on the repair turn and repeats others', () => {
    const turns = new Set<string>();
    for (let seed = 0; seed < 400; seed += 1) {
      const asked = { task: 'derive', payload: PAYLOADS.derive } as const;
      const first = rehearse({ ...asked, repair: null }, 'seed', sample(seed));
      const repaired = rehearse({ ...asked, repair: { reply: JSON.stringify(first.reply), problems } }, 'seed', sample(seed));
      turns.add(repaired.turn);
      if (repaired.turn === 'stubborn') expect(canonicalJson(repaired.reply)).toBe(canonicalJson(first.reply));
      if (repaired.turn === 'mended') expect(canonicalJson(repaired.reply)).not.toBe(canonicalJson(first.reply));
    }
    expect([...turns].toSorted()).toEqual(['amended', 'mended', 'stubborn']);
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
      for (const step of STEPS) {
        rehearse({ task: step, payload: { ...PAYLOADS[step], round }, repair: null }, 'seed', sample(round));
        count += 1;
      }
    }
    const used = process.cpuUsage(before);
    expect(count / ((used.user + used.system) / 1e6)).toBeGreaterThan(500);
  });
});
