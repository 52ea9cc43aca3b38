/** Takes key material out of texts before they are stored or shown. */
export interface Secrets {
  /** Removes the known keys; everything else stays byte for byte (replies and bodies). */
  redact(text: string): string;
  /** Also removes whatever is shaped like a key, since providers echo masked keys in their errors (messages). */
  redactMessage(text: string): string;
}

const LOOKS_LIKE_A_KEY = /\b(?:sk|pk|hf|gsk|xai)[-_][A-Za-z0-9*_-]{8,}|\bBearer\s+[A-Za-z0-9._~+/-]{8,}=*/g;

/** A redactor for the given keys in plain, URL-encoded and base64 form. */
export function secretsOf(keys: readonly string[]): Secrets {
  const forms = keys.filter((key) => key.length >= 4).flatMap((key) => [key, encodeURIComponent(key), Buffer.from(key).toString('base64')]);
  const redact = (text: string): string =>
    forms.reduce((clean, form) => (clean.includes(form) ? clean.replaceAll(form, '[key removed]') : clean), text);
  return { redact, redactMessage: (text) => redact(text).replace(LOOKS_LIKE_A_KEY, '[key removed]') };
}
