import type { SourceConfig } from '../../../schemas/config.ts';
import type { JsonObject } from '../../../schemas/json.ts';

/** What a trap in real rows must lead to: reasons of rejection in order, and what holds of the rows that stay. */
export interface Trap {
  readonly adapter: SourceConfig['adapter'];
  /** Words of the clause in the notes on the real rows. */
  readonly clause: string;
  /** What it says, in our words. */
  readonly name: string;
  readonly rows: readonly JsonObject[];
  readonly extra?: Partial<SourceConfig>;
  /** A second source that holds other rows. */
  readonly beside?: {
    readonly adapter: SourceConfig['adapter'];
    readonly rows: readonly JsonObject[];
    readonly extra?: Partial<SourceConfig>;
  };
  readonly reasons: readonly string[];
  readonly kept?: { readonly has?: readonly RegExp[]; readonly hasNot?: readonly RegExp[] };
}
