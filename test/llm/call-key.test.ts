import { expect, test } from 'vitest';
import { callKey } from '../../llm/key.ts';
import { hashOf } from '../../schemas/hash.ts';
import type { CallContent } from '../../schemas/ledger.ts';

const CONTENT: CallContent = {
  provider: 'p"rovider',
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.\n' },
    { role: 'user', content: '{"b":1,"a":"é"}' },
  ],
  sampling: { temperature: 0.5, extra: { z: 1, a: [null, true] } },
  responseFormat: { type: 'json_object' },
  sampleIndex: 2,
};

test.each([
  ['as it stands', CONTENT],
  ['without extras', { ...CONTENT, sampling: { temperature: 0 } }],
  [
    'with a schema',
    { ...CONTENT, responseFormat: { type: 'json_schema' as const, name: 'n', schema: { type: 'object', additionalProperties: false } } },
  ],
])('the key of a call %s is the hash of the canonical JSON of what decides the reply, also the second time', (_name, content) => {
  const { provider, model, messages, sampling, responseFormat, sampleIndex } = content;
  const expected = hashOf({ provider, model, messages, sampling, responseFormat, sampleIndex });
  expect([callKey(content), callKey(content)]).toEqual([expected, expected]);
});
