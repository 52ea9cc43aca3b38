import { parse } from 'yaml';
import { z } from 'zod';
import { ROLES, STEPS } from '../schemas/steps.ts';

const FrontMatter = z.strictObject({
  id: z.enum(STEPS),
  /** Reviews name `reviewer`: the role is then the part id. */
  role: z.enum([...ROLES, 'reviewer']),
  schema: z.string().min(1),
  maxTokens: z.int().positive(),
});

/** A prompt file: front matter plus the instructions that are sent as the system message. */
export interface Prompt extends z.infer<typeof FrontMatter> {
  /** Rendered instructions: comments removed, lines right-trimmed. Never substituted into, so never rescanned. */
  readonly instructions: string;
}

/** A prompt file that cannot be used; the message names the file and the line or field. */
export class PromptError extends Error {
  override readonly name = 'PromptError';
}

function unixText(markdown: string): string {
  return markdown.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

/** Instructions as they are sent: comments, trailing blanks and outer blank lines are gone. */
export function renderInstructions(markdown: string): string {
  return unixText(markdown)
    .replace(/<!--[\s\S]*?-->/g, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/**
 * Reads one Markdown prompt with YAML front matter. HTML comments, trailing blanks and outer blank lines are cosmetic:
 * they are gone before anything is hashed or sent (DESIGN §5).
 */
export function parsePrompt(markdown: string, file: string): Prompt {
  const text = unixText(markdown);
  const match = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text);
  if (match === null)
    throw new PromptError(`${file} has no front matter: it must begin with a line --- and hold id, role, schema and maxTokens`);
  const front = FrontMatter.safeParse(parse(match[1] ?? ''));
  if (!front.success)
    throw new PromptError(
      `${file}: front matter field ${front.error.issues[0]?.path.join('.') ?? ''} is wrong (${front.error.issues[0]?.message ?? ''})`,
    );
  const instructions = renderInstructions(match[2] ?? '');
  if (instructions === '') throw new PromptError(`${file} holds no instructions below its front matter`);
  return { ...front.data, instructions };
}
