/** Counts of texts that had to be changed before they could be stored (since the store was opened). */
export interface TextRepairs {
  loneSurrogates: number;
  nuls: number;
}

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Makes a text storable: lone surrogates become U+FFFD and NUL becomes the visible U+2400; each changed text is counted. */
export function storableText(text: string, repairs: TextRepairs): string {
  const formed = wellFormedText(text, repairs);
  if (!formed.includes('\u0000')) return formed;
  repairs.nuls += 1;
  return formed.replaceAll('\u0000', '\u2400');
}

/** Replaces lone surrogates by U+FFFD and counts the text when there was one; NUL stays (for blobs). */
export function wellFormedText(text: string, repairs: TextRepairs): string {
  if (text.isWellFormed()) return text;
  const formed = text.replace(LONE_SURROGATE, '\uFFFD');
  if (formed !== text) repairs.loneSurrogates += 1;
  return formed;
}
