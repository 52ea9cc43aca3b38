import type { CallCompletion, CallContent, CallIntent, ChatMessage, ResponseFormat } from '../schemas/ledger.ts';
import { packBody, sha256OfBytes, unpackBody, type PackedBody } from './bodies.ts';
import type { CALL_REPLIES } from './ledger-tables.ts';
import { bytesOrNull, numberOrNull, text, type ResultRow } from './rows.ts';
import type { RowOf } from './table.ts';
import { wellFormedText, type TextRepairs } from './text.ts';

/** A request split into the part of its own and the texts it shares with many others (by hash). */
export interface SplitRequest {
  readonly own: PackedBody;
  /** JSON texts by their SHA-256. */
  readonly shared: ReadonlyMap<string, string>;
}

interface OwnPart {
  readonly provider: string;
  readonly model: string;
  readonly messages: readonly (ChatMessage | { readonly role: 'system'; readonly hash: string })[];
  readonly sampling: CallContent['sampling'];
  readonly format: string;
  readonly sampleIndex: number;
}

/** More different system prompts than any project has; beyond it hashing starts anew. */
const MAX_PROMPTS = 1000;

interface SharedText {
  readonly hash: string;
  readonly plain: string;
}

/** Splits what is sent: system prompts and the response format stand once for all calls that share them, and are hashed once. */
export class RequestSplitter {
  private readonly prompts = new Map<string, SharedText>();
  private readonly formats = new WeakMap<ResponseFormat, SharedText>();

  split({ request }: CallIntent): SplitRequest {
    const shared = new Map<string, string>();
    const share = ({ hash, plain }: SharedText): string => {
      shared.set(hash, plain);
      return hash;
    };
    const own: OwnPart = {
      provider: request.provider,
      model: request.model,
      messages: request.messages.map((message) =>
        message.role === 'system'
          ? { role: 'system', hash: share(this.promptOf(message.content)) }
          : { role: message.role, content: message.content },
      ),
      sampling: request.sampling,
      format: share(this.formatOf(request.responseFormat)),
      sampleIndex: request.sampleIndex,
    };
    return { own: packBody(Buffer.from(JSON.stringify(own))), shared };
  }

  private promptOf(content: string): SharedText {
    const known = this.prompts.get(content);
    if (known !== undefined) return known;
    if (this.prompts.size >= MAX_PROMPTS) this.prompts.clear();
    const made = sharedText(content);
    this.prompts.set(content, made);
    return made;
  }

  private formatOf(format: ResponseFormat): SharedText {
    const known = this.formats.get(format);
    if (known !== undefined) return known;
    const made = sharedText(format);
    this.formats.set(format, made);
    return made;
  }
}

function sharedText(value: string | ResponseFormat): SharedText {
  const plain = JSON.stringify(value);
  return { hash: sha256OfBytes(Buffer.from(plain)), plain };
}

/** Hashes of the shared texts a stored request needs. */
export function sharedHashes(own: Buffer): readonly string[] {
  const part = JSON.parse(own.toString('utf8')) as OwnPart;
  return [part.format, ...part.messages.flatMap((message) => ('hash' in message ? [message.hash] : []))];
}

/** Shared texts by hash, inflated and verified once each; what is missing or damaged is an error that names the call. */
export class SharedTexts {
  private readonly packed: ReadonlyMap<string, Uint8Array>;
  private readonly plain = new Map<string, Buffer>();

  constructor(packed: ReadonlyMap<string, Uint8Array>) {
    this.packed = packed;
  }

  get(hash: string, key: string): Buffer {
    const known = this.plain.get(hash);
    if (known !== undefined) return known;
    const body = this.packed.get(hash) ?? new Uint8Array();
    const plain = unpackBody({ body, sha256: hash }, `call ${key} (shared text ${hash})`);
    this.plain.set(hash, plain);
    return plain;
  }
}

/** Puts a stored request together again, equal to what was sent. */
export function joinRequest(own: Buffer, sharedText: (hash: string) => Buffer): CallContent {
  const part = JSON.parse(own.toString('utf8')) as OwnPart;
  return {
    provider: part.provider,
    model: part.model,
    messages: part.messages.map((message) =>
      'hash' in message ? { role: 'system', content: JSON.parse(sharedText(message.hash).toString('utf8')) as string } : message,
    ),
    sampling: part.sampling,
    responseFormat: JSON.parse(sharedText(part.format).toString('utf8')) as ResponseFormat,
    sampleIndex: part.sampleIndex,
  };
}

/** The row of a reply; null when there was neither text nor body. */
export function replyRow(completion: CallCompletion, completionNo: number, repairs: TextRepairs): RowOf<typeof CALL_REPLIES> | null {
  const { replyText, rawBody } = completion;
  if (replyText === null && rawBody === null) return null;
  const reply = replyText === null ? null : Buffer.from(wellFormedText(replyText, repairs));
  const raw = rawBody === null ? null : Buffer.from(wellFormedText(rawBody, repairs));
  const packed = packBody(Buffer.concat([reply ?? Buffer.alloc(0), raw ?? Buffer.alloc(0)]));
  return { completion_no: completionNo, reply_bytes: reply?.length ?? null, raw_bytes: raw?.length ?? null, ...packed };
}

/** Reply text and raw body of a stored row, verified; `what` names the call in the error. */
export function replyFrom(row: ResultRow, what: string): { readonly replyText: string | null; readonly rawBody: string | null } {
  const plain = unpackBody({ body: bytesOrNull(row, 'body') ?? new Uint8Array(), sha256: text(row, 'sha256') }, what);
  const replyBytes = numberOrNull(row, 'reply_bytes');
  const rawBytes = numberOrNull(row, 'raw_bytes');
  return {
    replyText: replyBytes === null ? null : plain.toString('utf8', 0, replyBytes),
    rawBody: rawBytes === null ? null : plain.toString('utf8', replyBytes ?? 0),
  };
}
