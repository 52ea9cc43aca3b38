import type { SourceConfig } from '../../schemas/config.ts';
import { HubError } from './hub-error.ts';

/** Branch on which the hub keeps datasets made by a script as Parquet. */
export const PARQUET_BRANCH = 'refs/convert/parquet';

const READABLE = /\.(?:jsonl|ndjson|json|csv)(?:\.gz|\.zst)?$|\.parquet$/i;

/** Only what is needed of each dataset: its train split, the site of the rows, the one file. */
const DEFAULT_INCLUDE: Readonly<Record<SourceConfig['adapter'], readonly string[]>> = {
  meddialog: ['**/train*', '**/train/*'],
  healthcaremagic: ['**/train*', '**/train/*', '*.json'],
  icliniq: ['**/train*', '**/train/*', '*.json'],
  ultrachat: ['data/train_sft-*.parquet'],
  oasst1: ['data/train-*.parquet'],
  oasst2: ['data/train-*.parquet'],
  magicoder: ['data-oss_instruct-decontaminated.jsonl'],
  apps: ['*/train/*.parquet', '*/partial-train/*.parquet'],
  stackexchange: ['data/Stackoverflow.com/*.parquet', 'data/stackoverflow.com/*.parquet'],
  custom: ['**'],
};

/** Patterns of a source's files: what its config says, else what its adapter needs. */
export function includeOf(source: SourceConfig): readonly string[] {
  const given = source.hub?.include;
  if (given !== undefined && given.length > 0) return given;
  if (source.adapter !== 'stackexchange' || source.site === undefined) return DEFAULT_INCLUDE[source.adapter];
  return [`data/${source.site}/*.parquet`, `data/${source.site}.com/*.parquet`, `data/${source.site}.stackexchange.com/*.parquet`];
}

/** Branch, tag or commit that a source asks for; script datasets come from their Parquet branch. */
export function revisionOf(source: SourceConfig): string {
  return source.hub?.revision ?? (source.adapter === 'apps' ? PARQUET_BRANCH : 'main');
}

/** `*` within a folder, `**` over folders, `?` one character. */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|[*?]|[^*?]/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : part.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  });
  return new RegExp(`^${source}$`);
}

/** Whether a path is a readable file that one of the patterns names. */
export function isIncluded(path: string, patterns: readonly string[]): boolean {
  return READABLE.test(path) && patterns.some((pattern) => toRegExp(pattern).test(path));
}

/** Refuses a path that would leave the folder of the source: names come from outside. */
export function checkPath(path: string, source: string): void {
  const parts = path.split('/');
  if (path.length < 1000 && !/[\\:\p{Cc}]/u.test(path) && parts.every((part) => part !== '' && part !== '.' && part !== '..')) return;
  throw new HubError('unsafe_path', `Source ${source}: the dataset lists a file with a name that is no plain path; nothing was written.`);
}

/** The sentence when nothing matches: it shows what is there. */
export function nothingMatches(source: SourceConfig, where: string, patterns: readonly string[], present: readonly string[]): HubError {
  const shown = present.filter((path) => READABLE.test(path)).slice(0, 5);
  return new HubError(
    'nothing_matches',
    `Source ${source.name}: no file of ${where} matches ${patterns.join(', ')}. ${shown.length === 0 ? 'It holds no readable file.' : `It holds ${shown.join(', ')}${present.length > shown.length ? ' ...' : ''}.`} Say which in \`hub.include\` of memcalib.config.ts, then type \`memcalib sources pull ${source.name}\`.`,
  );
}
