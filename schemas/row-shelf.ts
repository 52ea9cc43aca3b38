/** Bytes of the content hash of a row. */
export const HASH_BYTES = 32;

/** Rows ready to be put aside: one content hash of 32 bytes each, and their packed bodies one after another; `ends[n]` is where body n ends. */
export interface PackedRows {
  readonly hashes: Uint8Array;
  readonly bodies: Uint8Array;
  readonly ends: Uint32Array;
}

/** One row as packed for a shelf. */
export interface PackedRow {
  readonly hash: Uint8Array;
  readonly body: Uint8Array;
}

/** Where screened rows are put aside while all are compared and ordered. */
export interface RowShelf {
  /** Puts rows aside and gives the number of each there; rows of equal hash may share one. */
  readonly keep: (rows: PackedRows) => Promise<Int32Array>;
}
