import { z } from 'zod';
import type { ExampleRecord } from '../schemas/record.ts';

/** The layout of the answer prompt: `schemas/generated/eval-prompt.json`, which TypeScript and the trainer both read. */
export const AnswerPromptLayout = z.object({
  version: z.literal(1),
  system: z.string(),
  memory_heading: z.string(),
  block_line: z.string(),
  query_heading: z.string(),
});
export type AnswerPromptLayout = z.infer<typeof AnswerPromptLayout>;

/** Which text of a block is shown: the written memory, its atoms, or no memory at all. */
export type AnswerPromptSource = 'memory' | 'atomic' | 'none';

/** What a prompt needs of a record. */
export type Promptable = Pick<ExampleRecord, 'question'> & {
  readonly memory_blocks: readonly Pick<ExampleRecord['memory_blocks'][number], 'memory_text' | 'atom_ids'>[];
  readonly memories: readonly Pick<ExampleRecord['memories'][number], 'atom_id' | 'text'>[];
};

function oneLine(text: string): string {
  return text.replace(/[ \t]*[\r\n]+[ \t]*/g, ' ').replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
}

/** One pass, so that substituted text is never scanned again. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function blockLines(
  layout: AnswerPromptLayout,
  record: Promptable,
  source: 'memory' | 'atomic',
  without: ReadonlySet<string>,
): readonly string[] {
  const texts = new Map(record.memories.map((atom) => [atom.atom_id, atom.text.trim()]));
  return record.memory_blocks.flatMap((block, at) => {
    const kept = block.atom_ids.filter((id) => !without.has(id));
    if (source === 'atomic' && kept.length === 0) return [];
    const text = source === 'memory' ? block.memory_text : kept.map((id) => texts.get(id) ?? '').join(' ');
    return [fill(layout.block_line, { n: String(at + 1), text: oneLine(text) })];
  });
}

/** The messages a model under evaluation is sent (SPEC §7); `without` names atoms to leave out of the atomic text. */
export function answerMessages(
  layout: AnswerPromptLayout,
  record: Promptable,
  source: AnswerPromptSource = 'memory',
  without: ReadonlySet<string> = new Set(),
): readonly { readonly role: 'system' | 'user'; readonly content: string }[] {
  const query = [layout.query_heading, record.question];
  const memory = source === 'none' ? [] : [layout.memory_heading, ...blockLines(layout, record, source, without), ''];
  const user = { role: 'user', content: [...memory, ...query].join('\n') } as const;
  return layout.system === '' ? [user] : [{ role: 'system', content: layout.system }, user];
}
