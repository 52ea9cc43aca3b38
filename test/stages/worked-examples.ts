import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Candidate } from '../../schemas/candidate.ts';
import type { Action, AtomKind, Domain, Level } from '../../schemas/levels.ts';
import type { UsageRubric } from '../../schemas/record.ts';
import type { AtomizeReply } from '../../schemas/replies/atomize.ts';
import type { DeriveReply } from '../../schemas/replies/derive.ts';
import { SCREEN_DIMENSIONS } from '../../schemas/replies/screen.ts';
import type { ScreenReply } from '../../schemas/replies/screen.ts';
import type { ContextTurn } from '../../schemas/source-row.ts';
import { resolveQuote } from '../../stages/checks/grounding.ts';

interface WorkedExample {
  readonly steps: {
    readonly source_row: {
      readonly context: string;
      readonly question: string;
      readonly reference_answer: string;
      readonly source_id: string;
    };
    readonly screen: {
      readonly dimensions: Readonly<Record<string, { readonly verdict: 'pass'; readonly quote: string; readonly reason: string }>>;
    };
    readonly derive: {
      readonly query: string;
      readonly request_terms: readonly string[];
      readonly passages: readonly { readonly title: string; readonly text: string; readonly atoms: readonly string[] }[];
      readonly dropped: readonly { readonly text: string; readonly reason: string }[];
    };
    readonly atomize: {
      readonly atoms: readonly {
        readonly key: string;
        readonly atom_id: string;
        readonly text: string;
        readonly evidence: readonly { readonly field: string; readonly quote: string }[];
        readonly u_star: Level;
        readonly memory_action: Action;
        readonly kind: AtomKind;
        readonly reason: string;
      }[];
    };
  };
  readonly record: {
    readonly id: string;
    readonly domain: Domain;
    readonly question: string;
    readonly memory_blocks: readonly {
      readonly parent_memory_id: string;
      readonly memory_text: string;
      readonly atom_ids: readonly string[];
    }[];
    readonly memories: readonly {
      readonly atom_id: string;
      readonly text: string;
      readonly u_star: Level;
      readonly memory_action: Action;
      readonly usage_rubric: UsageRubric;
    }[];
  };
}

const SHARED = process.env['MEMCALIB_SHARED'] ?? resolve(import.meta.dirname, '../../../shared');
const FILE = join(SHARED, 'examples', 'worked-examples.json');

/** Why tests on the worked examples are skipped; null when the file is there. */
export const noExamples: string | null = existsSync(FILE) ? null : `no ${FILE}: set MEMCALIB_SHARED to the shared folder`;

/** The six finished examples of ../shared, or none when it is absent. */
export function workedExamples(): readonly WorkedExample[] {
  if (noExamples !== null) return [];
  return (JSON.parse(readFileSync(FILE, 'utf8')) as { readonly examples: readonly WorkedExample[] }).examples;
}

/** Context turns of an example: dialogues are written there as one text with "User:" and "Assistant:". */
export function contextOf(example: WorkedExample): readonly ContextTurn[] {
  const { context } = example.steps.source_row;
  if (context.trim() === '') return [];
  const turns = context.split(/^(?=(?:User|Assistant): )/m).map((text): ContextTurn => {
    const [, speaker = 'User', rest = text] = /^(User|Assistant): ([\s\S]*)$/.exec(text) ?? [];
    return { speaker: speaker === 'Assistant' ? 'assistant' : 'user', text: rest.trim() };
  });
  return turns;
}

/** The candidate an example was made from. */
export function candidateOf(example: WorkedExample): Candidate {
  const { question, reference_answer: answer, source_id: sourceId } = example.steps.source_row;
  return {
    id: '0123456789abcdef',
    domain: example.record.domain,
    position: 0,
    stratum: 'worked',
    measures: { qualityScore: 80, topic: 'worked', complexity: 'medium', signalFamilies: [] },
    row: {
      source: 'worked',
      sourceDataset: 'worked',
      sourceId,
      sourceRevision: 'worked',
      sourceLicense: 'unknown',
      attribution: '',
      groupKey: sourceId,
      domain: example.record.domain,
      question,
      context: [...contextOf(example)],
      answer,
      origin: { file: 'worked-examples.json', row: 1 },
      metadata: {},
    },
  };
}

function fieldOf(
  example: WorkedExample,
  quote: { readonly field: string; readonly quote: string },
): { readonly field: string; readonly quote: string } {
  if (quote.field !== 'context') return { field: quote.field, quote: quote.quote };
  const turn = contextOf(example).findIndex((item) => resolveQuote(item.text, quote.quote) !== null);
  return { field: `context.${turn + 1}`, quote: quote.quote };
}

/** The screening reply of an example in the present reply shape. */
export function screenReplyOf(example: WorkedExample): ScreenReply {
  const dimensions = example.steps.screen.dimensions;
  return Object.fromEntries(
    SCREEN_DIMENSIONS.map((name) => {
      const { verdict = 'pass', quote = '', reason = '' } = dimensions[name] ?? {};
      return [name, { verdict, evidence: { field: 'question', quote }, reason }];
    }),
  ) as unknown as ScreenReply;
}

/** The derivation reply of an example; passages carry the evidence of their atoms. */
export function deriveReplyOf(example: WorkedExample): DeriveReply {
  const { query, request_terms, passages, dropped } = example.steps.derive;
  const evidenceOf = (key: string): readonly { readonly field: string; readonly quote: string }[] =>
    (example.steps.atomize.atoms.find((atom) => atom.key === key)?.evidence ?? []).map((quote) => fieldOf(example, quote));
  return {
    query,
    request_terms: [...request_terms],
    passages: passages.map(({ title, text, atoms }) => ({ title, text, evidence: atoms.flatMap(evidenceOf) })),
    dropped: [...dropped],
  };
}

/** The atomization reply of an example; `without` and `with` did not exist when it was made. */
export function atomizeReplyOf(example: WorkedExample): AtomizeReply {
  return {
    atoms: example.steps.atomize.atoms.map((atom) => ({
      passage: example.steps.derive.passages.findIndex((passage) => passage.atoms.includes(atom.key)) + 1,
      text: atom.text,
      evidence: atom.evidence.map((quote) => fieldOf(example, quote)),
      without: 'as before',
      with: atom.reason,
      level: atom.u_star,
      action: atom.memory_action,
      kind: atom.kind,
      reason: atom.reason,
    })),
    dropped: [],
  };
}
