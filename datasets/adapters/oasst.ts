import type { JsonObject, JsonValue } from '../../schemas/json.ts';
import { normaliseText } from '../normalise.ts';
import { hasQuestionIntent, isClosing } from '../screening/intent.ts';
import { askedText } from '../screening/row-text.ts';
import { memorySignals } from '../screening/signals.ts';
import {
  completed,
  hasColumn,
  idOf,
  isObject,
  rejected,
  textOf,
  wrongColumns,
  type AdapterContext,
  type AdapterResult,
} from './adapter.ts';

/** Most ancestors kept as context (SPEC §3). */
const MAX_CONTEXT_TURNS = 12;

interface Message {
  readonly id: string;
  readonly parentId: string | null;
  readonly treeId: string;
  readonly text: string;
  readonly role: 'prompter' | 'assistant';
  readonly lang: string;
  readonly rank: number | null;
  readonly isUsable: boolean;
  readonly isSynthetic: boolean;
  readonly origin: AdapterContext['origin'];
}

function messageOf(row: JsonObject, treeId: string, parentId: string | null, origin: AdapterContext['origin']): Message | null {
  const id = idOf(row, 'message_id');
  if (id === null) return null;
  return {
    id,
    parentId,
    treeId,
    text: normaliseText(textOf(row, 'text') ?? ''),
    role: row['role'] === 'assistant' ? 'assistant' : 'prompter',
    lang: textOf(row, 'lang') ?? 'en',
    rank: typeof row['rank'] === 'number' ? row['rank'] : null,
    isUsable: row['deleted'] !== true && row['review_result'] !== false,
    isSynthetic: row['synthetic'] === true,
    origin,
  };
}

function* messagesOfTree(node: JsonObject, treeId: string, parentId: string | null, origin: AdapterContext['origin']): Iterable<Message> {
  const stack: { node: JsonObject; parentId: string | null }[] = [{ node, parentId }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const message = messageOf(next.node, treeId, next.parentId, origin);
    if (message === null) continue;
    yield message;
    const replies = next.node['replies'];
    for (const reply of Array.isArray(replies) ? (replies as readonly JsonValue[]) : [])
      if (isObject(reply)) stack.push({ node: reply, parentId: message.id });
  }
}

interface Path {
  readonly answer: Message;
  readonly question: Message;
  /** Root first, without question and answer. */
  readonly ancestors: readonly Message[];
}

function pathTo(answer: Message, byId: ReadonlyMap<string, Message>): Path | null {
  const chain: Message[] = [];
  const seen = new Set<string>([answer.id]);
  for (let at = answer.parentId; at !== null;) {
    const message = byId.get(at);
    if (message === undefined || seen.has(message.id)) return null;
    seen.add(message.id);
    chain.unshift(message);
    at = message.parentId;
  }
  const question = chain.pop();
  return question === undefined || question.role !== 'prompter' ? null : { answer, question, ancestors: chain.slice(-MAX_CONTEXT_TURNS) };
}

/** Why a path cannot be used, worst first; null when it can. */
function faultOf({ answer, question, ancestors }: Path): string | null {
  const all = [answer, question, ...ancestors];
  if (answer.text === '') return 'missing_answer';
  if (all.some((message) => !message.isUsable)) return 'deleted_or_failed_review';
  if (all.some((message) => message.isSynthetic)) return 'synthetic';
  if (answer.lang !== 'en' || question.lang !== 'en') return 'non_english';
  return answer.rank === null || answer.rank === 0 ? null : 'not_best_rank';
}

function contextOf(path: Path): { speaker: 'user' | 'assistant'; text: string }[] {
  return path.ancestors.map((message) => ({
    speaker: message.role === 'prompter' ? ('user' as const) : ('assistant' as const),
    text: message.text,
  }));
}

/** Asks with a signal in or before it, only asks, neither; then the later turn, then the lower id. */
function isBetter(a: Path, b: Path): boolean {
  const rank = (path: Path): number => {
    if (isClosing(path.question.text) || !hasQuestionIntent(path.question.text)) return 0;
    return memorySignals(askedText({ context: contextOf(path), question: path.question.text }), 'general').length > 0 ? 2 : 1;
  };
  return rank(a) - rank(b) !== 0
    ? rank(a) > rank(b)
    : a.ancestors.length === b.ancestors.length
      ? a.answer.id < b.answer.id
      : a.ancestors.length > b.ancestors.length;
}

