import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { BatchCall } from '../../schemas/batch.ts';
import type { WireReply } from '../wire.ts';

const CUSTOM_ID_HEX = 48;
const LONGEST_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** The id of a call in a batch file: the head of its ledger key and its attempt, within the 64 characters providers take. */
export function customId({ key, attempt }: BatchCall): string {
  return `${key.slice(0, CUSTOM_ID_HEX)}-${attempt}`;
}

/** One line of a requests file, as OpenAI's batch API takes it; `body` is the JSON text of one chat completion. */
export function requestLine(call: BatchCall, body: string): string {
  return `{"custom_id":${JSON.stringify(customId(call))},"method":"POST","url":"/v1/chat/completions","body":${body}}\n`;
}

const ResultLine = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.int().nullish(), request_id: z.string().nullish(), body: z.unknown() }).nullish(),
  error: z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
});

/** What one line of a results file says: an answer, that there will be none, or why it cannot be read. */
export type ReadLine =
  | { readonly kind: 'answer'; readonly id: string; readonly reply: WireReply }
  | { readonly kind: 'unanswered'; readonly id: string; readonly code: string; readonly message: string }
  | { readonly kind: 'broken'; readonly why: string };

const UNANSWERED = new Set(['batch_expired', 'batch_cancelled']);

/** Reads one line of a results file; nothing in it is trusted. */
export function readLine(text: string): ReadLine {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'broken', why: 'is not JSON' };
  }
  const parsed = ResultLine.safeParse(json);
  if (!parsed.success) {
    const at = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
    return { kind: 'broken', why: `is no result line (field ${at === '' ? 'custom_id' : at})` };
  }
  const { custom_id: id, response, error } = parsed.data;
  if (response != null) {
    const headers = { 'content-type': 'application/json', ...(response.request_id != null && { 'x-request-id': response.request_id }) };
    const body = typeof response.body === 'string' ? response.body : JSON.stringify(response.body ?? null);
    return { kind: 'answer', id, reply: { status: response.status_code ?? 200, headers, body } };
  }
  if (error == null) return { kind: 'broken', why: 'has neither response nor error' };
  const { code, message } = { code: error.code ?? '', message: error.message ?? '' };
  if (UNANSWERED.has(code)) return { kind: 'unanswered', id, code, message };
  return { kind: 'answer', id, reply: { status: 200, headers: {}, body: JSON.stringify({ error: { code, message } }) } };
}

/** Lines of a file with their numbers from 1, blank ones left out; `text` is null for a line too long to be taken in. */
export async function* numberedLines(
  file: string,
): AsyncGenerator<{ readonly number: number; readonly text: string | null; readonly ended: boolean }> {
  let held: Buffer[] = [];
  let bytes = 0;
  let number = 1;
  const take = (ended: boolean): { readonly number: number; readonly text: string | null; readonly ended: boolean } => {
    const text = bytes > LONGEST_LINE_BYTES ? null : Buffer.concat(held).toString('utf8').trim();
    held = [];
    bytes = 0;
    return { number: number++, text, ended };
  };
  const hold = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > LONGEST_LINE_BYTES) held = [];
    else held.push(part);
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      hold(chunk.subarray(from, at));
      from = at + 1;
      const line = take(true);
      if (line.text !== '') yield line;
    }
    hold(chunk.subarray(from));
  }
  if (bytes > 0) {
    const line = take(false);
    if (line.text !== '') yield line;
  }
}
