import { hashOf } from '../../../schemas/hash.ts';
import type { RowRejection } from '../../../schemas/source-row.ts';
import type { RowPlace } from '../../../store/lineage-port.ts';
import type { Store } from '../../../store/port.ts';
import { CliError, EXIT } from '../../cli-error.ts';

/** What an id names: a candidate (perhaps one of its atoms) or a row that screening set aside. */
export type FoundRow =
  | {
      readonly kind: 'candidate';
      readonly atomId: string | null;
      /** The row as the build in question sees it; null once it has been withdrawn from the sources. */
      readonly now: RowPlace | null;
      /** All its places, oldest first. */
      readonly places: readonly RowPlace[];
    }
  | { readonly kind: 'set_aside'; readonly rejection: RowRejection; readonly inThisOrder: boolean };

/** An atom is named by its example and its published id: `0123456789abcdef/b1.a2`. */
const ATOM_OF = /^(?<row>.+)\/(?<atom>b\d+\.a\d+)$/;
const MIN_PREFIX = 4;
const SUGGESTED = 3;

async function unknownId(store: Store, orderId: string, id: string): Promise<CliError> {
  const nearest = await store.lineage.nearestIds(orderId, id, SUGGESTED);
  const did = nearest.length === 0 ? '' : `; nearest are ${nearest.join(', ')}`;
  return new CliError(
    `The build has no example, atom or source row ${id}${did}. Ids stand in train.jsonl, test.jsonl and rejected.jsonl of an export; an atom is named EXAMPLE/b1.a1.`,
    EXIT.usage,
  );
}

/** The one candidate id of an order that begins so; null when none does. */
async function byPrefix(store: Store, orderId: string, prefix: string): Promise<string | null> {
  if (prefix.length < MIN_PREFIX || !/^[0-9a-f]+$/.test(prefix)) return null;
  const found = await store.lineage.idsWithPrefix(orderId, prefix, SUGGESTED + 1);
  if (found.length > 1) throw new CliError(`Several ids begin with ${prefix}: ${found.join(', ')}. Give more of it.`, EXIT.usage);
  return found[0] ?? null;
}

/** Finds what an id names, as candidate id (or the beginning of one), atom or source id; an unknown one is told with the nearest ids. */
export async function findRow(store: Store, orderId: string, wanted: string): Promise<FoundRow> {
  const groups = ATOM_OF.exec(wanted)?.groups;
  const id = groups?.['row'] ?? wanted;
  const atomId = groups?.['atom'] ?? null;
  const places = id === '' ? [] : await store.lineage.places(id);
  if (places.length > 0) return { kind: 'candidate', atomId, now: places.find((place) => place.orderId === orderId) ?? null, places };
  const full = await byPrefix(store, orderId, id);
  if (full !== null) return findRow(store, orderId, atomId === null ? full : `${full}/${atomId}`);
  const [rejection] = await store.lineage.rejectionsOf(id);
  if (rejection !== undefined) return { kind: 'set_aside', rejection, inThisOrder: rejection.orderId === orderId };
  throw await unknownId(store, orderId, wanted);
}

/** One change of a row from one stored order to the next: its licence, its revision, or its text. */
export interface RowChange {
  readonly at: number;
  readonly orderId: string;
  readonly fields: readonly { readonly field: string; readonly before: string; readonly after: string }[];
}

const SHOWN_FIELDS = ['sourceLicense', 'sourceRevision', 'attribution', 'groupKey', 'domain'] as const;
const TEXT_FIELDS = ['question', 'context', 'answer', 'metadata', 'origin'] as const;

/** How a row changed from order to order: licences and revisions by value, texts by name only. */
export function rowChanges(places: readonly RowPlace[]): readonly RowChange[] {
  return places.flatMap((place, index) => {
    const before = places[index - 1];
    if (before === undefined || before.rowHash === place.rowHash) return [];
    const [a, b] = [before.candidate.row, place.candidate.row];
    const shown = SHOWN_FIELDS.filter((field) => a[field] !== b[field]).map((field) => ({ field, before: a[field], after: b[field] }));
    const texts = TEXT_FIELDS.filter((field) => hashOf(a[field]) !== hashOf(b[field])).map((field) => ({
      field,
      before: hashOf(a[field]).slice(0, 8),
      after: hashOf(b[field]).slice(0, 8),
    }));
    return [{ at: place.createdAt, orderId: place.orderId, fields: [...shown, ...texts] }];
  });
}
