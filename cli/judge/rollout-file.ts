import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { readRolloutLine } from '../../schemas/judging.ts';
import type { RolloutLine } from '../../schemas/judging.ts';
import { CliError, EXIT } from '../cli-error.ts';

/** A rollout file as read: every line valid, every response once, all of one rollout. */
export interface RolloutFile {
  readonly digest: string;
  readonly lines: readonly RolloutLine[];
}

const AGAIN = 'Write it again with `memcalib-train rollout`, then type the command again; nothing was asked.';

function refused(file: string, why: string): CliError {
  return new CliError(`${file} is no rollout to judge: ${why}. ${AGAIN}`, EXIT.usage);
}

const Manifest = z.object({ digest: z.string(), responses: z.int(), sha256: z.object({ rows: z.string() }) });

/** The trainer's manifest lies beside its rollout; where it does, a changed byte is found before anything is paid. */
function checkManifest(file: string, bytes: Buffer, found: RolloutFile): void {
  const path = file.replace(/\.jsonl$/, '.json');
  if (path === file || !existsSync(path)) return;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw refused(file, `its manifest ${basename(path)} is damaged (no JSON)`);
  }
  const parsed = Manifest.safeParse(value);
  if (!parsed.success) throw refused(file, `its manifest ${basename(path)} is damaged (${parsed.error.issues[0]?.path.join('.') ?? ''})`);
  const { digest, responses, sha256 } = parsed.data;
  const own = createHash('sha256').update(bytes).digest('hex');
  if (sha256.rows.replace(/^sha256:/, '') !== own)
    throw refused(file, `it is not the file its manifest ${basename(path)} describes (its digest differs)`);
  if (digest !== found.digest || responses !== found.lines.length)
    throw refused(file, `its manifest ${basename(path)} describes another rollout (${digest.slice(0, 19)}..., ${responses} responses)`);
}

function parsedLine(file: string, text: string, at: number): RolloutLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused(file, `line ${at} is no JSON`);
  }
  const read = readRolloutLine(value);
  if ('line' in read) return read.line;
  throw refused(file, `line ${at}, field ${read.field === '' ? '(the whole line)' : read.field}: ${read.why}`);
}

/** Reads a rollout file whole before anything is asked; the first thing that is wrong is one sentence with its line. */
export function readRollout(file: string): RolloutFile {
  const bytes = readFileSync(file);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused(file, 'it is not UTF-8 text');
  }
  const lines: RolloutLine[] = [];
  const seen = new Map<string, number>();
  for (const [index, raw] of text.split('\n').entries()) {
    if (raw.trim() === '') continue;
    const line = parsedLine(file, raw, index + 1);
    const before = seen.get(line.response_id);
    if (before !== undefined) throw refused(file, `lines ${before} and ${index + 1} are the same response ${line.response_id}`);
    const other = lines[0]?.rollout_digest;
    if (other !== undefined && other !== line.rollout_digest)
      throw refused(
        file,
        `line ${index + 1} belongs to another rollout (${line.rollout_digest.slice(0, 19)}..., not ${other.slice(0, 19)}...)`,
      );
    seen.set(line.response_id, index + 1);
    lines.push(line);
  }
  const first = lines[0];
  if (first === undefined) throw refused(file, 'it holds no line');
  const found = { digest: first.rollout_digest, lines };
  checkManifest(file, bytes, found);
  return found;
}
