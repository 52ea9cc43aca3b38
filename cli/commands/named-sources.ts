import type { SourceConfig } from '../../schemas/config.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { nearestName } from '../nearest-name.ts';

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
