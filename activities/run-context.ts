import type { JsonObject } from '../schemas/json.ts';
import type { ModelClient, ResponseFormat, Sampling } from '../schemas/ledger.ts';
import type { RunSpec } from '../schemas/run-spec.ts';
import type { CallRole, Role, StepId } from '../schemas/steps.ts';
import type { StepOutputRow } from '../store/port.ts';
import type { StepDefinition } from '../stages/step.ts';

/** How one role is asked: fixed at plan time, part of the step version. */
export interface RoleBinding<Name extends CallRole = Role> {
  readonly role: Name;
  readonly provider: string;
  readonly model: string;
  readonly sampling: Sampling;
  readonly maxTokensFactor: number;
}

/** What goes with every call of a step to one role, besides instructions and input. */
export interface SentToRole {
  readonly role: Role;
  readonly provider: string;
  readonly model: string;
  readonly sampling: Sampling;
  readonly responseFormat?: ResponseFormat;
  readonly schemaInPrompt?: JsonObject | null;
}

/** A step ready to run: what is sent besides the inputs, and the version that names it (DESIGN §5). */
export interface PreparedStep {
  readonly definition: StepDefinition;
  readonly version: string;
  readonly instructions: string;
  readonly maxTokens: number;
  readonly sent: readonly SentToRole[];
  /** The binding that answers a part: builder, or the reviewer named by the part id. */
  bindingOf(partId: string): RoleBinding;
  formatOf(binding: RoleBinding): { readonly responseFormat: ResponseFormat; readonly schemaInPrompt: JsonObject | null };
}

/** Everything an activity needs to know of a run; rebuilt from the store by whichever owner holds it. */
export interface RunContext {
  readonly runId: string;
  readonly orderId: string;
  readonly pipelineHash: string;
  readonly spec: RunSpec;
  readonly steps: ReadonlyMap<StepId, PreparedStep>;
  readonly client: ModelClient;
  /** Why nothing may be sent now; null when the gate is open. */
  closed(): { readonly reason: string; readonly until: number | null } | null;
  /** Batched look-up of stored verdicts. */
  storedVerdict(wanted: Pick<StepOutputRow, 'candidateId' | 'step' | 'stepVersion' | 'inputHash'>): Promise<StepOutputRow | null>;
}
