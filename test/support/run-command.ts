import { main } from '../../cli/main.ts';

/** What a command said and how it ended. */
export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `memcalib ARGS` in this process, in a folder and with extra environment, and hands back what it wrote. */
export async function runCommand(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<CommandEnd> {
  const before = {
    cwd: process.cwd(),
    env: { ...process.env },
    out: process.stdout.write.bind(process.stdout),
    err: process.stderr.write.bind(process.stderr),
  };
  const written = { stdout: '', stderr: '' };
  const take =
    (name: keyof typeof written) =>
    (text: string | Uint8Array): boolean => {
      written[name] += String(text);
      return true;
    };
  process.chdir(cwd);
  Object.assign(process.env, env);
  process.stdout.write = take('stdout');
  process.stderr.write = take('stderr');
  try {
    return { code: await main(['node', 'memcalib', ...args]), ...written };
  } finally {
    process.stdout.write = before.out;
    process.stderr.write = before.err;
    process.chdir(before.cwd);
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before.env);
  }
}
