import { loadConfig } from '../config-file.ts';
import type { LoadedConfig } from '../config-file.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Invocation } from './catalog.ts';

/** The text value of an option; undefined when it was not given. */
export function textOption(invocation: Invocation, name: string): string | undefined {
  const value = invocation.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Whether a switch was given. */
export function isOn(invocation: Invocation, name: string): boolean {
  return invocation.options[name] === true;
}

/** The build label of a command, checked. */
export function labelOf(invocation: Invocation): string {
  const label = textOption(invocation, 'label') ?? 'main';
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(label))
    throw new CliError(`--label ${label} is no label: use letters, digits, dot, dash and underscore, at most 64.`, EXIT.usage);
  return label;
}

/** Loads the config a command was given. */
export function configOf(invocation: Invocation): Promise<LoadedConfig> {
  return loadConfig(textOption(invocation, 'config'), { trust: isOn(invocation, 'trust'), cwd: process.cwd() });
}

/** Prints a line for a person. */
export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a value as JSON, for programs. */
export function sayJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** The --config and --trust part of a command line, to print commands that can be typed as they stand. */
export function configFlag(invocation: Invocation): string {
  const config = textOption(invocation, 'config');
  return `${config === undefined ? '' : ` --config ${config}`}${isOn(invocation, 'trust') ? ' --trust' : ''}`;
}
