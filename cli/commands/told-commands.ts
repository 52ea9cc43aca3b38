import type { CommandSpec, Invocation } from './catalog.ts';
import { configFlag, say } from './options.ts';

const DEFAULT_CONFIG = /(?<![\w/\\.-])memcalib\.config\.ts/g;
/** A command in backticks, and one in the open with the rest of its line. What an owner was started as is told of, not to be typed. */
const QUOTED = /(?<!pid \d+ \()`memcalib ([a-z]+)(?![a-z-])([^`\n]*)`/g;
const OPEN = /(?<!`|pid \d+ \()\bmemcalib ([a-z]+)(?![a-z-])(?=([^`\n]*))/g;

/** Which commands take --config (the keys), and whether --label too. */
export function takenFlags(commands: readonly CommandSpec[]): ReadonlyMap<string, { readonly label: boolean }> {
  return new Map(
    commands
      .filter(({ takesConfig }) => takesConfig)
      .map(({ usage, options }) => [usage.split(' ')[0] ?? '', { label: options.some(([flags]) => flags.startsWith('--label ')) }]),
  );
}

/**
 * Makes every command a sentence tells to type one that can be typed as it stands: the --config, --trust and --label this command was
 * given are added where they are taken and missing. Sentences of the store, the owner or the ledger do not know them.
 */
export function completeCommands(text: string, invocation: Invocation): string {
  const { config, label } = invocation.options;
  const flags = configFlag(invocation);
  const named = typeof config === 'string' ? text.replace(DEFAULT_CONFIG, () => config) : text;
  const missing = (name: string, rest: string): string => {
    const takes = invocation.takenFlags?.get(name);
    if (takes === undefined) return '';
    const withConfig = rest.includes('--config') ? '' : flags;
    const withLabel = takes.label && typeof label === 'string' && label !== 'main' && !rest.includes('--label');
    return `${withConfig}${withLabel ? ` --label ${label}` : ''}`;
  };
  return named
    .replace(QUOTED, (told: string, name: string, rest: string) => `${told.slice(0, -1)}${missing(name, rest)}\``)
    .replace(OPEN, (told: string, name: string, rest: string) => `${told}${missing(name, rest.split('memcalib ')[0] ?? '')}`);
}

/** Prints a line for a person; the commands in it can be typed as they stand. */
export function tell(invocation: Invocation, line: string): void {
  say(completeCommands(line, invocation));
}
