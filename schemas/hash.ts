import { hash } from 'node:crypto';

/** Serialises a value with object keys sorted and undefined members left out, so that equal content has equal bytes. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string' || typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) text += `${text === '' ? '' : ','}${canonicalJson(item ?? null)}`;
    return `[${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  // The default order of texts is that of their UTF-16 units, as `<` has it.
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** SHA-256 of a text (UTF-8) as 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text);
}

/** SHA-256 of the canonical JSON of a value, as 64 hexadecimal digits. */
export function hashOf(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

/**
 * A stream of uniform numbers in [0, 1) fixed by its seed parts: the only source of chance in ring 1.
 * Every number comes from 53 bits of SHA-256(parts, counter), so it is the same on every machine.
 */
export function seededUniforms(...parts: readonly (string | number)[]): () => number {
  const prefix = parts.map(String).join('\u0000');
  let counter = 0;
  let pool = Buffer.alloc(0);
  let offset = 0;
  return () => {
    if (offset + 8 > pool.length) {
      pool = hash('sha256', `${prefix}\u0000${counter++}`, 'buffer');
      offset = 0;
    }
    const high = pool.readUInt32BE(offset) >>> 5;
    const low = pool.readUInt32BE(offset + 4) >>> 6;
    offset += 8;
    return (high * 67_108_864 + low) / 9_007_199_254_740_992;
  };
}
