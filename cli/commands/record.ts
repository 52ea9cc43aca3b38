import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { CliError, EXIT } from '../cli-error.ts';
import { parseJsonFile } from '../json-file.ts';
import { query } from '../project.ts';
import { redactor } from './calls.ts';
import type { Invocation } from './catalog.ts';
import { configFlag, configOf, say, textOption } from './options.ts';

const FixtureFile = z.array(z.object({ name: z.string() }).loose());

function needed(invocation: Invocation, name: 'call' | 'out'): string {
  const value = textOption(invocation, name);
  if (value !== undefined && value !== '') return value;
  throw new CliError(
    `\`memcalib record\` writes one call of the ledger as a test fixture: type \`memcalib record --call ID --out FILE${configFlag(invocation)}\`; \`memcalib calls\` lists ids.`,
    EXIT.usage,
  );
}

/** Fixtures that stand in a file already; a file of another kind is not touched. */
function earlier(file: string): z.infer<typeof FixtureFile> {
  if (!existsSync(file)) return [];
  const parsed = FixtureFile.safeParse(parseJsonFile(file));
  if (parsed.success) return parsed.data;
  throw new CliError(`${file} exists and is no list of fixtures. Name another file with --out, then type the command again.`, EXIT.usage);
}

/** `memcalib record`: adds what came back for a call to a file of fixtures, without secrets and without the words of rows or replies. */
export async function runRecord(invocation: Invocation): Promise<number> {
  const id = needed(invocation, 'call');
  const file = resolve(needed(invocation, 'out'));
  const loaded = await configOf(invocation);
  const before = earlier(file);
  const fixture = await query(loaded, 'fixture', { id });
  const taken = before.filter(({ name }) => name === fixture.name || name.startsWith(`${fixture.name} `)).length;
  const named = { ...fixture, name: taken === 0 ? fixture.name : `${fixture.name} ${taken + 1}` };
  const redact = redactor(loaded, process.env);
  writeFileSync(file, `${redact(JSON.stringify([...before, named], null, 1))}\n`);
  say(`Wrote "${named.name}" to ${file} (fixture ${before.length + 1}). It keeps shape and class of the reply, not its words.`);
  return EXIT.ok;
}
