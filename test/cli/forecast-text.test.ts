import { expect, it } from 'vitest';
import { forecastText } from '../../cli/commands/forecast-text.ts';

const at = (minutes: number, accepted: number, usd: number, unknownCalls = 0) => ({
  at: minutes * 60_000,
  accepted,
  microUsd: usd * 1e6,
  unknownCalls,
});

it.each<[string, ReturnType<typeof at>, ReturnType<typeof at>, number, string | null]>([
  ['a steady build', at(0, 0, 0), at(60, 1600, 20), 4000, 'at this rate $49-52, 1 h 30'],
  [
    'one that went on after a resume: what was spent before is added',
    at(0, 1000, 10),
    at(60, 2600, 30),
    5000,
    'at this rate $59-62, 1 h 30',
  ],
  ['costs nobody knows', at(0, 0, 0, 0), at(10, 400, 0, 5), 800, 'at this rate at least $0.00, 10 min'],
  ['no progress yet', at(0, 5, 1), at(9, 5, 2), 100, null],
  ['nothing left', at(0, 5, 1), at(9, 100, 2), 100, null],
])('forecasts %s', (_, first, now, wanted, reads) => {
  expect(forecastText(first, now, wanted)).toBe(reads);
});
