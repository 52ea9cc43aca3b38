import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import { completion, scriptedServer } from '../llm/scripted-server.ts';
import type { Scripted } from '../llm/scripted-server.ts';

/** A model that stands for its kind, opened for one test. */
export interface OpenTarget {
  readonly baseUrl: string;
  readonly model: string;
  /** Calls the model was sent; null when it does not count. */
  sent(): number | null;
  close(): Promise<void>;
}

/** One kind of model the contract holds for. */
export interface Target {
  readonly name: string;
  /** Why it cannot be tried here; null when it can. */
  readonly skipped: string | null;
  readonly callTimeoutMs: number;
  open(): Promise<OpenTarget>;
}

interface Recorded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly choices: readonly Readonly<Record<string, unknown>>[] };
  readonly expect: { readonly class: string };
}

const FIXTURES = join(import.meta.dirname, '../fixtures/providers');
const QUICK_MS = 10_000;

/** Answers as a provider's recorded whole reply; with a cap of a few tokens as the same provider does when it cuts one. */
function recordedTarget(file: string): Target {
  const [whole] = (JSON.parse(readFileSync(join(FIXTURES, file), 'utf8')) as readonly Recorded[]).filter(
    (each) => each.expect.class === 'ok',
  );
  return {
    name: `recorded replies of ${file.replace('.json', '')}`,
    skipped: whole === undefined ? 'no whole reply is recorded' : null,
    callTimeoutMs: QUICK_MS,
    open: () =>
      scripted((cap): Scripted => {
        if (whole === undefined) return { status: 500, body: '' };
        const { status, headers, body } = whole;
        const cut = { ...body, choices: body.choices.map((choice) => ({ ...choice, finish_reason: 'length' })) };
        return { status, headers, body: cap <= 4 ? cut : body };
      }),
  };
}

async function scripted(answer: (cap: number) => Scripted): Promise<OpenTarget> {
  const server = await scriptedServer(({ body }) => answer(Number(body['max_tokens'] ?? body['max_completion_tokens'])));
  return { baseUrl: server.baseUrl, model: 'm', sent: () => server.requests.length, close: () => server.close() };
}

const SCRIPTED: Target = {
  name: 'the scripted model',
  skipped: null,
  callTimeoutMs: QUICK_MS,
  open: () => scripted((cap) => completion(cap <= 4 ? '{"a"' : '{"a":"x"}', { finish: cap <= 4 ? 'length' : 'stop' })),
};

const REHEARSAL: Target = {
  name: 'the rehearsal server',
  skipped: null,
  callTimeoutMs: QUICK_MS,
  open: async () => {
    const server = await startRehearsalServer();
    return { baseUrl: server.url, model: 'rehearsal', sent: () => server.stats().calls, close: () => server.close() };
  },
};

/** A server of a real model, as `shared/local-model/serve.sh` starts it. */
function localTarget(): Target {
  const url = process.env['MEMCALIB_LOCAL_MODEL_URL'] ?? '';
  const model = process.env['MEMCALIB_LOCAL_MODEL'] ?? 'qwen-0.5b';
  return {
    name: 'the local model',
    skipped: url === '' ? 'no local model server: set MEMCALIB_LOCAL_MODEL_URL to its base URL' : null,
    callTimeoutMs: 180_000,
    open: () => Promise.resolve({ baseUrl: url, model, sent: () => null, close: () => Promise.resolve() }),
  };
}

/** Every kind of model; recordings that are of no one provider stand apart. */
export const TARGETS: readonly Target[] = [
  SCRIPTED,
  REHEARSAL,
  ...readdirSync(FIXTURES)
    .filter((file) => file !== 'anything.json')
    .map(recordedTarget),
  localTarget(),
];
