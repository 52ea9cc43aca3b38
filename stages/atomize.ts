import type { Domain } from '../schemas/levels.ts';
import type { AtomizePayload } from '../schemas/payloads.ts';
import { AtomizeReply } from '../schemas/replies/atomize.ts';
import type { DroppedFact } from '../schemas/replies/derive.ts';
import type { AtomizeOutput, DeriveOutput, Passage, SourceAtom } from '../schemas/workpiece.ts';
import { WorkpieceError } from './atoms.ts';
import { atomBreaches, atomSetBreaches } from './checks/atom-set.ts';
import type { Quotable } from './checks/evidence.ts';
import { resolveEvidence } from './checks/evidence.ts';
import { hasExactRun, leakFlags } from './checks/leak.ts';
import { bringsBack } from './checks/dropped.ts';
import { payloadJson } from './fields.ts';
import type { Breach } from './settle.ts';
import { mainPart, settle } from './settle.ts';
import type { StepVerdict } from './step.ts';
import { defineStep } from './step.ts';

interface AtomizeInput {
  readonly domain: Domain;
  readonly derive: DeriveOutput;
}

interface Resolved {
  readonly atoms: readonly SourceAtom[];
  readonly breaches: readonly Breach[];
}

/** Quotes of an atom resolve inside the evidence of the passages, own passage first, and inherit its field and speaker. */
function quotables(passages: readonly Passage[], own: number): readonly Quotable[] {
  const ordered = [...passages.filter((_, index) => index === own - 1), ...passages.filter((_, index) => index !== own - 1)];
  return ordered.flatMap((passage) =>
    passage.evidence.map((span) => ({ field: span.field, speaker: span.speaker, text: span.quote, offset: span.start })),
  );
}

/** One sentence with a full stop: atoms are joined by a single space in the published concatenation. */
function sentence(text: string): string {
  const folded = text.trim().replace(/\s+/g, ' ');
  return folded === '' || /[.!?]["'”’)`]*$/.test(folded) ? folded : `${folded}.`;
}

function resolveAtoms(input: AtomizeInput, reply: AtomizeReply): Resolved {
  const { passages } = input.derive;
  const resolved = reply.atoms.map((item, index) => {
    const path = `atoms.${index}`;
    const passage = passages[item.passage - 1];
    const evidence = resolveEvidence(quotables(passages, item.passage), item.evidence, `${path}.evidence`);
    const atom: SourceAtom = {
      key: `s${index + 1}`,
      passage: item.passage,
      text: sentence(item.text),
      evidence: evidence.spans,
      level: item.level,
      action: item.action,
      kind: item.kind,
      reason: item.reason.trim(),
      without: item.without.trim(),
      with: item.with.trim(),
    };
    const unknown: readonly Breach[] =
      passage === undefined
        ? [{ rule: 'unknown_passage', path: `${path}.passage`, message: `There are passages 1 to ${passages.length} only.` }]
        : [];
    const memory = [passage?.text ?? '', ...evidence.spans.map((span) => span.quote)].join('\n');
    // Without evidence the words of an atom cannot be compared with it: one finding is enough.
    const own = evidence.breaches.length > 0 || unknown.length > 0 ? [] : atomBreaches(atom, memory, path);
    return { atom, breaches: [...unknown, ...evidence.breaches, ...own] };
  });
  return { atoms: resolved.map((item) => item.atom), breaches: resolved.flatMap((item) => item.breaches) };
}

function reject(reason: string, detail: string): StepVerdict<AtomizeOutput> {
  return { kind: 'rejected', reason, detail, partId: 'main' };
}

function newlyDropped(input: AtomizeInput, dropped: readonly DroppedFact[]): readonly Breach[] {
  const { query, requestTerms } = input.derive;
  return dropped.flatMap((fact, index) =>
    bringsBack(fact.text, query, requestTerms)
      ? [
          {
            rule: 'dropped_fact',
            path: `dropped.${index}`,
            message: 'The query states this fact, so it cannot be left out. Make it no dropped fact.',
          },
        ]
      : [],
  );
}

/** Step `atomize` (SPEC §4.3): passages become grounded, separately judgeable atoms with their ideal level and action. */
export const atomize = defineStep<AtomizeInput, AtomizeReply, AtomizeOutput>({
  id: 'atomize',
  stage: 'atomization',
  replySchema: AtomizeReply,
  checkNumber: 1,
  checkFiles: [
    'stages/atomize.ts',
    'stages/atoms.ts',
    'stages/checks/assistant-claim.ts',
    'stages/checks/atom-set.ts',
    'stages/checks/containment.ts',
    'stages/checks/dropped.ts',
    'stages/checks/evidence.ts',
    'stages/checks/first-person.ts',
    'stages/checks/grounding.ts',
    'stages/checks/leak.ts',
    'stages/checks/marked-tokens.ts',
    'stages/checks/memory-text.ts',
    'stages/checks/pronouns.ts',
    'stages/checks/relative-dates.ts',
    'stages/checks/request-terms.ts',
    'stages/fields.ts',
    'stages/settle.ts',
    'stages/text/contract.ts',
    'stages/text/words.ts',
  ],
  input: ({ candidate, derive }) => {
    if (derive === undefined) throw new WorkpieceError(`${candidate.id}: atomize needs the output of derive`);
    return { domain: candidate.domain, derive };
  },
  requests: ({ domain, derive }) => {
    const payload: AtomizePayload = {
      task: 'atomize',
      domain,
      query: derive.query,
      request_terms: derive.requestTerms,
      passages: derive.passages.map((passage, index) => ({
        passage: index + 1,
        title: passage.title,
        text: passage.text,
        evidence: passage.evidence.map(({ field, speaker, quote }) => ({ field, speaker, quote })),
      })),
      dropped: derive.dropped,
    };
    return [{ partId: 'main', payload: payloadJson(payload) }];
  },
  accept: (input, replies): StepVerdict<AtomizeOutput> => {
    const { reply, repaired } = mainPart(replies);
    const { query, requestTerms } = input.derive;
    const { atoms, breaches } = resolveAtoms(input, reply);
    const used = atoms.filter((atom) => atom.level !== 'A');
    if (used.length === 0) return reject('no_used_atom', 'No atom is B or C, so there is no use to calibrate.');
    const leaking = used.find((atom) => hasExactRun(query, atom.text));
    if (leaking !== undefined) return reject('query_leak', `The content words of ${leaking.key} stand in the query as a run.`);
    const dropped = [...input.derive.dropped, ...reply.dropped];
    const all = [...breaches, ...atomSetBreaches(atoms, dropped, requestTerms), ...newlyDropped(input, reply.dropped)];
    return settle('main', all, repaired, () => ({
      output: { atoms, dropped },
      flags: used.flatMap((atom) => leakFlags(query, requestTerms, atom)),
    }));
  },
  apply: (workpiece, output) => ({ ...workpiece, atomize: output }),
});
