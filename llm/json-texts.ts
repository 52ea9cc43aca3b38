import type { ChatMessage } from '../schemas/ledger.ts';

/** More different system prompts than any project has; beyond it they are written anew. */
const MAX_TEXTS = 200;

const systemTexts = new Map<string, string>();

function contentText({ role, content }: ChatMessage): string {
  if (role !== 'system') return JSON.stringify(content);
  const known = systemTexts.get(content);
  if (known !== undefined) return known;
  if (systemTexts.size >= MAX_TEXTS) systemTexts.clear();
  const text = JSON.stringify(content);
  systemTexts.set(content, text);
  return text;
}

/** Keeps the JSON text of objects that live as long as a run and go with every call. */
export function textOfEach<T extends object>(write: (value: T) => string): (value: T) => string {
  const texts = new WeakMap<T, string>();
  return (value) => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = write(value);
    texts.set(value, text);
    return text;
  };
}

/** The messages as canonical JSON, made once per call: its key and its body hold them. A system prompt goes with thousands of calls, so its text is made once for all. */
export const messagesText = textOfEach<readonly ChatMessage[]>(
  (messages) => `[${messages.map((message) => `{"content":${contentText(message)},"role":${JSON.stringify(message.role)}}`).join(',')}]`,
);
