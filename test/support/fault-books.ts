import { FAILURES } from '../../llm/failures.ts';
import { identityOf } from '../../llm/rehearsal/chat-route.ts';
import type { FaultName } from '../../llm/rehearsal/faults.ts';
import { ChatRequest } from '../../llm/rehearsal/request.ts';
import { requestBody } from '../../llm/request-body.ts';
import type { CallClass, StoredAttempt } from '../../schemas/ledger.ts';
import { DOMAINS } from '../../schemas/levels.ts';
import type { StoredOutcome } from '../../store/port.ts';
import type { InProcess } from './in-process-build.ts';

/** Faults that a run survives, with the classes the client may file them under; `ok` ones need no second call. */
export const SURVIVABLE: Readonly<Partial<Record<FaultName, readonly CallClass[]>>> = {
  rate_limited: ['rate_limited'],
  rate_limited_retry_after: ['rate_limited'],
  server_error: ['server_error'],
  hang: ['timeout'],
  reset: ['network'],
  truncation: ['truncated'],
  fences: ['ok'],
  think_tags: ['ok'],
  reasoning_content: ['ok', 'empty'],
  blank: ['empty'],
  prose: ['not_json'],
  wrong_ids: ['ok', 'schema_mismatch'],
  missing_atoms: ['ok', 'schema_mismatch'],
  invented_atoms: ['ok', 'schema_mismatch'],
  duplicate_keys: ['not_json'],
  refusal: ['refused'],
  content_filter: ['content_filtered'],
  error_in_200: ['server_error'],
  html: ['not_a_completion'],
  lone_surrogate: ['garbled'],
  huge: ['not_json', 'schema_mismatch'],
  ignored_schema: ['schema_mismatch'],
  clock_skew: ['ok'],
  slow_drip: ['ok'],
};

/** Every outcome of a run with its ledger attempts, by what the server calls the question. */
export interface RunBooks {
  readonly outcomes: ReadonlyMap<string, StoredOutcome>;
  readonly attempts: ReadonlyMap<string, readonly StoredAttempt[]>;
}

/** Reads all outcomes of a run and all attempts behind them. */
export async function readBooks(project: InProcess, runId: string): Promise<RunBooks> {
  const { store } = project;
  const run = await store.run(runId);
  if (run === null) throw new Error(`no run ${runId}`);
  const outcomes = new Map<string, StoredOutcome>();
  for (const domain of DOMAINS) {
    const ids = (await store.outcomesAt(run.orderId, run.pipelineHash, domain, 0, 100_000)).map((item) => item.candidateId);
    for (const outcome of await store.outcomes(run, ids)) outcomes.set(outcome.candidateId, outcome);
  }
  const keys = [...new Set([...outcomes.values()].flatMap((outcome) => outcome.callKeys))];
  const [sent, stored] = await Promise.all([store.ledger.requests(keys), store.ledger.attempts(keys)]);
  const attempts = new Map<string, StoredAttempt[]>();
  for (const [key, content] of sent) {
    const identity = identityOf(ChatRequest.parse(JSON.parse(requestBody(content, 1, 'max_tokens'))));
    const all = (stored.get(key) ?? []).filter((attempt) => attempt.latencyMs !== null);
    attempts.set(identity, [...(attempts.get(identity) ?? []), ...all]);
  }
  return { outcomes, attempts };
}

/** One line of the table: how often a fault struck, what became of the candidates it struck, and what it cost in calls. */
export interface FaultLine {
  readonly fault: FaultName;
  readonly injected: number;
  /** The candidate went on past the struck question. */
  readonly recovered: number;
  /** The candidate stood failed or without a verdict at the struck question. */
  readonly failed: number;
  /** Calls beyond those the fault-free run needed for the same question; questions only one run asked are left out. */
  readonly extraCalls: number;
  /** The most one question may cost beyond the fault-free run, times the questions struck. */
  readonly bound: number;
}

/** Calls beyond the first that the policy of a class allows one question; repairs are one turn, reviewers have two more samples. */
function allowedExtra(classes: readonly CallClass[], role: string): number {
  const of = (name: CallClass): number => {
    const { action, maxAttempts } = FAILURES[name];
    if (action === 'repair' || name === 'ok') return role === 'builder' ? 1 : 2;
    return Number.isFinite(maxAttempts) ? maxAttempts - 1 : 1;
  };
  return Math.max(...classes.map(of));
}

/** The table of a faulty run against the fault-free one. `struck` holds the questions each fault hit. */
export function faultTable(struck: ReadonlyMap<FaultName, readonly string[]>, faulty: RunBooks, clean: RunBooks): readonly FaultLine[] {
  return [...struck].map(([fault, identities]) => {
    let failed = 0;
    let extraCalls = 0;
    let bound = 0;
    for (const identity of identities) {
      const attempts = faulty.attempts.get(identity) ?? [];
      const last = attempts.at(-1);
      const end = last === undefined ? undefined : faulty.outcomes.get(last.candidateId);
      const here = end !== undefined && end.step === last?.step && last.class !== 'ok';
      const stuck = here && (end.status === 'failed' || end.status === 'no_verdict');
      if (stuck) failed += 1;
      const before = clean.attempts.get(identity);
      if (before === undefined) continue;
      extraCalls += Math.max(0, attempts.length - before.length);
      bound += allowedExtra(SURVIVABLE[fault] ?? [], last?.role ?? 'builder');
    }
    return { fault, injected: identities.length, recovered: identities.length - failed, failed, extraCalls, bound };
  });
}

/** Which faults struck a candidate, for messages: `step fault`. */
export function struckOf(struck: ReadonlyMap<FaultName, readonly string[]>, books: RunBooks, candidateId: string): readonly string[] {
  return [...struck].flatMap(([fault, identities]) =>
    identities.flatMap((identity) => {
      const attempt = books.attempts.get(identity)?.find((item) => item.candidateId === candidateId);
      return attempt === undefined ? [] : [`${attempt.step} ${fault}`];
    }),
  );
}
