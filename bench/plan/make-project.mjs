// Makes a built project through the real store in this process: the real activities (ingest, launch planner, stages) over with
// a client that answers as the rehearsal model does, without HTTP and without Temporal. What it leaves, `memcalib` takes as its own.
import { join } from 'node:path';
import { loadGates } from '../../dist/activities/gates.js';
import { createLaunchPlanner } from '../../dist/activities/plan-launch.js';
import { prepareBuild } from '../../dist/activities/prepare-build.js';
import { specFact } from '../../dist/activities/read-spec.js';
import { createRunContexts } from '../../dist/activities/run-contexts.js';
import { runStage } from '../../dist/activities/run-stage.js';
import { recordWaivers } from '../../dist/cli/owner/failed-candidates.js';
import { loadConfig } from '../../dist/cli/config-file.js';
import { readPrompts } from '../../dist/cli/prompt-files.js';
import { latestRunFact } from '../../dist/cli/queries/latest-run.js';
import { createLedgerOnlyClient } from '../../dist/llm/ledger-only-client.js';
import { complete } from '../../dist/llm/rehearsal/completion.js';
import { STAGES } from '../../dist/schemas/steps.js';
import { openStore } from '../../dist/store/open.js';

/** Calls written in one commit at most. */
const BATCH = 1000;

/** What the ledger keeps of one call, answered at once by the rehearsal model. */
function exchange(request, validate, seed) {
  const { sampling, responseFormat, model, messages } = request;
  const { completion } = complete({ model, messages, seed: sampling.seed, response_format: responseFormat }, request.key, seed);
  const text = completion.choices[0].message.content;
  const verdict = validate(text);
  const { prompt_tokens, completion_tokens } = completion.usage;
  const at = Date.now();
  const name = { key: request.key, attempt: 1, series: 0 };
  return {
    intent: { request, attempt: 1, series: 0, maxTokens: request.maxTokens, intendedAt: at },
    completion: {
      ...name,
      class: verdict.ok ? 'ok' : verdict.class,
      replyText: text,
      rawBody: JSON.stringify(completion),
      finishReason: 'stop',
      usage: { freshInput: prompt_tokens, cachedInput: 0, output: completion_tokens },
      costMicroUsd: 0,
      latencyMs: 1,
      returnedModel: model,
      fingerprint: completion.system_fingerprint,
      requestId: completion.id,
      message: null,
      completedAt: at,
    },
    outcome: verdict.ok ? { kind: 'reply', text, attempt: 1, served: 'fresh' } : { kind: 'invalid', ...verdict, text, served: 'fresh' },
  };
}

/** A model client that answers in this process and writes every call to the ledger, many to a commit; an outcome is durable before it is known. */
function rehearsalClient(ledger, seedOf) {
  const flying = new Map();
  let waiting = [];
  const flush = async () => {
    const batch = waiting.splice(0, BATCH);
    if (waiting.length > 0) setImmediate(() => void flush());
    try {
      await ledger.writeIntents(batch.map(({ made }) => made.intent));
      await ledger.writeCompletions(batch.map(({ made }) => made.completion));
      for (const { made, resolve } of batch) resolve(made.outcome);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const send = (request, validate) =>
    new Promise((resolve, reject) => {
      waiting.push({ made: exchange(request, validate, seedOf(request)), resolve, reject });
      if (waiting.length === 1) setTimeout(() => void flush(), 5);
    });
  const stored = createLedgerOnlyClient(ledger, () => undefined);
  return {
    prefetch: (keys) => stored.prefetch(keys),
    call: async (request, validate) => {
      const known = flying.get(request.key);
      if (known !== undefined) return known;
      const made = (async () => {
        const served = await stored.call(request, validate);
        return served.kind === 'paused' ? send(request, validate) : served;
      })();
      flying.set(request.key, made);
      return made.finally(() => flying.delete(request.key));
    },
  };
}

/** Runs the launch planner and its chunks to the end of the build; gives its verdict. */
async function drive(store, contexts, runId, onChunk) {
  const planner = createLaunchPlanner({ store, contexts });
  const run = await contexts.get(runId);
  const deps = { store, clock: Date.now, paths: new Map(), busy: new Map(), stop: () => false, onProgress: () => undefined };
  const inFlight = new Map();
  for (;;) {
    const plan = await planner.plan(runId, [...inFlight.keys()]);
    for (const chunk of plan.launch) {
      const work = async () => {
        for (const stage of STAGES) {
          const result = await runStage(run, deps, chunk, stage);
          if (result.kind === 'paused') throw new Error(result.reason);
          if (result.alive === 0) break;
        }
        inFlight.delete(chunk);
        onChunk(plan.accepted);
      };
      inFlight.set(chunk, work());
    }
    if (inFlight.size > 0) await Promise.race(inFlight.values());
    else if (plan.verdict !== 'working') return plan;
  }
}

/** Builds a project to its end under a label and records the run; gives what was accepted and how many calls the ledger holds. */
export async function buildHere({ configFile, label, runId, seedOf = () => 'rehearsal', onChunk = () => undefined }) {
  const loaded = await loadConfig(configFile, { trust: true, cwd: process.cwd() });
  const { config, baseDir, projectFolder } = loaded;
  const spec = { runId, label, config, baseDir, rehearsal: true, prompts: readPrompts(loaded), startedAt: Date.now() };
  const store = await openStore(join(projectFolder, 'memcalib.duckdb'));
  const client = rehearsalClient(store.ledger, seedOf);
  try {
    await store.putFact(specFact(runId), JSON.stringify(spec));
    await store.putFact(latestRunFact(label), runId);
    const gates = await loadGates(store, [label], Date.now);
    const contexts = createRunContexts({ store, gates, clientFor: () => Promise.resolve(client) });
    await prepareBuild({ store, probeMode: () => Promise.resolve('json_schema'), clock: Date.now }, runId);
    let waived = 0;
    let plan = await drive(store, contexts, runId, onChunk);
    // Reviewers that never came to a verdict hold a build back until a person goes on without them.
    for (; plan.verdict === 'stuck'; plan = await drive(store, contexts, runId, onChunk))
      waived += (await recordWaivers(store, { label })).candidates;
    await store.putRunState({ runId, state: plan.verdict === 'dry' ? 'dry' : 'completed', reason: '', until: null, at: Date.now() });
    return { verdict: plan.verdict, accepted: plan.accepted, waived, calls: store.ledger.counts().attempts };
  } finally {
    await store.close();
  }
}
