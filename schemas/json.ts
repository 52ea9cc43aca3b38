/** Any value that survives JSON.parse(JSON.stringify(value)) unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object with known-safe keys. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
