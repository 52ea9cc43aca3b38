import type { SourceConfig } from '../../schemas/config.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { nearestName } from '../nearest-name.ts';
import type { Invocation } from './catalog.ts';

const ACTIONS = ['pull', 'verify'] as const;

/** The sources a command names: the one given, else all that meet a condition. */
export function namedSources(
  loaded: LoadedConfig,
  name: string | undefined,
  otherwise: (source: SourceConfig) => boolean,
): readonly SourceConfig[] {
  const { sources } = loaded.config;
  if (name === undefined) return sources.filter(otherwise);
  const found = sources.filter((source) => source.name === name);
  if (found.length > 0) return found;
  const names = sources.map((source) => source.name);
  const nearest = nearestName(name, names);
  throw new CliError(
    `${loaded.file} has no source ${name}${nearest === null ? '' : ` (did you mean ${nearest}?)`}; it has ${names.join(', ')}.`,
    EXIT.usage,
  );
}

/** `memcalib sources ACTION`: what has to do with source datasets before a build. */
export async function runSources(invocation: Invocation): Promise<number> {
  const [action = '', ...positional] = invocation.positional;
  const inner = { ...invocation, positional };
  if (action === 'pull') return (await import('./sources-pull.ts')).runSourcesPull(inner);
  if (action === 'verify') return (await import('./sources-verify.ts')).runSourcesVerify(inner);
  const nearest = nearestName(action, ACTIONS);
  throw new CliError(
    `\`memcalib sources ${action}\` is none of ${ACTIONS.join(', ')}${nearest === null ? '' : `; did you mean ${nearest}?`} Type \`memcalib sources --help\`.`,
    EXIT.usage,
  );
}
