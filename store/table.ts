import { StoreError } from './errors.ts';
import { storableText, type TextRepairs } from './text.ts';

/** How a column is stored: `int` is 32 bits, `long` a BIGINT that holds a safe integer. */
export type ColumnKind = 'text' | 'int' | 'long' | 'blob';

/** A value as it goes into or comes out of a table. */
export type Cell = string | number | boolean | Uint8Array | null;

/** A table that rows are appended to; columns stand in the order of its migration. */
export interface Table<Columns extends Readonly<Record<string, ColumnKind>> = Readonly<Record<string, ColumnKind>>> {
  readonly name: string;
  readonly columns: Columns;
}

type ValueOf<Kind extends ColumnKind> = Kind extends 'text' ? string : Kind extends 'blob' ? Uint8Array : number;

/** The row type of a table. */
export type RowOf<T> = T extends Table<infer Columns> ? { readonly [Name in keyof Columns]: ValueOf<Columns[Name]> | null } : never;

/** Rows ready for the appender: checked and cleaned, one array per row in column order. */
export interface Insert {
  readonly table: Table;
  readonly rows: readonly (readonly Cell[])[];
}

const INT_MAX = 2_147_483_647;

/** Names a table and its columns once, so that rows are typed. */
export function defineTable<const Columns extends Readonly<Record<string, ColumnKind>>>(name: string, columns: Columns): Table<Columns> {
  return { name, columns };
}

/** Checks and cleans rows for a table; a value that does not fit throws before anything is queued. */
export function insertInto<Columns extends Readonly<Record<string, ColumnKind>>>(
  table: Table<Columns>,
  rows: readonly RowOf<Table<Columns>>[],
  repairs: TextRepairs,
): Insert {
  const columns = Object.entries(table.columns);
  return {
    table,
    rows: rows.map((row: Readonly<Record<string, Cell>>) =>
      columns.map(([name, kind]) => checkedCell(row[name] ?? null, kind, `${table.name}.${name}`, repairs)),
    ),
  };
}

function checkedCell(value: Cell, kind: ColumnKind, where: string, repairs: TextRepairs): Cell {
  if (value === null) return null;
  switch (kind) {
    case 'text':
      if (typeof value === 'string') return storableText(value, repairs);
      break;
    case 'blob':
      if (value instanceof Uint8Array) return value;
      break;
    case 'int':
      if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= INT_MAX) return value;
      break;
    case 'long':
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
      break;
  }
  const shown = typeof value === 'number' ? String(value) : typeof value;
  throw new StoreError(
    'bad_value',
    `${where} cannot hold ${shown}; this is a fault of MemCalib: report it with the output of \`memcalib doctor\`.`,
  );
}
