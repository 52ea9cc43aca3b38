import { DOMAINS, LEVELS, ACTIONS } from '../schemas/levels.ts';
import type { Role, StepId } from '../schemas/steps.ts';
import { cardFrontMatter } from './card-front-matter.ts';
import type { ExportCounts } from './export-counts.ts';

/** One source dataset as the card names it. */
export interface CardSource {
  readonly dataset: string;
  readonly revision: string;
  /** SPDX identifiers of its rows that were used, or `unknown`. */
  readonly licences: readonly string[];
  /** What a user must do to honour the licence, in one sentence; empty when nothing is asked. */
  readonly attributionRule: string;
}

/** Examples of one pipeline in an export of several; `differs` names the steps whose version is another than the export's own. */
export interface MixedPart {
  readonly pipelineHash: string;
  readonly examples: number;
  /** Null where nobody kept what its steps were. */
  readonly differs: readonly StepId[] | null;
}

/** Everything a card says: facts of the run that are equal for equal inputs; no time, cost, attempt or reserve figures. */
export interface CardFacts {
  readonly name: string;
  /** True when the rehearsal model built the examples. */
  readonly rehearsal: boolean;
  readonly allowUnknownLicence: boolean;
  readonly counts: ExportCounts;
  readonly sources: readonly CardSource[];
  readonly models: Readonly<Record<Role, { readonly provider: string; readonly model: string }>>;
  /** Step versions: what is sent besides the inputs, hashed (DESIGN §5). */
  readonly stepVersions: readonly { readonly step: StepId; readonly version: string }[];
  readonly pipelineHash: string;
  /** The pipelines of an export that mixes several, its own first; empty: all examples are of one. */
  readonly mixed?: readonly MixedPart[];
  readonly seed: string;
  readonly codeVersion: string;
}

/** A card that must not be written. */
export class CardError extends Error {
  override readonly name = 'CardError';
  readonly code = 'unknown_licence';
}

function cell(value: string | number): string {
  return String(value).replaceAll('|', '\\|').replace(/\s+/g, ' ');
}

function tableLine(cells: readonly (string | number)[]): string {
  return `| ${cells.map(cell).join(' | ')} |`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [tableLine(head), tableLine(head.map(() => '---')), ...rows.map(tableLine)].join('\n');
}

/** Datasets whose rows stand in the export and whose licence nobody knows. */
export function unknownLicences(facts: Pick<CardFacts, 'sources'>): readonly string[] {
  return facts.sources.filter(({ licences }) => licences.includes('unknown')).map(({ dataset }) => dataset);
}

function isMixed(facts: CardFacts): facts is CardFacts & Required<Pick<CardFacts, 'mixed'>> {
  return facts.mixed !== undefined && facts.mixed.length > 0;
}

function warnings(facts: CardFacts): string {
  const unknown = unknownLicences(facts);
  const lines: string[] = [];
  if (facts.rehearsal)
    lines.push(
      `> **This is a rehearsal, not data.** Its examples were made by the rehearsal model \`${facts.models.builder.model}\`, which cuts and pastes; they test the pipeline and say nothing about memory use. Do not train on them, evaluate with them or publish them.`,
    );
  if (unknown.length > 0)
    lines.push(
      `> **Licence unknown** for rows of ${unknown.join(', ')}. This export was made with \`--allow-unknown-licence\`: check your right to use these rows before you share anything made from them.`,
    );
  if (isMixed(facts))
    lines.push(
      `> **Examples of ${facts.mixed.length} pipelines are mixed.** This export was made with \`--allow-mixed\` while the data was being built anew: its examples were not all made by the same prompts, models and checks. \`pipeline_hash\` says of each which ones made it; see "How it was built".`,
    );
  return lines.join('\n>\n');
}

function contents({ counts }: CardFacts): string {
  const { byLevel, byAction, byDomain, byDomainAndLevel, bySource, records } = counts;
  const rows = DOMAINS.filter((domain) => byDomain[domain] !== undefined).map((domain) => [
    domain,
    byDomain[domain] ?? 0,
    ...LEVELS.map((level) => byDomainAndLevel[`${domain} ${level}`] ?? 0),
  ]);
  const total = ['all', records.train + records.test, ...LEVELS.map((level) => byLevel[level])];
  return [
    '## What it holds',
    `${records.train} train and ${records.test} test examples with ${counts.blocks} memory blocks and ${counts.atoms} atoms. \`train.jsonl\` and \`test.jsonl\` share no source row, group or query, exact or near.`,
    table(['domain', 'examples', 'A (Ignore)', 'B (Bound)', 'C (Control)'], [...rows, total]),
    table(
      ['action', 'atoms'],
      ACTIONS.map((action) => [action, byAction[action]]),
    ),
    table(['source', 'examples'], Object.entries(bySource)),
    '`provenance.jsonl` says per example where it comes from and which calls made it (ledger keys); `rejected.jsonl` names what was left out and why, without any row text; `manifest.json` holds the SHA-256 of every file.',
  ].join('\n\n');
}