const DETAILS: Readonly<Record<string, string>> = {
  missing_answer: 'No message of the tree has a reply.',
  deleted_or_failed_review: 'Every path of the tree holds a deleted message or one that failed its review.',
  synthetic: 'Every path of the tree holds text written by a model.',
  non_english: 'No English prompter message of the tree has an English reply.',
  not_best_rank: 'The best-ranked replies of the tree cannot be used.',
  broken_tree: 'A parent message of every path is missing.',
};

function readTree(messages: readonly Message[], context: AdapterContext, dataset: string): AdapterResult {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const treeId = messages[0]?.treeId ?? '';
  const origin = messages[0]?.origin ?? context.origin;
  const answers = messages.filter((message) => message.role === 'assistant' && message.parentId !== null);
  const paths = answers.map((answer) => pathTo(answer, byId)).filter((path) => path !== null);
  let best: Path | undefined;
  for (const path of paths) if (faultOf(path) === null && (best === undefined || isBetter(path, best))) best = path;
  if (best === undefined) {
    const faults = new Set(paths.map((path) => faultOf(path)));
    const reason =
      ['deleted_or_failed_review', 'synthetic', 'non_english', 'not_best_rank'].find((fault) => faults.has(fault)) ??
      (answers.length > 0 && paths.length === 0 ? 'broken_tree' : 'missing_answer');
    return rejected({ ...context, origin }, reason, DETAILS[reason] ?? '', `${dataset}:${treeId}`);
  }
  return completed(
    { ...context, origin: best.answer.origin },
    {
      sourceId: `${dataset}:${context.source.split}:${best.answer.id}`,
      groupKey: `oasst:${treeId}`,
      domain: 'general',
      question: best.question.text,
      context: contextOf(best),
      answer: best.answer.text,
      metadata: { messageTreeId: treeId, messageId: best.answer.id, rank: best.answer.rank, lang: best.answer.lang },
    },
  );
}

/** Collects messages (flat form, in any order) and trees (one a row); gives one path per tree. `merged` counts rows beyond the first of their tree. */
export interface OasstCollector {
  add(row: JsonObject, context: AdapterContext): readonly AdapterResult[];
  finish(): readonly AdapterResult[];
  merged(): number;
}

/** Collector for one OpenAssistant source; parents are found by id because flat rows may come in any order. */
export function createOasstCollector(dataset: 'oasst1' | 'oasst2'): OasstCollector {
  const trees = new Map<string, { messages: Message[]; context: AdapterContext }>();
  let merged = 0;
  return {
    add(row, context) {
      const prompt = row['prompt'];
      if (isObject(prompt)) {
        const treeId = idOf(row, 'message_tree_id') ?? idOf(prompt, 'message_id') ?? '';
        return [readTree([...messagesOfTree(prompt, treeId, null, context.origin)], context, dataset)];
      }
      if (!hasColumn(row, 'message_id') || !hasColumn(row, 'role'))
        return [wrongColumns(context, 'message_id, parent_id, text, role, lang, rank, message_tree_id', row)];
      const treeId = idOf(row, 'message_tree_id');
      const message = treeId === null ? null : messageOf(row, treeId, idOf(row, 'parent_id'), context.origin);
      if (treeId === null || message === null)
        return [rejected(context, 'missing_id', 'The message has no message_id or message_tree_id.')];
      const tree = trees.get(treeId);
      if (tree === undefined) trees.set(treeId, { messages: [message], context });
      else {
        merged += 1;
        tree.messages.push(message);
      }
      return [];
    },
    finish() {
      const results = [...trees.values()].map(({ messages, context }) => {
        const sorted = [...messages].sort((a, b) => (a.id < b.id ? -1 : 1));
        return readTree(sorted, context, dataset);
      });
      trees.clear();
      return results;
    },
    merged: () => merged,
  };
}
