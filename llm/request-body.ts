import type OpenAI from 'openai';
import type { CallContent, ResponseFormat } from '../schemas/ledger.ts';

/** The name of the token cap in the body: newer OpenAI models refuse the old one, most other servers know only it. */
export type MaxTokensField = 'max_tokens' | 'max_completion_tokens';

/** The JSON body of one chat completion. Vendor fields stand at the top level and cannot displace ours. */
export function requestBody(content: CallContent, maxTokens: number, maxTokensField: MaxTokensField): string {
  const { sampling } = content;
  const body: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming = {
    ...(sampling.extra as object | undefined),
    model: content.model,
    messages: content.messages.map(({ role, content: text }) => ({ role, content: text })),
    temperature: sampling.temperature,
    ...(sampling.topP === undefined ? {} : { top_p: sampling.topP }),
    ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
    ...(content.responseFormat.type === 'text' ? {} : { response_format: formatField(content.responseFormat) }),
    [maxTokensField]: maxTokens,
    stream: false,
  };
  return JSON.stringify(body);
}

type StructuredFormat = Exclude<ResponseFormat, { readonly type: 'text' }>;

function formatField(format: StructuredFormat): OpenAI.ResponseFormatJSONSchema | OpenAI.ResponseFormatJSONObject {
  if (format.type === 'json_object') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: format.name, strict: true, schema: { ...format.schema } } };
}
