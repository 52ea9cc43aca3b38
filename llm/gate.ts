/** Why sending stops; reasons are those of GateRow plus `config_error`. */
export interface GateState {
  readonly closed: boolean;
  readonly reason: string;
  /** When it opens by itself (milliseconds since the epoch); null when a person must act. */
  readonly until: number | null;
}

/** The durable stop that every sender obeys; made above from GateRow, one per project or aware of the run. */
export interface Gate {
  state(runId: string): GateState;
  /** Closes durably; `state` says so from the moment of the call, so nothing more goes out meanwhile. `detail` is one sentence for a person and, for a parse rate, one of the replies. */
  close(reason: string, detail: string, until: number | null, runId: string): Promise<void>;
  /** Calls back after every change; returns how to stop that. */
  onChange(listener: () => void): () => void;
}

/** Whether sending is stopped at a time; a gate whose time has passed is open. */
export function isClosed(state: GateState, nowMs: number): boolean {
  return state.closed && (state.until === null || nowMs < state.until);
}
