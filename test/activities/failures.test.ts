import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { isUnknown, MOST_UNKNOWN_ERRORS, toFailure } from '../../activities/failures.ts';
import { CliError, EXIT } from '../../cli/cli-error.ts';
import { SourceReadError } from '../../hub/read-error.ts';
import { ModelClientError } from '../../llm/client-error.ts';
import { EndpointError } from '../../llm/endpoint-rules.ts';
import { StoreError } from '../../store/errors.ts';

const cause = new Error('text of a row');

it.each<[string, Error, boolean]>([
  ['a missing source', new SourceReadError('missing_file', 'a.jsonl', 'Say.', cause), true],
  ['an empty source', new SourceReadError('empty_source', 'a', 'Say.'), true],
  ['an endpoint that may not be used', new EndpointError('plain_http', 'Say.'), true],
  ['a missing key', new CliError('Say.', EXIT.environment, { cause }), true],
  ['an unknown provider', new ModelClientError('unknown_provider', 'Say.'), true],
  ['a call that was cancelled', new ModelClientError('cancelled', 'Say.'), false],
  ['a damaged store', new StoreError('corrupt_file', 'Say.', cause), true],
  ['a store held for a moment', new StoreError('locked', 'Say.'), false],
  ['a full disk, which waits for room', new StoreError('disk_full', 'Say.'), false],
])('%s is final or not, keeps its sentence and tells no cause', (_, error, final) => {
  const failure = toFailure(error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect({ message: failure.message, cause: failure.cause, final: (failure as ApplicationFailure).nonRetryable }).toEqual({
    message: 'Say.',
    cause: undefined,
    final,
  });
});

it('an error without a code is tried again a few times, then final under a name, and quotes no row', () => {
  const error = new TypeError('Unexpected token in "I am a row about my knee"');
  expect(isUnknown(error)).toBe(true);
  const [first, last] = [1, MOST_UNKNOWN_ERRORS].map((times) => toFailure(error, times) as ApplicationFailure);
  expect(first).toMatchObject({ type: 'unexpected', nonRetryable: false });
  expect(last).toMatchObject({ type: 'unexpected', nonRetryable: true, cause: undefined });
  expect(last?.message).toMatch(/TypeError in activities\/failures\.test\.ts:\d+.*5 times.*`memcalib build`/);
  for (const failure of [first, last]) expect(failure?.message).not.toContain('knee');
});

it('a failure that has its name already stays as it is', () => {
  const named = ApplicationFailure.retryable('the owner ended', 'owner_ended');
  expect(isUnknown(named)).toBe(false);
  expect(toFailure(named, MOST_UNKNOWN_ERRORS)).toBe(named);
});
