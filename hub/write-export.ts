import { join } from 'node:path';
import type { z } from 'zod';
import type { JsonObject } from '../schemas/json.ts';
import { type HashedFile, type Manifest } from '../schemas/manifest.ts';
import { ExampleRecord, ProvenanceLine, RejectedLine } from '../schemas/record.ts';
import { ExportCounter, type ExportCounts } from '../stages/export-counts.ts';
import type { NearQueryIndex } from '../stages/invariants/near-query.ts';
import type { Split, ValidationReport } from '../stages/validate-dataset.ts';
import { ExportError, exportErrorOf } from './export-error.ts';
import { writeTexts } from './jsonl.ts';
import { validateFolder } from './read-export.ts';
import { replaceFolder } from './swap-folder.ts';

type Stream<Item> = AsyncIterable<Item> | Iterable<Item>;

/** What goes into an export. The streams are read once, in the order train, test, provenance, rejected. */
export interface ExportParts {
  readonly name: string;
  readonly seed: string;
  readonly pipelineHash: string;
  /** The pipelines of an export that mixes several, with the examples of each. */
  readonly mixed?: NonNullable<Manifest['mixed']>;
  readonly rehearsal: boolean;
  readonly train: Stream<ExampleRecord>;
  readonly test: Stream<ExampleRecord>;
  readonly provenance: Stream<ProvenanceLine>;
  readonly rejected: Stream<RejectedLine>;
  /** Makes README.md from what was counted while writing; see `renderCard`. */
  readonly card: (counts: ExportCounts) => string;
  /** Times, cost and reserve: `run.json`, outside the hashes. */
  readonly run: JsonObject;
  readonly newNearQueryIndex?: () => NearQueryIndex;
}

export interface ExportSummary {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly counts: ExportCounts;
}

/** An export that breaks an invariant: it was not put in place. The report names every record and rule. */
export class InvalidExportError extends ExportError {
  readonly report: ValidationReport;

  constructor(folder: string, report: ValidationReport) {
    const [first] = report.violations;
    const total = [...report.countsByRule.values()].reduce((a, b) => a + b, 0);
    super(
      'invalid',
      `${folder} was not written: ${total} rules are broken, the first by ${first?.record ?? 'the dataset'} (${first?.rule ?? ''}: ${first?.detail ?? ''}). An earlier export there is untouched; type \`memcalib show ${first?.record ?? 'ID'}\` to look at it.`,
    );
    this.report = report;
  }
}

/** One line of JSONL with the fields in the order of the schema, whatever the order they came in. */
async function* jsonLines<Item>(items: Stream<Item>, schema: z.ZodType<Item>, seen: (item: Item) => void): AsyncGenerator<string> {
  for await (const item of items) {
    const ordered = schema.safeParse(item);
    seen(item);
    yield `${JSON.stringify(ordered.success ? ordered.data : item)}\n`;
  }
}

async function writeHashedFiles(
  folder: string,
  parts: ExportParts,
): Promise<{ readonly files: Readonly<Record<HashedFile, string>>; readonly counts: ExportCounts; readonly provenance: number }> {
  const counter = new ExportCounter();
  let provenance = 0;
  const records = (split: Split): Promise<string> =>
    writeTexts(
      join(folder, `${split}.jsonl`),
      jsonLines(parts[split], ExampleRecord, (record) => counter.addRecord(split, record)),
    );
  const train = await records('train');
  const test = await records('test');
  const provenanceHash = await writeTexts(
    join(folder, 'provenance.jsonl'),
    jsonLines(parts.provenance, ProvenanceLine, () => (provenance += 1)),
  );
  const rejected = await writeTexts(
    join(folder, 'rejected.jsonl'),
    jsonLines(parts.rejected, RejectedLine, (line) => counter.addRejected(line)),
  );
  const counts = counter.counts();
  const card = await writeTexts(join(folder, 'README.md'), [parts.card(counts)]);
  const files = {
    'train.jsonl': train,
    'test.jsonl': test,
    'provenance.jsonl': provenanceHash,
    'rejected.jsonl': rejected,
    'README.md': card,
  };
  return { files, counts, provenance };
}

async function fillFolder(partial: string, folder: string, parts: ExportParts): Promise<ExportSummary> {
  const { files, counts, provenance } = await writeHashedFiles(partial, parts);
  const { records, rejected, atoms, blocks } = counts;
  const manifest: Manifest = {
    format: 'memcalib-export-1',
    name: parts.name,
    pipeline_hash: parts.pipelineHash,
    ...(parts.mixed !== undefined && { mixed: parts.mixed }),
    seed: parts.seed,
    rehearsal: parts.rehearsal,
    counts: { train: records.train, test: records.test, provenance, rejected, atoms, blocks },
    files,
  };
  await writeTexts(join(partial, 'manifest.json'), [`${JSON.stringify(manifest, null, 2)}\n`]);
  await writeTexts(join(partial, 'run.json'), [`${JSON.stringify(parts.run, null, 2)}\n`]);
  const report = await validateFolder(partial, {
    mode: 'release',
    ...(parts.newNearQueryIndex === undefined ? {} : { newNearQueryIndex: parts.newNearQueryIndex }),
  });
  if (!report.ok) throw new InvalidExportError(folder, report);
  return { folder, manifest, counts };
}

/**
 * Writes an export: streamed into a folder beside the target, read back from disk and held against every invariant, and only then
 * put in place by rename. Equal parts give byte-equal files (`run.json` apart). Fails with ExportError, CardError or what a stream throws.
 */
export async function writeExport(folder: string, parts: ExportParts): Promise<ExportSummary> {
  try {
    return await replaceFolder(folder, (partial) => fillFolder(partial, folder, parts));
  } catch (error) {
    throw exportErrorOf(error, folder);
  }
}
