import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parsePrompt, PromptError } from '../prompts/prompt.ts';
import { STEPS } from '../schemas/steps.ts';
import type { RunSpec } from '../schemas/run-spec.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { LoadedConfig } from './config-file.ts';
import { packageRoot } from './package-root.ts';

/** Reads the prompt of every step from `promptsDir` (default: the ones that come with this package). */
export function readPrompts(loaded: LoadedConfig): RunSpec['prompts'] {
  const folder =
    loaded.config.promptsDir === undefined ? join(packageRoot(), 'prompts') : resolve(loaded.baseDir, loaded.config.promptsDir);
  if (!existsSync(folder))
    throw new CliError(
      `There is no prompts folder ${folder}. Correct promptsDir in ${loaded.file}, or leave it out to use the prompts of this package.`,
      EXIT.usage,
    );
  const found = new Map<string, { readonly instructions: string; readonly maxTokens: number }>();
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()) {
    const file = join(folder, name);
    try {
      const prompt = parsePrompt(readFileSync(file, 'utf8'), file);
      if (found.has(prompt.id))
        throw new CliError(`Two prompts in ${folder} have the id ${prompt.id}. Remove one, then type the command again.`, EXIT.usage);
      found.set(prompt.id, { instructions: prompt.instructions, maxTokens: prompt.maxTokens });
    } catch (error) {
      if (error instanceof PromptError)
        throw new CliError(`${error.message}. Mend the file, then type the command again.`, EXIT.usage, { cause: error });
      throw error;
    }
  }
  const missing = STEPS.filter((step) => !found.has(step));
  if (missing.length > 0)
    throw new CliError(
      `${folder} holds no prompt with the id ${missing.join(', ')}. Add the file, or leave promptsDir out of ${loaded.file}.`,
      EXIT.usage,
    );
  return Object.fromEntries(STEPS.map((step) => [step, found.get(step)])) as unknown as RunSpec['prompts'];
}
