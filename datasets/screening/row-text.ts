import type { SourceRow } from '../../schemas/source-row.ts';

/** What intent, signals, topic and complexity are tested on: the user's side (or unattributed text) of the context, then the question. */
export function askedText(row: Pick<SourceRow, 'context' | 'question'>): string {
  return [...row.context.filter((turn) => turn.speaker !== 'assistant').map((turn) => turn.text), row.question].join('\n');
}

/** A text without fenced blocks, indented code, inline code and table rows: what counts as prose. */
export function proseOf(text: string): string {
  return text
    .replace(/(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n\1[^\n]*|$)/g, '\n')
    .replace(/`[^`\n]*`/g, ' ')
    .split('\n')
    .filter((line) => !/^(?: {4}|\t)\s*\S/.test(line) && !/^\s*\|.*\|\s*$/.test(line))
    .join('\n');
}

/** Number of word tokens (letters or digits) of a text. */
export function countWords(text: string): number {
  return (text.match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu) ?? []).length;
}

/** CJK characters count as words of their own, so that length limits mean the same there. */
export function countTokens(text: string): number {
  return (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu) ?? []).length;
}
