import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRehearsalServer } from '../../../llm/rehearsal/server.ts';
import type { RehearsalServer } from '../../../llm/rehearsal/server.ts';
import { REHEARSED_TASKS } from '../../../llm/rehearsal/tasks.ts';
import { DeriveReply } from '../../../schemas/replies/derive.ts';
import { NaturalizeReply } from '../../../schemas/replies/naturalize.ts';
import { PAYLOADS, REPLY_SCHEMAS, bodyFor } from './payloads.ts';

async function post(server: RehearsalServer, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

function contentOf(text: string): string {
  const parsed = JSON.parse(text) as { choices: [{ message: { content: string } }] };
  return parsed.choices[0].message.content;
}

describe('the rehearsal server', () => {
  let one: RehearsalServer;
  let two: RehearsalServer;
  beforeAll(async () => {
    one = await startRehearsalServer();
    two = await startRehearsalServer();
  });
  afterAll(async () => {
    await one.close();
    await two.close();
  });

  it.each(REHEARSED_TASKS)('answers %s with a reply of its schema, whatever the imperfection', async (step) => {
    for (let seed = 0; seed < 15; seed += 1) {
      const { status, text } = await post(one, bodyFor(PAYLOADS[step], { seed }));
      expect(status).toBe(200);
      const reply = REPLY_SCHEMAS[step].safeParse(JSON.parse(contentOf(text)));
      expect(reply.error).toBeUndefined();
    }
  });

  it.each(REHEARSED_TASKS)('answers %s with the same bytes on two servers and again', async (step) => {
    const body = bodyFor(PAYLOADS[step]);
    const first = await post(one, body);
    expect((await post(two, body)).text).toBe(first.text);
    expect((await post(one, body)).text).toBe(first.text);
  });

  it('takes quotes of a derivation from the row byte for byte', async () => {
    const payload = { ...PAYLOADS.derive };
    const reply = DeriveReply.parse(JSON.parse(contentOf((await post(one, bodyFor(payload, { model: 'rehearsal-a' }))).text)));
    const quotes = reply.passages.flatMap((passage) => passage.evidence.map((span) => span.quote));
    expect(quotes.length).toBeGreaterThan(0);
    for (const quote of quotes) expect(String(payload['question'])).toContain(quote);
  });

  it.each([
    ['an unknown task', bodyFor({ task: 'fly' }), 400, 'knows no task'],
    ['a body that is no JSON', '{', 400, 'not JSON'],
    ['a request without messages', { model: 'rehearsal' }, 400, 'messages'],
    ['a model it does not have', bodyFor(PAYLOADS.derive, { model: 'gpt' }), 404, 'does not exist'],
    ['a stream', bodyFor(PAYLOADS.derive, { stream: true }), 400, 'does not stream'],
  ])('refuses %s with a sentence', async (_name, body, status, words) => {
    const answer = await post(one, body);
    expect(answer.status).toBe(status);
    expect((JSON.parse(answer.text) as { error: { message: string } }).error.message).toContain(words);
  });

  it('answers a probe without a task from its schema alone', async () => {
    const schema = { type: 'object', properties: { weather_code: { type: 'string', enum: ['kestrel'] }, n: { type: 'integer' } } };
    const body = bodyFor(null, {
      messages: [{ role: 'user', content: 'hello' }],
      response_format: { type: 'json_schema', json_schema: { name: 'probe', schema } },
    });
    expect(JSON.parse(contentOf((await post(one, body)).text))).toEqual({ weather_code: 'kestrel', n: 1 });
  });

  it('gives the reply in json_object and text mode too, in text mode at most inside one fence', async () => {
    for (const type of ['json_object', 'text']) {
      const content = contentOf((await post(one, bodyFor(PAYLOADS.naturalize, { response_format: { type } }))).text);
      const bare = content.replace(/^```json\n|\n```$/g, '');
      expect(NaturalizeReply.safeParse(JSON.parse(bare)).success).toBe(true);
    }
  });

  it('cuts a reply at the cap of the request and says so', async () => {
    const text = (await post(one, bodyFor(PAYLOADS.rubrics, { max_tokens: 20 }))).text;
    expect(text).toContain('"finish_reason":"length"');
    expect(contentOf(text)).toHaveLength(80);
  });

  it('lists its models and counts what it did', async () => {
    const models = (await (await fetch(`${two.url}/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(['rehearsal', 'rehearsal-a', 'rehearsal-b']);
    const stats = (await (await fetch(`http://127.0.0.1:${two.port}/stats`)).json()) as { calls: number; tasks: Record<string, number> };
    expect(stats).toEqual(JSON.parse(JSON.stringify(two.stats())));
    expect(stats.tasks['derive']).toBe(1);
  });

  it('says which port is taken', async () => {
    await expect(startRehearsalServer({ port: one.port })).rejects.toThrow(`Port ${one.port} is taken`);
  });
});
