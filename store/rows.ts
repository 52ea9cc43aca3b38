import { BIGINT, DuckDBBlobValue, INTEGER, LIST, VARCHAR, listValue, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';
import { StoreError } from './errors.ts';
import type { Cell } from './table.ts';

/** A parameter of a query: whole numbers, texts, or a list of one of them. */
export type Param = string | number | null | readonly string[] | readonly number[];

/** A row of a result by column name; BIGINTs and counts have become numbers, blobs bytes. */
export type ResultRow = Readonly<Record<string, Cell>>;

const INT_MAX = 2_147_483_647;

/** Values and types for a prepared statement, so that numbers bind as integers (a DOUBLE would defeat zone maps). */
export function bindParams(params: readonly Param[]): { readonly values: DuckDBValue[]; readonly types: DuckDBType[] } {
  const bound = params.map((param) => bindParam(param));
  return { values: bound.map(([value]) => value), types: bound.map(([, type]) => type) };
}

function bindParam(param: Param): readonly [DuckDBValue, DuckDBType] {
  if (param === null || typeof param === 'string') return [param, VARCHAR];
  if (typeof param === 'number') return Math.abs(param) <= INT_MAX ? [param, INTEGER] : [BigInt(param), BIGINT];
  return [listValue([...param]), LIST(typeof param[0] === 'number' ? INTEGER : VARCHAR)];
}

/** Converts a DuckDB value into a cell; a type the store does not use is refused. */
export function cellFrom(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof DuckDBBlobValue) return value.bytes;
  throw new StoreError('failed', `A query returned a ${value.constructor.name}, which the store does not read.`);
}

/** Text of a column that is never null. */
export function text(row: ResultRow, name: string): string {
  const value = row[name];
  if (typeof value === 'string') return value;
  throw unexpected(name);
}

/** Number of a column that is never null. */
export function number(row: ResultRow, name: string): number {
  const value = row[name];
  if (typeof value === 'number') return value;
  throw unexpected(name);
}

/** Text of a column, or null. */
export function textOrNull(row: ResultRow, name: string): string | null {
  return row[name] === null ? null : text(row, name);
}

/** Number of a column, or null. */
export function numberOrNull(row: ResultRow, name: string): number | null {
  return row[name] === null ? null : number(row, name);
}

/** Bytes of a column, or null. */
export function bytesOrNull(row: ResultRow, name: string): Uint8Array | null {
  const value = row[name];
  if (value === null || value instanceof Uint8Array) return value;
  throw unexpected(name);
}

/** One of the given texts, as its union type. */
export function oneOf<const T extends string>(row: ResultRow, name: string, allowed: readonly T[]): T {
  const value = row[name];
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw unexpected(name);
  return found;
}

function unexpected(name: string): StoreError {
  return new StoreError(
    'corrupt_file',
    `Column ${name} holds a value of the wrong kind; put back a copy of the project folder, then type \`memcalib status\`.`,
  );
}
