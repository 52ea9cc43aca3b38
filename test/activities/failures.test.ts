import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { toFailure } from '../../activities/failures.ts';
import { CliError, EXIT } from '../../cli/cli-error.ts';
import { SourceReadError } from '../../hub/read-error.ts';
import { QuotaError } from '../../stages/acceptance.ts';
import { StoreError } from '../../store/errors.ts';

describe('toFailure', () => {
  test.each([
    ['a missing key', new CliError('Provider main needs a key.', EXIT.environment), true],
    ['a source that is not there', new SourceReadError('missing_file', 'a.jsonl', 'Source a: nothing to read.'), true],
    ['quotas that contradict each other', new QuotaError('Source quotas add up to 9.'), true],
    ['a store that is held for a moment', new StoreError('locked', 'held'), false],
  ])('%s keeps its sentence and is final or not', (_, error, isFinal) => {
    const failure = toFailure(error);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ message: error.message, type: error.code, nonRetryable: isFinal });
  });

  test('an error without a code passes as it is', () => {
    const error = new Error('x');
    expect(toFailure(error)).toBe(error);
  });
});
