/** What `JSON.parse` does not tell: duplicate and unsafe keys, and nesting deep enough to exhaust a walk. */
export type JsonFault = { readonly rule: 'duplicate_key' | 'unsafe_key' | 'nesting'; readonly path: string };

const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);
const DEEPEST = 64;

interface Frame {
  readonly keys: Set<string> | null;
  at: string | number;
  expectsKey: boolean;
}

/** Scans a text that `JSON.parse` has accepted, so it only follows strings and brackets. */
export function scanJson(text: string): JsonFault | null {
  const frames: Frame[] = [];
  const pathTo = (last: string): string => [...frames.slice(0, -1).map((frame) => String(frame.at)), last].join('.');
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index);
    const top = frames.at(-1);
    if (char === 0x22) {
      const end = stringEnd(text, index);
      if (top?.keys != null && top.expectsKey) {
        const key = JSON.parse(text.slice(index, end + 1)) as string;
        if (UNSAFE.has(key)) return { rule: 'unsafe_key', path: pathTo(key) };
        if (top.keys.has(key)) return { rule: 'duplicate_key', path: pathTo(key) };
        top.keys.add(key);
        top.at = key;
        top.expectsKey = false;
      }
      index = end;
    } else if (char === 0x7b || char === 0x5b) {
      if (frames.length >= DEEPEST) return { rule: 'nesting', path: pathTo(String(top?.at ?? '')) };
      frames.push(char === 0x7b ? { keys: new Set(), at: '', expectsKey: true } : { keys: null, at: 0, expectsKey: false });
    } else if (char === 0x7d || char === 0x5d) {
      frames.pop();
    } else if (char === 0x2c && top !== undefined) {
      if (top.keys === null) top.at = Number(top.at) + 1;
      else top.expectsKey = true;
    }
  }
  return null;
}

function stringEnd(text: string, start: number): number {
  let end = start + 1;
  while (text.charCodeAt(end) !== 0x22) end += text.charCodeAt(end) === 0x5c ? 2 : 1;
  return end;
}
