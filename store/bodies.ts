import { hash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { StoreError } from './errors.ts';

/**
 * Level 3 with small buffers takes a third of the default's time on bodies of a few KB, at the same size; on another thread it
 * would take three times as long, most of it on this one (both measured). A short body needs no long window.
 */
const DEFLATE = { level: 3, memLevel: 7, chunkSize: 8192 } as const;
const DEFLATE_SHORT = { ...DEFLATE, memLevel: 6, windowBits: 13 } as const;
const SHORT_BYTES = 16_384;

/** A deflated body with the SHA-256 of its plain bytes. */
export interface PackedBody {
  readonly body: Uint8Array;
  readonly sha256: string;
}

/** Deflates bytes as bodies are stored. */
export function deflateBody(plain: Uint8Array): Uint8Array {
  return deflateRawSync(plain, plain.length <= SHORT_BYTES ? DEFLATE_SHORT : DEFLATE);
}

/** Deflates bytes and hashes them. */
export function packBody(plain: Uint8Array): PackedBody {
  return { body: deflateBody(plain), sha256: sha256OfBytes(plain) };
}

/** Inflates a body and checks it; anything else than the bytes once packed is a StoreError naming `what`. */
export function unpackBody(packed: PackedBody, what: string): Buffer {
  const plain = inflateBody(packed.body);
  if (plain !== null && sha256OfBytes(plain) === packed.sha256) return plain;
  throw new StoreError(
    'corrupt_body',
    `The stored body of ${what} does not match its checksum; put back a copy of the project folder, or type \`memcalib doctor\`.`,
  );
}

/** Inflates a body without checking it; null when the bytes are no deflated body at all. */
export function inflateBody(body: Uint8Array): Buffer | null {
  try {
    return inflateRawSync(body);
  } catch {
    return null;
  }
}

/** SHA-256 of bytes as 64 hexadecimal digits. */
export function sha256OfBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}
