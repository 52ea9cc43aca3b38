import { sha256Hex } from '../../schemas/hash.ts';
import type { JsonObject, JsonValue } from '../../schemas/json.ts';
import type { ContextTurn } from '../../schemas/source-row.ts';
import { normaliseText } from '../normalise.ts';
import { hasQuestionIntent, isClosing } from '../screening/intent.ts';
import { askedText } from '../screening/row-text.ts';
import { memorySignals } from '../screening/signals.ts';
import {
  completed,
  contentId,
  hasColumn,
  idOf,
  isObject,
  rejected,
  textOf,
  wrongColumns,
  type AdapterContext,
  type AdapterResult,
} from './adapter.ts';

/** Longest context kept of a dialogue, in characters (SPEC §3); the oldest turn that overflows is cut at a word. */
const MAX_CONTEXT_CHARS = 6000;

interface Message {
  readonly speaker: 'user' | 'assistant';
  readonly text: string;
}

/** Messages with roles, or the raw dataset's `data`: texts that alternate and begin with the user. */
function messagesOf(row: JsonObject): readonly Message[] {
  const list = row['messages'] ?? row['data'];
  const items: readonly JsonValue[] = Array.isArray(list) ? (list as readonly JsonValue[]) : [];
  return items.flatMap((item, at): readonly Message[] => {
    if (typeof item === 'string') return [{ speaker: at % 2 === 0 ? 'user' : 'assistant', text: normaliseText(item) }];
    if (!isObject(item) || (item['role'] !== 'user' && item['role'] !== 'assistant')) return [];
    return [{ speaker: item['role'], text: normaliseText(textOf(item, 'content') ?? '') }];
  });
}

/** Earlier turns, newest kept: at most 6,000 characters in all. */
export function lastContext(turns: readonly ContextTurn[], maxChars: number = MAX_CONTEXT_CHARS): readonly ContextTurn[] {
  const kept: ContextTurn[] = [];
  let room = maxChars;
  for (const turn of [...turns].reverse()) {
    if (turn.text === '') continue;
    if (turn.text.length <= room) kept.unshift(turn);
    else {
      const tail = turn.text.slice(turn.text.length - room).replace(/^\S*\s+/, '');
      if (tail.length >= 40) kept.unshift({ ...turn, text: tail });
      break;
    }
    room -= turn.text.length;
  }
  return kept;
}

interface Pair {
  readonly at: number;
  readonly question: string;
  readonly context: readonly ContextTurn[];
  readonly answer: string;
}

/** Rank of a turn: asks and has a memory signal in or before it; only asks; neither. */
function rankOf(pair: Pair): number {
  if (isClosing(pair.question) || !hasQuestionIntent(pair.question)) return 0;
  return memorySignals(askedText({ context: [...pair.context], question: pair.question }), 'general').length > 0 ? 2 : 1;
}

/** UltraChat: one turn pair per dialogue, the latest whose user turn asks something with a signal in or before it. */
export function readUltraChat(row: JsonObject, context: AdapterContext): AdapterResult {
  if (!hasColumn(row, 'messages', 'data')) return wrongColumns(context, 'prompt_id, prompt, messages', row);
  const messages = messagesOf(row);
  const prompt = textOf(row, 'prompt');
  const promptId = idOf(row, 'prompt_id', 'id') ?? contentId(messages[0]?.text ?? '');
  const prefix = `ultrachat_200k:${context.source.split}:${promptId}`;
  if (hasColumn(row, 'prompt_id') && prompt !== null && sha256Hex(prompt) !== promptId)
    return rejected(context, 'prompt_id_mismatch', 'The prompt_id is not the SHA-256 of the prompt, so the row was altered.', prefix);
  const pairs = messages.flatMap((message, at): readonly Pair[] => {
    const asked = messages[at - 1];
    if (message.speaker !== 'assistant' || message.text === '' || asked?.speaker !== 'user' || asked.text === '') return [];
    return [{ at, question: asked.text, context: lastContext(messages.slice(0, at - 1)), answer: message.text }];
  });
  const best = pairs.reduceRight<Pair | undefined>(
    (kept, pair) => (kept === undefined || rankOf(pair) > rankOf(kept) ? pair : kept),
    undefined,
  );
  if (best === undefined) {
    const hasUser = messages.some((message) => message.speaker === 'user' && message.text !== '');
    return rejected(context, hasUser ? 'missing_answer' : 'missing_question', 'No user turn is followed by an assistant turn.', prefix);
  }
  return completed(context, {
    sourceId: `${prefix}:${best.at}`,
    groupKey: `ultrachat:${promptId}`,
    domain: 'general',
    question: best.question,
    context: best.context,
    answer: best.answer,
    metadata: { promptId, turn: best.at, turns: messages.length },
  });
}
