import { describe, expect, it } from 'vitest';
import { judgeRequest, judgeResponse, MAX_JUDGE_RETRIES } from '../../activities/judge-response.ts';
import type { Judge } from '../../activities/judge-response.ts';
import { judgeLines } from '../../cli/judge/judge-lines.ts';
import type { CallClass, CallOutcome, CallRequest, ModelClient } from '../../schemas/ledger.ts';
import { MemoryLedger } from '../llm/memory-ledger.ts';
import { rolloutLine } from '../support/rollout-lines.ts';

type Answer = string | { readonly failed: CallClass } | { readonly paused: string };

const judgment = (id: string, ideal: string, level: string, quote: string): object => ({
  atom_id: id,
  u_star: ideal,
  predicted_usage_level: level,
  evidence_quote: quote,
  reason: 'r',
});
const reply = (first: object = judgment('a1', 'C', 'B', 'without crowds')): string =>
  JSON.stringify({ atom_judgments: [first, judgment('a2', 'B', 'B', 'already seen'), judgment('a3', 'A', 'C', 'leave it out')] });
const good = reply();
const soft = reply(judgment('a1', 'C', 'B', 'not there'));
const hard = reply(judgment('a1', 'A', 'B', 'without crowds'));

/** A client that gives scripted answers in turn and keeps what it was asked. */
function scripted(answers: readonly Answer[]): { readonly client: ModelClient; readonly asked: CallRequest[] } {
  const asked: CallRequest[] = [];
  const call: ModelClient['call'] = (request, validate): Promise<CallOutcome> => {
    const answer = answers[asked.length] ?? answers.at(-1) ?? good;
    asked.push(request);
    if (typeof answer === 'object' && 'failed' in answer) return Promise.resolve({ kind: 'failed', class: answer.failed, message: 'why' });
    if (typeof answer === 'object') return Promise.resolve({ kind: 'paused', reason: answer.paused, until: null });
    const verdict = validate(answer);
    if (verdict.ok) return Promise.resolve({ kind: 'reply', text: answer, attempt: 1, served: 'fresh' });
    const { rule, path } = verdict;
    return Promise.resolve({ kind: 'invalid', class: verdict.class, text: answer, rule, path, served: 'fresh' });
  };
  return { client: { call, prefetch: () => Promise.resolve() }, asked };
}

function judgeOn(client: ModelClient, ledger = new MemoryLedger()): Judge {
  const binding = { role: 'judge', provider: 'p', model: 'm', sampling: { temperature: 0, seed: 0 }, maxTokensFactor: 1 } as const;
  const format = { responseFormat: { type: 'json_object' }, schemaInPrompt: null } as const;
  return { client, ledger, runId: 'r', binding, instructions: 'judge', format, startedAt: 0 };
}

describe('judging one response', () => {
  it.each<[string, readonly Answer[], string, number, string]>([
    ['accepts a whole reply', [good], 'ok', 1, ''],
    ['has a hard fault mended', [hard, good], 'repaired', 2, ''],
    ['asks once about a soft fault, then flags it', [soft, soft], 'ok_flagged', 2, ''],
    ['keeps a usable reply when the next one is worse', [soft, hard], 'ok_flagged', 2, ''],
    ['takes the better reply', [soft, good], 'repaired', 2, ''],
    [
      'gives up after three retries',
      [hard, 'prose', hard, hard],
      'unjudged',
      4,
      '4 replies broke a rule, the last one J6 at atom_judgments.0.u_star',
    ],
    ['takes a refusal as no verdict', [{ failed: 'refused' }], 'unjudged', 1, 'J1 refused: why'],
    ['takes a reply cut twice as no verdict', [{ failed: 'truncated' }], 'unjudged', 1, 'J1 truncated: why'],
  ])('%s', async (_, answers, status, calls, invalid) => {
    const { client, asked } = scripted(answers);
    const end = await judgeResponse(judgeOn(client), rolloutLine(1));
    const head = { response_id: 's0001-p000-g1', rollout_digest: rolloutLine(1).rollout_digest };
    const levels = { levels: { a1: 'B', a2: 'B', a3: 'C' }, over_use: 2, under_use: 1 };
    expect(end).toMatchObject({ kind: 'judged', status, entry: { ...head, ...(invalid === '' ? levels : { invalid }) } });
    expect(asked).toHaveLength(calls);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(calls);
    expect(asked.length).toBeLessThanOrEqual(1 + MAX_JUDGE_RETRIES);
  });

  it('takes an empty response as invalid without a call, a cut one as it stands', async () => {
    const { client, asked } = scripted([good]);
    const empty = await judgeResponse(judgeOn(client), rolloutLine(1, { model_response: ' \n' }));
    expect(empty).toMatchObject({ status: 'gen_empty', entry: { invalid: 'empty response' } });
    expect(asked).toHaveLength(0);
    const cut = await judgeResponse(judgeOn(client), rolloutLine(1, { finish: 'length' }));
    expect(cut).toMatchObject({ status: 'gen_truncated', entry: { over_use: 2 } });
  });

  it('asks equal responses under one key, whatever their ids', () => {
    const { client } = scripted([]);
    const [a, b] = [rolloutLine(1), rolloutLine(1, { response_id: 'other', rollout_digest: `sha256:${'b'.repeat(64)}` })];
    expect(judgeRequest(judgeOn(client), a, 0, null).key).toBe(judgeRequest(judgeOn(client), b, 0, null).key);
    expect(judgeRequest(judgeOn(client), rolloutLine(2), 0, null).key).not.toBe(judgeRequest(judgeOn(client), a, 0, null).key);
  });
});

describe('judging a rollout', () => {
  const lines = Array.from({ length: 40 }, (_, at) => rolloutLine(at));
  const judged = (answers: readonly Answer[], series = 0): ReturnType<typeof judgeLines> => {
    const ledger = new MemoryLedger();
    ledger.series = (keys) => Promise.resolve(new Map(keys.map((key) => [key, series])));
    return judgeLines(judgeOn(scripted(answers).client, ledger), lines, () => undefined);
  };

  it('writes nothing when the judge cannot be reached, and a few as invalid when they broke off in two commands', async () => {
    const one: readonly Answer[] = [{ failed: 'network' }, good];
    expect(await judged([{ failed: 'network' }])).toMatchObject({ kind: 'unreached', open: 40 });
    expect(await judged([{ failed: 'network' }], 1)).toMatchObject({ kind: 'unreached', open: 40 });
    expect(await judged(one)).toMatchObject({ kind: 'unreached', open: 1 });
    expect(await judged(one, 1)).toMatchObject({ statuses: { ok: 39, unjudged: 1 } });
  });

  it('stops at a pause with what is open', async () => {
    expect(await judged([good, good, { paused: 'the cap of $1 is reached' }])).toEqual({
      kind: 'paused',
      open: 38,
      reason: 'the cap of $1 is reached',
    });
  });

  it('keeps the order of the file', async () => {
    const end = await judged([good]);
    expect('entries' in end ? end.entries.map((entry) => entry.response_id) : []).toEqual(lines.map((line) => line.response_id));
  });
});
