import { canonicalJson, sha256Hex } from '../schemas/hash.ts';
import type { CallContent, ResponseFormat } from '../schemas/ledger.ts';
import { messagesText, textOfEach } from './json-texts.ts';

/** Canonical JSON of the few formats of a run: they hold whole schemas and go with every call. */
const formatText = textOfEach<ResponseFormat>(canonicalJson);

/** Ledger key of a call: 64 hexadecimal digits over what decides the reply. Token cap, run, step and part are not in it. */
export function callKey(content: CallContent): string {
  const { provider, model, messages, sampling, responseFormat, sampleIndex } = content;
  // The canonical JSON of the six members, put together by hand so that the texts that all calls share are made once.
  const members = [
    `"messages":${messagesText(messages)}`,
    `"model":${canonicalJson(model)}`,
    `"provider":${canonicalJson(provider)}`,
    `"responseFormat":${formatText(responseFormat)}`,
    `"sampleIndex":${canonicalJson(sampleIndex)}`,
    `"sampling":${canonicalJson(sampling)}`,
  ];
  return sha256Hex(`{${members.join(',')}}`);
}
