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

/** What is kept of a batch of a unit beside its rows: a text and numbers of the owner of the shelf, which only it understands. */
export interface BatchNote {
  readonly unit: number;
  readonly batch: number;
  readonly facts: string;
  readonly numbers: Uint32Array;
}

/** A batch as it comes back, without its rows. */
export interface NotedBatch extends Pick<BatchNote, 'facts' | 'numbers'> {
  readonly rowNos: Int32Array;
}

/** Where screened rows are put aside while all are compared and ordered. */
export interface RowShelf {
  /** Puts rows aside and gives the number of each there; rows of equal hash may share one. With a note, the batch can be had again. */
  readonly keep: (rows: PackedRows, note?: BatchNote) => Promise<Int32Array>;
}

/** A shelf that outlives the process: units (source files as screened) are found again by their key. */
export interface LastingShelf extends RowShelf {
  /** Number for a new unit; nothing is found of it before it is ended. */
  readonly beginUnit: () => Promise<number>;
  readonly endUnit: (unit: number, key: string, facts: string) => Promise<void>;
  readonly findUnit: (key: string) => Promise<{ readonly unit: number; readonly facts: string } | null>;
  readonly hasUnits: () => Promise<boolean>;
  /** The number that the next new row gets; never below `least`, from now on. */
  readonly nextNumber: (least: number) => Promise<number>;
  readonly batches: (unit: number) => AsyncIterable<NotedBatch>;
  /** Questions of rows, in the order asked. */
  readonly questions: (rowNos: readonly number[]) => Promise<readonly string[]>;
  /** What the latest order says of rows near one another; null when there is none. */
  readonly clusters: () => Promise<Uint8Array | null>;
  /** What the latest order is made of; null when there is none, or when that is not known. */
  readonly placed: () => Promise<PlacedRows | null>;
}

/** What of an order the next one may take over: its units, and the numbers of its candidates' rows as a set of bits. */
export interface PlacedRows {
  readonly orderId: string;
  readonly units: ReadonlySet<number>;
  readonly rowNos: Uint8Array;
}

/** Candidates that an earlier order has too, all but their places: the numbers of their rows, and where they stand now. */
export interface MovedCandidates {
  readonly orderId: string;
  readonly rowNos: Int32Array;
  readonly positions: Int32Array;
}

/** What is kept of an order for the next one: the units it was made of, and which of their rows are near one another. */
export interface OrderMakings {
  readonly units: readonly number[];
  readonly clusters: Uint8Array;
  /** Candidates that need not be written anew; null when all are. */
  readonly moved: MovedCandidates | null;
}
