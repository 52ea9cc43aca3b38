import { HASH_BYTES, type PackedRow, type RowShelf } from '../schemas/row-shelf.ts';
import type { SourceRow } from '../schemas/source-row.ts';
import { Spool } from './spool.ts';

/** Packs a row for a spool: as it is, with its place. Nobody asks for its hash. */
export function packForSpool(row: SourceRow): PackedRow {
  return { hash: new Uint8Array(HASH_BYTES), body: Buffer.from(JSON.stringify(row)) };
}

/** A shelf that ends with the process: for whoever looks at rows and stores none. */
export class SpoolShelf implements RowShelf {
  readonly #rows = new Spool();

  readonly keep: RowShelf['keep'] = async ({ bodies, ends }) => {
    let from = 0;
    return Int32Array.from(ends, (end) => {
      const number = this.#rows.addBytes(bodies.subarray(from, end));
      from = end;
      return number;
    });
  };

  rowAt(number: number): SourceRow {
    return JSON.parse(this.#rows.read(number)) as SourceRow;
  }

  close(): void {
    this.#rows.close();
  }
}
