import { z } from 'zod';
import { Domain } from './levels.ts';
import { ROLES } from './steps.ts';

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'letters, digits, dot, dash and underscore only');

export const ADAPTERS = [
  'meddialog',
  'healthcaremagic',
  'icliniq',
  'ultrachat',
  'oasst1',
  'oasst2',
  'magicoder',
  'apps',
  'stackexchange',
  'custom',
] as const;

/** One source dataset. Exactly one of `path` and `hub` says where its rows lie. */
export const SourceConfig = z.strictObject({
  name,
  adapter: z.enum(ADAPTERS),
  /** File, folder or list of either (JSONL, JSON, CSV, Parquet), relative to the config file. */
  path: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  /** A dataset of the hub, read after `memcalib sources pull`. `revision`: branch, tag or commit; `include`: patterns of its files. */
  hub: z
    .strictObject({
      repo: z.string().regex(/^[\w.-]+(?:\/[\w.-]+)?$/, 'owner/name of a dataset'),
      revision: z.string().min(1).optional(),
      include: z.array(z.string()).optional(),
    })
    .optional(),
  /** SPDX identifier, or `unknown` (then exports need --allow-unknown-licence). Default: what the licence table says of the adapter. */
  licence: z.string().optional(),
  attribution: z.string().optional(),
  revision: z.string().default('local'),
  /** Accepted examples wanted of this source; default: equal share of the domain. */
  quota: z.int().nonnegative().optional(),
  /** Stack Exchange: the site of the rows (`ai`, `stackoverflow`); default from the metadata urls. */
  site: z.string().optional(),
  split: z.string().default('train'),
  domain: Domain.optional(),
  /** `custom` only: column names. */
  columns: z
    .strictObject({
      id: z.string().optional(),
      question: z.string(),
      answer: z.string(),
      context: z.string().optional(),
      group: z.string().optional(),
    })
    .optional(),
});
export type SourceConfig = z.infer<typeof SourceConfig>;

/** An OpenAI-compatible endpoint. The key is read from the environment variable named here, never written anywhere. */
export const ProviderConfig = z.strictObject({
  baseUrl: z.url(),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/)
    .optional(),
  concurrency: z.int().positive().default(16),
  /** Calls in flight to begin with, when the endpoint is known to take them; default: a few, then more as replies come. */
  startConcurrency: z.int().positive().optional(),
  requestsPerMinute: z.int().positive().optional(),
  tokensPerMinute: z.int().positive().optional(),
  requestsPerDay: z.int().positive().optional(),
  timeoutSeconds: z.number().positive().default(600),
  /** `auto` probes json_schema, then json_object, then text. */
  structuredOutput: z.enum(['auto', 'json_schema', 'json_object', 'text']).default('auto'),
  /** Bounds sent with a JSON Schema: `strict` list lengths only, `keep` text lengths too (grammar engines such as llama.cpp), `strip` none. */
  schemaBounds: z.enum(['strict', 'keep', 'strip']).default('strict'),
});
export type ProviderConfig = z.infer<typeof ProviderConfig>;

export const ModelConfig = z.strictObject({
  provider: name,
  model: z.string().min(1),
  temperature: z.number().min(0).max(2).default(0),
  topP: z.number().positive().max(1).optional(),
  seed: z.int().optional(),
  /** Vendor fields at the top level of the request body, e.g. { enable_thinking: false }. */
  extra: z.record(z.string(), z.json()).optional(),
  /** Multiplies the token caps of prompts for models that need more room. */
  maxTokensFactor: z.number().positive().max(16).default(1),
  /**
   * How the calls travel: one by one (`online`), by the provider's batch API (`batch`), or as files that somebody answers (`file`).
   * Operational: it is in no ledger key and no step version, so what one mode paid for serves the others.
   */
  mode: z.enum(['online', 'batch', 'file']).default('online'),
  /** Of `batch` and `file` only. */
  batch: z
    .strictObject({
      /** `file`: where requests are written and results are read, relative to the config file. Default: `batches` in the project folder. */
      folder: z.string().min(1).optional(),
      /** How often a batch that is out is looked at. */
      pollSeconds: z.number().min(1).max(3600).default(60),
      /** Requests of one batch at most. */
      maxRequests: z.int().min(1).max(50_000).default(10_000),
    })
    .prefault({}),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

export const PriceConfig = z.strictObject({
  inputPerMillionUsd: z.number().nonnegative(),
  cachedInputPerMillionUsd: z.number().nonnegative().optional(),
  outputPerMillionUsd: z.number().nonnegative(),
  batchDiscount: z.number().min(0).max(1).default(0.5),
});

/** Where sources of the hub are pulled from; a mirror speaks the same routes. */
export const HubConfig = z.strictObject({
  url: z.url().default('https://huggingface.co'),
  /** Environment variable that holds the access token; only gated and private datasets need one. */
  tokenEnv: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/)
    .default('HF_TOKEN'),
  /** Files pulled at once. */
  parallel: z.int().min(1).max(16).default(4),
});
export type HubConfig = z.infer<typeof HubConfig>;

/** `memcalib.config.ts`, as written; defaults are filled on load. */
export const Config = z.strictObject({
  name,
  seed: z.string().min(1).default('memcalib-1'),
  /** Folder of all a run makes, relative to the config file. */
  projectDir: z.string().default('.memcalib'),
  target: z.strictObject({ health: z.int().nonnegative(), general: z.int().nonnegative(), coding: z.int().nonnegative() }),
  sources: z.array(SourceConfig).min(1),
  hub: HubConfig.prefault({}),
  /** Absent: the rehearsal model is started and used. */
  providers: z.record(name, ProviderConfig).optional(),
  models: z
    .strictObject({
      ...(Object.fromEntries(ROLES.map((role) => [role, ModelConfig])) as Record<(typeof ROLES)[number], typeof ModelConfig>),
      /** Judges answers (`memcalib judge`); absent: the builder's model does. */
      judge: ModelConfig.refine(({ mode }) => mode === 'online', 'the judge is asked call by call: leave mode out').optional(),
    })
    .optional(),
  prices: z.record(z.string(), PriceConfig).optional(),
  promptsDir: z.string().optional(),
  screening: z
    .strictObject({
      nearDuplicateJaccard: z.number().min(0.5).max(1).default(0.8),
      minQualityScore: z.int().min(0).max(100).default(60),
      identifiers: z.enum(['mask', 'reject']).default('mask'),
    })
    .prefault({}),
  construction: z
    .strictObject({
      chunkSize: z.int().min(1).max(1000).default(100),
      /** Chunks in flight per domain. */
      window: z.int().min(1).max(64).default(4),
    })
    .prefault({}),
  budget: z
    .strictObject({
      perCallUsd: z.number().positive().optional(),
      perStepUsd: z.number().positive().optional(),
      perRunUsd: z.number().positive().optional(),
      perDayUsd: z.number().positive().optional(),
    })
    .prefault({}),
  /** Share of test examples in an export. */
  testShare: z.number().positive().max(0.5).default(0.1),
  reviewPort: z.int().min(0).max(65535).default(0),
});
export type Config = z.infer<typeof Config>;
export type ConfigInput = z.input<typeof Config>;
