import { canonicalJson, sha256Hex } from '../schemas/hash.ts';
import type { CallContent, ResponseFormat } from '../schemas/ledger.ts';

/** Canonical JSON of the few formats of a run: they hold whole schemas and go with every call. */
const formats = new WeakMap<ResponseFormat, string>();

function formatText(format: ResponseFormat): string {
  const known = formats.get(format);
  if (known !== undefined) return known;
  const text = canonicalJson(format);
  formats.set(format, text);
  return text;
}

/** Ledger key of a call: 64 hexadecimal digits over what decides the reply. Token cap, run, step and part are not in it. */
export function callKey(content: CallContent): string {
  const { provider, model, messages, sampling, responseFormat, sampleIndex } = content;
  // The canonical JSON of the six members, put together by hand so that the format's text is made once.
  const members = [
    `"messages":${canonicalJson(messages)}`,
    `"model":${canonicalJson(model)}`,
    `"provider":${canonicalJson(provider)}`,
    `"responseFormat":${formatText(responseFormat)}`,
    `"sampleIndex":${canonicalJson(sampleIndex)}`,
    `"sampling":${canonicalJson(sampling)}`,
  ];
  return sha256Hex(`{${members.join(',')}}`);
}
