import type { FaultName } from './faults.ts';

type Json = Record<string, unknown>;

const HUGE_CHARACTERS = 2_000_000;

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Changes the first list of objects in a reply, or the reply itself when it holds none or the list is left alone (null). */
function changeList(reply: Json, onList: (items: readonly Json[]) => readonly Json[] | null, onReply: (reply: Json) => Json): Json {
  const entry = Object.entries(reply).find(([, value]) => Array.isArray(value) && value.length > 0 && value.every(isObject));
  const changed = entry === undefined ? null : onList(entry[1] as readonly Json[]);
  return entry === undefined || changed === null ? onReply(reply) : { ...reply, [entry[0]]: changed };
}

/**
 * Whether an item answers for something the request named. Where a model chooses what it lists (the atoms of a passage), a shorter list is
 * another answer and no fault that anybody could see, so there a whole field goes missing instead.
 */
const answersForOne = (item: Json): boolean => ['atom', 'slot', 'block'].some((name) => name in item);

function withWrongIds(item: Json): Json {
  const key = ['atom', 'slot', 'block', 'passage', 'title'].find((name) => name in item);
  if (key === undefined) return { ...item, id: 'z99' };
  return { ...item, [key]: typeof item[key] === 'number' ? 99 : 'z99' };
}

function renamed(reply: Json): Json {
  const [first, ...rest] = Object.entries(reply);
  return first === undefined ? { z99: null } : Object.fromEntries([[`${first[0]}_z99`, first[1]], ...rest]);
}

function withoutLast(reply: Json): Json {
  return Object.fromEntries(Object.entries(reply).slice(0, -1));
}

/** Faults that change the text of a reply and nothing around it. */
const SPOILERS: Partial<Record<FaultName, (content: string) => string>> = {
  fences: (content) => `\`\`\`json\n${content}\n\`\`\``,
  think_tags: (content) => `<think>\nLet me see what {"is": asked} here.\n</think>\n${content}`,
  prose: () => 'Of course! I went through everything carefully and all of it looks fine to me.',
  blank: () => ' \n\t ',
  ignored_schema: () => JSON.stringify({ answer: 'as requested', confidence: 0.9 }),
  duplicate_keys: (content) => content.replace(/^\s*\{\s*("[^"]+")\s*:/, (match, key: string) => `{${key}:null,${match.trim().slice(1)}`),
  lone_surrogate: (content) => content.replace(/:\s*"/, (match) => `${match}\ud83d`),
  huge: (content) => `${content.slice(0, -1)},"padding":"${'x'.repeat(HUGE_CHARACTERS)}"}`,
  wrong_ids: (content) => spoiledObject('wrong_ids', content),
  missing_atoms: (content) => spoiledObject('missing_atoms', content),
  invented_atoms: (content) => spoiledObject('invented_atoms', content),
};

/** The content of a reply after a fault that spoils content; null when the fault is of another kind. */
export function spoiledContent(fault: FaultName, content: string): string | null {
  return SPOILERS[fault]?.(content) ?? null;
}

function spoiledObject(fault: 'wrong_ids' | 'missing_atoms' | 'invented_atoms', content: string): string {
  let reply: unknown;
  try {
    reply = JSON.parse(content) as unknown;
  } catch {
    return content;
  }
  if (!isObject(reply)) return content;
  if (fault === 'wrong_ids')
    return JSON.stringify(changeList(reply, (items) => items.map((item, at) => (at === 0 ? withWrongIds(item) : item)), renamed));
  if (fault === 'missing_atoms')
    return JSON.stringify(changeList(reply, (items) => (items.every(answersForOne) ? items.slice(0, -1) : null), withoutLast));
  return JSON.stringify(
    changeList(
      reply,
      (items) => [...items, withWrongIds(items.at(-1) ?? {})],
      (whole) => ({ ...whole, z99: 'invented' }),
    ),
  );
}
