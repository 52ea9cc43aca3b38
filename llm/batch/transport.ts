import type { BatchRow } from '../../schemas/batch.ts';
import type { Stop } from '../attempt.ts';

/** What a look at a batch that is out showed. */
export type BatchLook =
  /** Nothing to read yet; `said` tells a person what is waited for. */
  | { readonly kind: 'working'; readonly said: string }
  /** Results lie in these files. Unless `final`, more may come. `unanswered` is why calls without a line got no answer. */
  | {
      readonly kind: 'results';
      readonly files: readonly string[];
      readonly final: boolean;
      readonly unanswered: Unanswered;
      readonly said: string;
    }
  /** The provider took none of it. */
  | { readonly kind: 'refused'; readonly why: string };

/** Why calls of a batch that is over have no answer: expired ones count as attempts, those a file left out do not. */
export type Unanswered = 'expired' | 'cancelled' | 'left_out' | 'lost';

/** Whether a batch that was being sent when the process ended got there. */
export type BatchFound =
  | { readonly kind: 'found'; readonly remoteId: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

/** What the wish to cancel came to; `done` is how many requests had been answered, null when the other side does not say. */
export type BatchCancelled =
  | { readonly kind: 'asked' | 'over'; readonly done: number | null }
  /** Nobody can be asked: a person holds the requests. */
  | { readonly kind: 'with_person'; readonly where: string };

/** The way a batch takes to whoever answers it. Faults of the other side are thrown as BatchTransportError. */
export interface BatchTransport {
  /** Sends the lines; safe to repeat for a batch that `find` did not find. Gives the id the batch is asked for by. */
  submit(batch: BatchRow, lines: readonly string[]): Promise<string>;
  find(batch: BatchRow): Promise<BatchFound>;
  /** `asked`: a person said to go on with what is there. */
  look(batch: BatchRow, asked: boolean): Promise<BatchLook>;
  /** Asks for the end of a batch that is out; what was done by then is still taken in by a later look. */
  cancel(batch: BatchRow): Promise<BatchCancelled>;
}

/** A batch could not be sent or looked at; `stop` is set when trying again cannot help. */
export class BatchTransportError extends Error {
  override readonly name = 'BatchTransportError';
  readonly code = 'batch_transport';
  readonly stop: Stop | null;
  readonly retryAfterMs: number | null;
  constructor(message: string, stop: Stop | null = null, retryAfterMs: number | null = null) {
    super(message);
    this.stop = stop;
    this.retryAfterMs = retryAfterMs;
  }
}
