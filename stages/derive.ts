import type { Domain } from '../schemas/levels.ts';
import type { DerivePayload, FieldText } from '../schemas/payloads.ts';
import { DeriveReply } from '../schemas/replies/derive.ts';
import type { DeriveOutput, Flag, Passage } from '../schemas/workpiece.ts';
import { resolveEvidence } from './checks/evidence.ts';
import { memoryTextBreaches } from './checks/memory-text.ts';
import { queryBreaches } from './checks/query.ts';
import { usedRequestTerms } from './checks/request-terms.ts';
import { payloadJson, rowFields } from './fields.ts';
import type { Breach } from './settle.ts';
import { mainPart, settle } from './settle.ts';
import type { StepVerdict } from './step.ts';
import { defineStep } from './step.ts';

interface DeriveInput {
  readonly domain: Domain;
  readonly context: readonly FieldText[];
  readonly question: string;
  readonly answer: string;
}

interface Resolved {
  readonly passages: readonly Passage[];
  readonly breaches: readonly Breach[];
}

/** Passages with evidence at exact offsets. The answer is no source of memories, so its quotes never resolve. */
function resolvePassages(input: DeriveInput, reply: DeriveReply): Resolved {
  const sources = [...input.context, { field: 'question', speaker: 'user' as const, text: input.question }].map((field) => ({
    ...field,
    offset: 0,
  }));
  const resolved = reply.passages.map((passage, index) => {
    const path = `passages.${index}`;
    const evidence = resolveEvidence(sources, passage.evidence, `${path}.evidence`);
    const speakers = evidence.spans.map((span) => span.speaker);
    const text = passage.text.trim().replace(/\s+/g, ' ');
    return {
      passage: { title: passage.title.trim(), text, evidence: evidence.spans },
      breaches: [...evidence.breaches, ...memoryTextBreaches(text, speakers, `${path}.text`)],
    };
  });
  return { passages: resolved.map((item) => item.passage), breaches: resolved.flatMap((item) => item.breaches) };
}

function unusedTermFlags(query: string, terms: readonly string[]): readonly Flag[] {
  const unused = terms.length - usedRequestTerms(query, terms).length;
  return unused === 0 ? [] : [{ rule: 'unused_request_term', where: 'main', detail: `${unused} request terms do not stand in the query` }];
}

/** Step `derive` (SPEC §4.2): a self-contained query that gives no memory away, and passages whose every claim is quoted. */
export const derive = defineStep<DeriveInput, DeriveReply, DeriveOutput>({
  id: 'derive',
  stage: 'derivation',
  replySchema: DeriveReply,
  checkNumber: 1,
  checkFiles: [
    'stages/checks/assistant-claim.ts',
    'stages/checks/dropped.ts',
    'stages/checks/evidence.ts',
    'stages/checks/first-person.ts',
    'stages/checks/grounding.ts',
    'stages/checks/marked-tokens.ts',
    'stages/checks/memory-text.ts',
    'stages/checks/query.ts',
    'stages/checks/relative-dates.ts',
    'stages/checks/request-terms.ts',
    'stages/checks/self-contained.ts',
    'stages/derive.ts',
    'stages/fields.ts',
    'stages/settle.ts',
    'stages/text/contract.ts',
    'stages/text/words.ts',
  ],
  input: ({ candidate: { domain, row } }) => ({
    domain,
    context: rowFields(row).filter((field) => field.field.startsWith('context.')),
    question: row.question,
    answer: row.answer,
  }),
  requests: ({ domain, context, question, answer }) => {
    const payload: DerivePayload = { task: 'derive', domain, context, question, reference_answer: answer };
    return [{ partId: 'main', payload: payloadJson(payload) }];
  },
  accept: (input, replies): StepVerdict<DeriveOutput> => {
    const { reply, repaired } = mainPart(replies);
    if (reply.passages.length === 0)
      return { kind: 'rejected', reason: 'no_passages', detail: 'The row yields no memory passage.', partId: 'main' };
    const query = reply.query.trim().replace(/\s+/g, ' ');
    const { passages, breaches } = resolvePassages(input, reply);
    return settle('main', [...breaches, ...queryBreaches({ ...reply, query }, passages, input.domain)], repaired, () => ({
      output: { query, requestTerms: usedRequestTerms(query, reply.request_terms), passages, dropped: reply.dropped },
      flags: unusedTermFlags(query, reply.request_terms),
    }));
  },
  apply: (workpiece, output) => ({ ...workpiece, derive: output }),
});
