import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { atomize } from '../../stages/atomize.ts';
import { derive } from '../../stages/derive.ts';
import { reviewCalibration } from '../../stages/review-calibration.ts';
import { reviewFidelity } from '../../stages/review-fidelity.ts';
import { screen } from '../../stages/screen.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Every file of stages/ that a file imports values from, itself included. */
function closure(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file) || !file.startsWith('stages/')) return seen;
  seen.add(file);
  for (const match of readFileSync(join(ROOT, file), 'utf8').matchAll(/^import (?!type )[^;]*? from '(\.[^']+)';/gm))
    closure(relative(ROOT, resolve(ROOT, dirname(file), match[1] ?? '')), seen);
  return seen;
}

test.each([screen, derive, atomize, reviewFidelity, reviewCalibration].map((step) => [step.id, step] as const))(
  'the check number of %s covers every file of stages/ that can change its decision',
  (id, step) => {
    const needed = [...closure(`stages/${id}.ts`)].filter((file) => file !== 'stages/step.ts').sort();
    expect([...step.checkFiles].sort()).toEqual(needed);
  },
);
