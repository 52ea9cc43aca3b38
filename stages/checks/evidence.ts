import type { FieldText } from '../../schemas/payloads.ts';
import type { QuoteReply, Span } from '../../schemas/span.ts';
import type { Breach } from '../settle.ts';
import { resolveQuote } from './grounding.ts';

/** A text that quotes may come from, and where it begins in its field (0 for a whole field). */
export interface Quotable extends FieldText {
  readonly offset: number;
}

/** Spans of quotes that resolved, and a breach for each that did not. */
export interface ResolvedEvidence {
  readonly spans: readonly Span[];
  readonly breaches: readonly Breach[];
}

function spansOf(source: Quotable, quote: string): readonly Span[] {
  return (resolveQuote(source.text, quote) ?? []).map((range) => ({
    field: source.field,
    speaker: source.speaker,
    quote: source.text.slice(range.start, range.end),
    start: source.offset + range.start,
    end: source.offset + range.end,
  }));
}

/** Resolves quotes to exact offsets in the field each one names; a quote that stands in another field is a breach that says so. */
export function resolveEvidence(sources: readonly Quotable[], evidence: readonly QuoteReply[], path: string): ResolvedEvidence {
  const spans: Span[] = [];
  const breaches: Breach[] = [];
  if (evidence.length === 0) breaches.push({ rule: 'ungrounded_evidence', path, message: 'Give at least one quote as evidence.' });
  evidence.forEach(({ field, quote }, index) => {
    const named = sources.filter((source) => source.field === field.trim());
    const found = named.map((source) => spansOf(source, quote)).find((list) => list.length > 0);
    if (found !== undefined) {
      spans.push(...found);
      return;
    }
    const elsewhere = sources.find((source) => source.field !== field && spansOf(source, quote).length > 0);
    const message =
      elsewhere === undefined
        ? `This quote does not stand in ${field}. Copy the words character by character from what you were given, or leave the claim out.`
        : `This quote stands in ${elsewhere.field}, not in ${field}. Name the right field.`;
    breaches.push({ rule: 'ungrounded_evidence', path: `${path}.${index}`, message });
  });
  return { spans, breaches };
}