function licences({ sources, counts }: CardFacts): string {
  return [
    '## Licences',
    'Each record carries the licence and attribution of its row in `source_license` and `attribution`; they hold for the example made from it.',
    table(
      ['source', 'revision', 'licence', 'examples', 'attribution'],
      sources.map((source) => [
        source.dataset,
        source.revision,
        source.licences.join(', ') || 'unknown',
        counts.bySource[source.dataset] ?? 0,
        source.attributionRule || 'none asked',
      ]),
    ),
  ].join('\n\n');
}

function mixture(mixed: readonly MixedPart[]): string {
  const rows = mixed.map(({ pipelineHash, examples, differs }) => [
    pipelineHash,
    examples,
    differs === null ? 'not kept' : differs.join(', ') || 'none',
  ]);
  return [
    'The table above is of the first of these pipelines.',
    table(['pipeline hash', 'examples', 'steps of another version'], rows),
  ].join('\n\n');
}

function making(facts: CardFacts): string {
  return [
    '## How it was built',
    'Six stages with deterministic checks between them: screening, derivation, atomization, distractors and rubrics, naturalization, quality assurance by two reviewers who see neither provenance nor each other.',
    table(
      ['role', 'provider', 'model'],
      Object.entries(facts.models).map(([role, { provider, model }]) => [role, provider, model]),
    ),
    table(
      ['step', 'version (prompt, schema, model, sampling, checks)'],
      facts.stepVersions.map(({ step, version }) => [step, version]),
    ),
    ...(isMixed(facts) ? [mixture(facts.mixed)] : []),
    `Pipeline hash \`${facts.pipelineHash}\`, seed \`${facts.seed}\`, MemCalib ${facts.codeVersion}.`,
  ].join('\n\n');
}

function rejections({ counts }: CardFacts): string {
  const rows = Object.entries(counts.byRejection).map(([key, count]) => [...key.split('\t'), count]);
  const text = rows.length === 0 ? 'Nothing was rejected.' : table(['step', 'reason', 'rows'], rows);
  return `## What was left out\n\n${counts.rejected} rows and candidates were rejected; each stands in \`rejected.jsonl\`.\n\n${text}`;
}

const WHAT_IT_IS = [
  'Each example is a query, memory blocks that a model sees, and hidden atoms: single propositions about the user, each with the strength of use the query justifies (A Ignore, B Bound, C Control), the action it asks for (ignore, apply, correct) and a rubric that tells the three levels apart in an answer.',
  '```\n{id, domain, question,\n memory_blocks: [{parent_memory_id, memory_text, atomic_concat_text, atom_ids}],\n memories: [{atom_id, parent_memory_id, text, u_star, memory_action, usage_rubric}],\n source_dataset, source_id, source_revision, source_license, attribution, group_key, pipeline_hash, split}\n```',
].join('\n\n');

const LIMITATIONS = [
  '## Limitations',
  '- Queries, memories, levels and rubrics were written by language models from public rows and checked by code and by other models; a level is a judgement, and some are wrong.',
  '- Levels say how strongly a memory should bear on this query, not whether it is true. Memories can be false, stale or unsafe on purpose (`correct`).',
  '- English only. Health rows are no medical advice.',
  '- Distractors are invented; what they say about people, places and products is fiction.',
].join('\n');

/** The data set card (README.md) of an export. Refuses rows of unknown licence unless that was allowed; then the card says so. */
export function renderCard(facts: CardFacts): string {
  const unknown = unknownLicences(facts);
  if (unknown.length > 0 && !facts.allowUnknownLicence)
    throw new CardError(
      `The licence of ${unknown.join(', ')} is unknown, so nothing was exported. Set \`licence\` on the source in memcalib.config.ts, or type: memcalib export --allow-unknown-licence`,
    );
  const parts = [
    `# ${facts.name}`,
    warnings(facts),
    WHAT_IT_IS,
    contents(facts),
    licences(facts),
    making(facts),
    rejections(facts),
    LIMITATIONS,
  ];
  return `${cardFrontMatter(facts.name, facts.rehearsal, facts.counts)}\n${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
