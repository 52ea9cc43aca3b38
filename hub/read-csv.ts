import type { JsonObject, JsonValue } from '../schemas/json.ts';
import { jsonFault, type ReadRow } from './parse-json-row.ts';

/** Columns that hold lists or structs in the source datasets: in CSV they are JSON texts. */
const STRUCTURED: ReadonlySet<string> = new Set([
  'messages',
  'data',
  'answers',
  'metadata',
  'dialogue_turns',
  'utterances',
  'tags',
  'emojis',
  'labels',
  'detoxify',
]);
const BOOLEANS: ReadonlySet<string> = new Set(['deleted', 'review_result', 'synthetic', 'selected']);
const NUMBERS: ReadonlySet<string> = new Set(['rank', 'review_count', 'qid', 'problem_id', 'index', 'raw_index']);

function cellValue(column: string, text: string): JsonValue {
  if (STRUCTURED.has(column) && /^\s*[[{]/.test(text)) {
    try {
      const value = JSON.parse(text) as JsonValue;
      return jsonFault(text)?.kind === 'too_deep' ? text : value;
    } catch {
      return text;
    }
  }
  if (BOOLEANS.has(column)) return /^(?:true|1)$/i.test(text) ? true : /^(?:false|0)$/i.test(text) ? false : null;
  if (NUMBERS.has(column)) return text.trim() === '' || !Number.isFinite(Number(text)) ? null : Number(text);
  return text;
}

interface Parser {
  push(text: string): Iterable<readonly string[]>;
  finish(): readonly string[] | null;
  isBroken(): boolean;
}

/** RFC 4180 records: quoted fields may hold commas, doubled quotes and line breaks; CRLF and LF both end a record. */
function createParser(): Parser {
  let fields: string[] = [];
  let field = '';
  let isQuoted = false;
  let isAfterQuote = false;
  let hasAny = false;
  const endField = (): void => {
    fields.push(field);
    field = '';
    isAfterQuote = false;
  };
  const endRecord = (): readonly string[] | null => {
    endField();
    const record = fields;
    fields = [];
    const isEmpty = !hasAny;
    hasAny = false;
    return isEmpty ? null : record;
  };
  return {
    *push(text) {
      for (const char of text) {
        if (isQuoted) {
          if (char !== '"') field += char;
          else {
            isQuoted = false;
            isAfterQuote = true;
          }
        } else if (char === '"' && (isAfterQuote || field === '')) {
          if (isAfterQuote) field += '"';
          isQuoted = true;
          isAfterQuote = false;
          hasAny = true;
        } else if (char === ',') {
          hasAny = true;
          endField();
        } else if (char === '\n') {
          if (field.endsWith('\r') && !isAfterQuote) field = field.slice(0, -1);
          const record = endRecord();
          if (record !== null) yield record;
        } else if (char === '\r' && isAfterQuote) continue;
        else {
          field += char;
          if (char !== '\r') hasAny = true;
        }
      }
    },
    finish: () => (hasAny ? endRecord() : null),
    isBroken: () => isQuoted,
  };
}

/** Rows of a CSV stream; the first record names the columns. A record with another number of fields is a bad row, not an error. */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncIterable<ReadRow> {
  const decoder = new TextDecoder('utf-8');
  const parser = createParser();
  let header: readonly string[] | null = null;
  let number = 0;
  const toRow = (record: readonly string[]): ReadRow | null => {
    if (header === null) {
      header = record.map((name) => name.trim());
      return null;
    }
    const columns = header;
    number += 1;
    if (record.length !== columns.length)
      return {
        kind: 'bad',
        number,
        reason: 'csv_field_count',
        detail: `Record ${number} has ${record.length} fields; the header has ${columns.length}.`,
      };
    const row: JsonObject = Object.fromEntries(columns.map((column, at) => [column, cellValue(column, record[at] ?? '')]));
    return { kind: 'row', number, row };
  };
  for await (const chunk of chunks) {
    for (const record of parser.push(decoder.decode(chunk, { stream: true }))) {
      const row = toRow(record);
      if (row !== null) yield row;
    }
  }
  for (const record of parser.push(decoder.decode())) {
    const row = toRow(record);
    if (row !== null) yield row;
  }
  const isBroken = parser.isBroken();
  const last = parser.finish();
  if (isBroken)
    yield { kind: 'bad', number: number + 1, reason: 'csv_open_quote', detail: `Record ${number + 1} opens a quote that never closes.` };
  else if (last !== null) {
    const row = toRow(last);
    if (row !== null) yield row;
  }
}
