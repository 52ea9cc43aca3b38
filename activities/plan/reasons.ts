import type { IngestFacts } from '../../hub/ingest.ts';
import { canonicalJson } from '../../schemas/hash.ts';
import type { StepId } from '../../schemas/steps.ts';
import { PLAN_VERSION } from '../../stages/block-plan-tables.ts';
import { changedLines } from '../../stages/plan/changed-lines.ts';
import type { RunRow } from '../../store/port.ts';
import type { PreparedStep, SentToRole } from '../run-context.ts';
import { readSpec } from '../read-spec.ts';
import { readPipelineParts, readVersionText, textOfVersion } from '../step-versions.ts';
import type { StepVersionText } from '../step-versions.ts';
import { configChanges } from './config-change.ts';
import type { Reason } from './plan.ts';
import type { World } from './world.ts';

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

function sentChanges(before: readonly SentToRole[], now: readonly SentToRole[]): readonly string[] {
  return now.flatMap((sent): readonly string[] => {
    const old = before.find((item) => item.role === sent.role);
    if (old === undefined) return [`${sent.role} is asked, which was not before`];
    const said: string[] = [];
    if (old.provider !== sent.provider) said.push(`provider of ${sent.role} changed: ${old.provider} → ${sent.provider}`);
    if (old.model !== sent.model) said.push(`model of ${sent.role} changed: ${old.model} → ${sent.model}`);
    for (const name of ['temperature', 'topP', 'seed', 'extra'] as const) {
      const [a, b] = [canonicalJson(old.sampling[name]), canonicalJson(sent.sampling[name])];
      if (a !== b) said.push(`${name} of ${sent.role} changed: ${a} → ${b}`);
    }
    if (old.responseFormat?.type !== sent.responseFormat?.type)
      said.push(`response format of ${sent.role} changed: ${old.responseFormat?.type ?? '-'} → ${sent.responseFormat?.type ?? '-'}`);
    else if (canonicalJson([old.responseFormat, old.schemaInPrompt]) !== canonicalJson([sent.responseFormat, sent.schemaInPrompt]))
      said.push('reply schema changed');
    return said;
  });
}

/** What differs between two versions of a step, as sentences for a person. */
export function versionChanges(before: StepVersionText, now: StepVersionText): readonly string[] {
  const lines = changedLines(before.instructions, now.instructions);
  return [
    ...(lines === 0 ? [] : [`${now.step}.md body changed: ${count(lines, 'line')}`]),
    ...new Set(sentChanges(before.sent, now.sent)),
    ...(before.checkNumber === now.checkNumber
      ? []
      : [`check number of ${now.step} moved: ${before.checkNumber} → ${now.checkNumber} (its replies are judged anew)`]),
  ];
}

async function stepReasons(world: World, before: RunRow): Promise<readonly Reason[]> {
  const parts = await readPipelineParts(world.store, before.pipelineHash);
  if (parts === null) {
    const text = 'the last build was made before MemCalib kept what its steps asked, so what changed since cannot be told';
    return before.pipelineHash === world.pipelineHash ? [] : [{ kind: 'code', step: null, text }];
  }
  const reasons: Reason[] = [];
  const ofStep = (step: StepId, texts: readonly string[]): void => {
    for (const text of texts) reasons.push({ kind: 'step', step, text });
  };
  for (const [id, step] of world.steps) {
    const version = parts.steps[id];
    if (version === step.version) continue;
    if (version === undefined) ofStep(id, [`step ${id} is new`]);
    else ofStep(id, await changesOf(world, step, version));
  }
  if (parts.seed !== world.spec.config.seed)
    reasons.push({ kind: 'code', step: null, text: `seed changed: every draw (order, block plan, scenes, family) is made anew` });
  if (parts.planVersion !== PLAN_VERSION)
    reasons.push({ kind: 'code', step: null, text: `plan tables changed: ${parts.planVersion} → ${PLAN_VERSION}` });
  return reasons;
}

async function changesOf(world: World, step: PreparedStep, version: string): Promise<readonly string[]> {
  const old = await readVersionText(world.store, version);
  const said = old === null ? [] : versionChanges(old, textOfVersion(step));
  return said.length === 0 ? [`${step.definition.id} has another version`] : said;
}

function fileReasons(before: IngestFacts, now: IngestFacts): readonly string[] {
  const files = (facts: IngestFacts): ReadonlyMap<string, string> =>
    new Map(facts.sources.flatMap((source) => source.files.map((file) => [`${source.name}: ${file.name}`, file.sha256])));
  const [old, fresh] = [files(before), files(now)];
  return [
    ...[...fresh].flatMap(([name, hash]) =>
      !old.has(name) ? [`file added, ${name}`] : old.get(name) === hash ? [] : [`file changed, ${name}`],
    ),
    ...[...old.keys()].filter((name) => !fresh.has(name)).map((name) => `file gone, ${name}`),
  ];
}

async function orderReasons(world: World, before: RunRow): Promise<readonly Reason[]> {
  if (before.orderId === world.order.id) return [];
  const { added, withdrawn, changed, moved } = await world.store.planning.orderChange(before.orderId, world.order.id);
  const old = await world.store.order(before.orderId);
  const files = old === null ? [] : fileReasons(JSON.parse(old.facts) as IngestFacts, world.order.facts);
  const text = `candidates: ${added} added, ${withdrawn} withdrawn, ${changed} with another row, ${moved} at another place`;
  return [...files.map((said): Reason => ({ kind: 'order', step: null, text: said })), { kind: 'order', step: null, text }];
}

async function fieldReasons(world: World, before: RunRow): Promise<readonly Reason[]> {
  const { config } = await readSpec(world.store, before.id);
  return configChanges(config, world.spec.config).flatMap((change): readonly Reason[] => {
    // The step's own reasons say what a changed model or format means.
    if (change.decides === 'step') return [];
    const text = `${change.path}: ${change.before} → ${change.now}`;
    if (change.class !== 'semantic') return [{ kind: 'nothing', step: null, text: `${text} (${change.class}: nothing is made anew)` }];
    return [{ kind: change.decides === 'nothing' ? 'nothing' : change.decides, step: null, text }];
  });
}

/** Why a plan is what it is, compared with the latest build: steps, sources, quotas, code, and changes that do nothing. */
export async function reasonsOf(world: World): Promise<readonly Reason[]> {
  const { before } = world;
  if (before === null) return [{ kind: 'first', step: null, text: 'nothing was built yet' }];
  const state = await world.store.runState(before.id);
  const stopped = state === null || (state.state !== 'completed' && state.state !== 'dry');
  const unfinished: readonly Reason[] = stopped
    ? [{ kind: 'unfinished', step: null, text: `the build of run ${before.id} has not come to its end (${state?.state ?? 'starting'})` }]
    : [];
  return [
    ...(await stepReasons(world, before)),
    ...(await orderReasons(world, before)),
    ...(await fieldReasons(world, before)),
    ...unfinished,
  ];
}
