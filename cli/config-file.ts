import { existsSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Config } from '../schemas/config.ts';
import { CliError, EXIT } from './cli-error.ts';
import { cacheBundle, cacheChecked, cachedBundle, cachedChecked } from './config-cache.ts';
import { parseJsonFile } from './json-file.ts';

/** A loaded config with the folder its relative paths start from and the project folder it names. */
export interface LoadedConfig {
  readonly file: string;
  readonly baseDir: string;
  readonly projectFolder: string;
  readonly config: Config;
}

const VIRTUAL = 'export const defineConfig = (config) => config;';

/** The first complaint of the bundler with its line, or what the config itself threw. */
function reasonOf(error: unknown): string {
  const { errors } = error as {
    readonly errors?: readonly { readonly text: string; readonly location: { readonly line: number } | null }[];
  };
  const first = errors?.[0];
  if (first !== undefined) return `${first.location === null ? '' : `line ${first.location.line}: `}${first.text}`;
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}

async function bundle(file: string): Promise<string> {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: [file],
    absWorkingDir: dirname(file),
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [
      {
        name: 'memcalib',
        setup(build) {
          build.onResolve({ filter: /^memcalib$/ }, () => ({ path: 'memcalib', namespace: 'memcalib' }));
          build.onLoad({ filter: /.*/, namespace: 'memcalib' }, () => ({ contents: VIRTUAL, loader: 'js' }));
        },
      },
    ],
  });
  const code = result.outputFiles[0]?.text ?? '';
  const inputs = Object.keys(result.metafile.inputs).flatMap((path) =>
    path.startsWith('memcalib:') ? [] : [resolve(dirname(file), path)],
  );
  cacheBundle(file, inputs, code);
  return code;
}

async function evaluate(file: string): Promise<unknown> {
  try {
    const code = cachedBundle(file) ?? (await bundle(file));
    const module: unknown = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
    return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  } catch (error) {
    const reason = reasonOf(error);
    throw new CliError(`${file} could not be read as a config: ${reason}. Mend the line, then type the command again.`, EXIT.usage, {
      cause: error,
    });
  }
}

/** The config with its defaults; one that was checked before is not checked again, and the schema not even loaded. */
async function checkedConfig(value: unknown, file: string): Promise<Config> {
  const known = cachedChecked(value);
  if (known !== null) return known as Config;
  const { checkConfig } = await import('./check-config.ts');
  const config = checkConfig(value, file);
  cacheChecked(value, config);
  return config;
}

function isInside(file: string, folder: string): boolean {
  const path = relative(realpathSync(folder), realpathSync(file));
  return path !== '' && !path.startsWith('..');
}

/** Loads `memcalib.config.ts`. A config is code: one outside the current folder is run only with `trust`. */
export async function loadConfig(
  path: string | undefined,
  options: { readonly trust: boolean; readonly cwd: string },
): Promise<LoadedConfig> {
  const file = resolve(options.cwd, path ?? 'memcalib.config.ts');
  if (!existsSync(file))
    throw new CliError(`There is no config ${file}. Type \`memcalib init\` to write one, or name one with --config.`, EXIT.usage);
  if (!file.endsWith('.json') && !options.trust && !isInside(file, options.cwd)) {
    throw new CliError(
      `${file} lies outside the current folder, and a config is code. Type the command again with --trust if you trust it.`,
      EXIT.usage,
    );
  }
  const value: unknown = file.endsWith('.json') ? parseJsonFile(file) : await evaluate(file);
  if (value === undefined) throw new CliError(`${file} has no default export. Write \`export default defineConfig({ ... })\`.`, EXIT.usage);
  const config = await checkedConfig(value, file);
  const baseDir = dirname(file);
  return { file, baseDir, projectFolder: resolve(baseDir, config.projectDir), config };
}
