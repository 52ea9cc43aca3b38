import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { complete } from '../../../llm/rehearsal/completion.ts';
import { ChatRequest } from '../../../llm/rehearsal/request.ts';

/** Put into a prompt, it makes replies of that step say something else; without it an edit of a prompt changes no reply. */
export const SAY_OTHERWISE = 'Say it otherwise.';

type Reply = Record<string, unknown>;

const other = (text: unknown): string => `${String(text)} So.`;

/** What `SAY_OTHERWISE` does to a reply of each step: a text that is handed on, a verdict, or (hard atoms) only a remark. */
const OTHERWISE: Readonly<Record<string, (reply: Reply) => Reply>> = {
  screen: (reply) => ({ ...reply, text_integrity: { ...(reply['text_integrity'] as Reply), reason: 'otherwise' } }),
  derive: (reply) => ({ ...reply, query: `Please tell me. ${String(reply['query'])}` }),
  atomize: (reply) => ({ ...reply, atoms: (reply['atoms'] as Reply[]).map((atom) => ({ ...atom, with: other(atom['with']) })) }),
  'hard-distractor': (reply) =>
    reply['atom'] === null
      ? reply
      : { ...reply, atom: { ...(reply['atom'] as Reply), why_not_applicable: other((reply['atom'] as Reply)['why_not_applicable']) } },
  'auxiliary-distractors': (reply) => ({
    ...reply,
    atoms: (reply['atoms'] as Reply[]).map((atom) => ({ ...atom, text: String(atom['text']).replace(/\.$/, ' again.') })),
  }),
  rubrics: (reply) => ({
    ...reply,
    ignored_atoms: (reply['ignored_atoms'] as Reply[]).map((atom) => ({ ...atom, harmless: other(atom['harmless']) })),
  }),
  naturalize: (reply) => ({ ...reply, memory_text: String(reply['memory_text']).replace(/\.$/, ' indeed.') }),
  'review-fidelity': (reply) => ({ ...reply, atoms: (reply['atoms'] as Reply[]).map((atom) => ({ ...atom, distinct: 'fail' })) }),
  'review-calibration': (reply) => ({ ...reply, query: { ...(reply['query'] as Reply), coherent: 'fail' } }),
};

/** The reply function of these tests: the bytes of a response from the bytes of a request alone. */
export function answer(raw: string): string {
  const request = ChatRequest.parse(JSON.parse(raw));
  const { completion, task } = complete(request, raw, 'staleness');
  const system = request.messages.find(({ role }) => role === 'system')?.content;
  const change = OTHERWISE[task];
  const content = completion.choices[0].message.content;
  if (change === undefined || content === null || typeof system !== 'string' || !system.includes(SAY_OTHERWISE))
    return JSON.stringify(completion);
  const message = { ...completion.choices[0].message, content: JSON.stringify(change(JSON.parse(content) as Reply)) };
  return JSON.stringify({ ...completion, choices: [{ ...completion.choices[0], message }] });
}

/** The reply function over HTTP. */
export interface ReplyServer {
  readonly url: string;
  /** Hears of every call as it arrives. */
  onCall: () => void;
  readonly close: () => Promise<void>;
}

/** Starts the reply function on a free port. `delayMs` holds replies back, so that a kill meets calls in flight. */
export async function startReplyServer(delayMs = 0): Promise<ReplyServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      started.onCall();
      const reply = answer(Buffer.concat(chunks).toString('utf8'));
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(reply), delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const started: ReplyServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    onCall: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return started;
}
