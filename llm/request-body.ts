import type OpenAI from 'openai';
import type { CallContent, ResponseFormat } from '../schemas/ledger.ts';
import { messagesText, textOfEach } from './json-texts.ts';

/** The name of the token cap in the body: newer OpenAI models refuse the old one, most other servers know only it. */
export type MaxTokensField = 'max_tokens' | 'max_completion_tokens';

type SmallFields = Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, 'messages' | 'response_format'>;

/** The JSON body of one chat completion. Vendor fields stand at the top level and cannot displace ours. */
export function requestBody(content: CallContent, maxTokens: number, maxTokensField: MaxTokensField): string {
  const { sampling, responseFormat } = content;
  const fields: SmallFields = {
    ...(sampling.extra as object | undefined),
    model: content.model,
    temperature: sampling.temperature,
    ...(sampling.topP === undefined ? {} : { top_p: sampling.topP }),
    ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
    [maxTokensField]: maxTokens,
    stream: false,
  };
  // The long members are written by hand, so that prompts and schemas that all calls share become text once.
  const small = JSON.stringify({ ...fields, messages: undefined, response_format: undefined });
  const format = responseFormat.type === 'text' ? '' : `,"response_format":${formatText(responseFormat)}`;
  return `${small.slice(0, -1)},"messages":${messagesText(content.messages)}${format}}`;
}

type StructuredFormat = Exclude<ResponseFormat, { readonly type: 'text' }>;

const formatText = textOfEach<StructuredFormat>((format) => JSON.stringify(formatField(format)));

function formatField(format: StructuredFormat): OpenAI.ResponseFormatJSONSchema | OpenAI.ResponseFormatJSONObject {
  if (format.type === 'json_object') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: format.name, strict: true, schema: { ...format.schema } } };
}
