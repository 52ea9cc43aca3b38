import type { GateRow, Store } from '../store/port.ts';
import { isDiskFull } from './failures.ts';

/** A closed gate as callers see it. */
export interface Closed {
  readonly reason: string;
  readonly until: number | null;
}

/** Durable stops by scope (`*` or a label), held in memory for speed and in the store for truth. */
export interface Gates {
  closed(label: string): Closed | null;
  /** The stop of a full disk, which cannot be recorded anywhere else; null when nothing, or something else, stops the label. */
  stoppedByDisk(label: string): Closed | null;
  close(scope: string, reason: string, detail: string, until: number | null): Promise<void>;
  open(scope: string): Promise<void>;
  /** Calls back whenever a gate closes or opens; returns how to stop that. */
  onChange(listener: () => void): () => void;
}

/** Loads the gates of the given scopes and keeps them; a gate with a time opens by itself when it has passed. */
export async function loadGates(store: Store, scopes: readonly string[], clock: () => number): Promise<Gates> {
  const rows = new Map<string, GateRow>();
  const listeners: (() => void)[] = [];
  for (const scope of new Set(['*', ...scopes])) {
    const row = await store.gate(scope);
    if (row !== null) rows.set(scope, row);
  }
  const put = async (row: GateRow): Promise<void> => {
    rows.set(row.scope, row);
    try {
      await store.setGate(row);
    } catch (error) {
      // A gate that closes because the disk is full holds in this process; a new one meets the full disk itself.
      if (!row.closed || !isDiskFull(error)) throw error;
    }
    for (const listener of listeners) listener();
  };
  const closedRow = (scope: string): GateRow | null => {
    const row = rows.get(scope);
    return row === undefined || !row.closed || (row.until !== null && row.until <= clock()) ? null : row;
  };
  const told = (row: GateRow | null): Closed | null =>
    row === null ? null : { reason: row.detail === '' ? row.reason : row.detail, until: row.until };
  const rowOf = (label: string): GateRow | null => closedRow('*') ?? closedRow(label);
  return {
    closed: (label) => told(rowOf(label)),
    stoppedByDisk: (label) => {
      const row = rowOf(label);
      return row?.reason === 'disk' ? told(row) : null;
    },
    close: (scope, reason, detail, until) => put({ scope, closed: true, reason, detail, until, at: clock() }),
    open: (scope) => put({ scope, closed: false, reason: '', detail: '', until: null, at: clock() }),
    onChange: (listener) => {
      listeners.push(listener);
      return () => void listeners.splice(listeners.indexOf(listener), 1);
    },
  };
}
