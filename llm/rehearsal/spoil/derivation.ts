import type { AtomizePayload, DerivePayload, ScreenPayload } from '../../../schemas/payloads.ts';
import type { AtomizeReply } from '../../../schemas/replies/atomize.ts';
import type { DeriveReply } from '../../../schemas/replies/derive.ts';
import { SCREEN_DIMENSIONS } from '../../../schemas/replies/screen.ts';
import type { ScreenReply } from '../../../schemas/replies/screen.ts';
import type { Draw } from '../draw.ts';

const NOWHERE = 'as I have always said to everybody who ever asked me about it';

function replaceAt<Item>(items: readonly Item[], at: number, change: (item: Item) => Item): Item[] {
  return items.map((item, place) => (place === at ? change(item) : item));
}

/** Screening spoiled as named; an unknown name changes nothing. */
export function spoilScreen(name: string, reply: ScreenReply, _payload: ScreenPayload, draw: Draw): ScreenReply {
  const dimension = draw.pick(SCREEN_DIMENSIONS, 'dimension');
  const part = reply[dimension];
  if (name === 'uncertain_verdict')
    return { ...reply, [dimension]: { ...part, verdict: 'uncertain', reason: 'would have to be looked up to decide' } };
  if (name === 'reject_verdict')
    return { ...reply, [dimension]: { ...part, verdict: 'reject', reason: 'falls short on a strict reading' } };
  if (name === 'ungrounded_quote') return { ...reply, [dimension]: { ...part, evidence: { ...part.evidence, quote: NOWHERE } } };
  return reply;
}

/** Derivation spoiled as named. */
export function spoilDerive(name: string, reply: DeriveReply, _payload: DerivePayload, draw: Draw): DeriveReply {
  const at = Math.floor(draw.uniform('passage') * reply.passages.length);
  const passage = reply.passages[at];
  if (name === 'nothing_found') return { ...reply, passages: [], dropped: [] };
  if (passage === undefined) return reply;
  if (name === 'ungrounded_quote') {
    const passages = replaceAt(reply.passages, at, (item) => ({
      ...item,
      evidence: replaceAt(item.evidence, 0, (span) => ({ ...span, quote: NOWHERE })),
    }));
    return { ...reply, passages };
  }
  if (name === 'leak_in_query')
    return {
      ...reply,
      query: `${passage.text.split('. ')[0]?.replace(/\.$/, '').replace('The user has', 'I have').replace('The user is', 'I am').replaceAll("the user's", 'my') ?? ''}. ${reply.query}`,
    };
  if (name === 'undeclared_term')
    return reply.request_terms.length === 0 ? { ...reply, query: `${passage.title}: ${reply.query}` } : { ...reply, request_terms: [] };
  return reply;
}

/** Atomization spoiled as named. */
export function spoilAtomize(name: string, reply: AtomizeReply, _payload: AtomizePayload, draw: Draw): AtomizeReply {
  const at = Math.floor(draw.uniform('atom') * reply.atoms.length);
  const atom = reply.atoms[at];
  if (atom === undefined) return reply;
  if (name === 'illegal_action')
    return { ...reply, atoms: replaceAt(reply.atoms, at, (item) => ({ ...item, level: 'A', action: 'correct' })) };
  if (name === 'first_person')
    return {
      ...reply,
      atoms: replaceAt(reply.atoms, at, (item) => ({
        ...item,
        text: item.text.replace(/\bthe user's\b/i, 'My').replace(/^The user /, 'I '),
      })),
    };
  if (name === 'duplicate_atom')
    return { ...reply, atoms: [...reply.atoms, { ...atom, text: atom.text.replace(/\.$/, ' indeed.') }].slice(0, 12) };
  if (name === 'ungrounded_quote')
    return {
      ...reply,
      atoms: replaceAt(reply.atoms, at, (item) => ({
        ...item,
        evidence: [{ field: item.evidence[0]?.field ?? 'question', quote: NOWHERE }],
      })),
    };
  if (name === 'all_ignored') return { ...reply, atoms: reply.atoms.map((item) => ({ ...item, level: 'A', action: 'ignore' })) };
  return reply;
}
