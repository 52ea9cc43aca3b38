/**
 * What a config field may change. `semantic`: candidates, replies, what is accepted, or the exported rows. `operational`: only how, when
 * and at what price the same work is done. `cosmetic`: a name that is shown.
 */
export const FIELD_CLASSES = ['semantic', 'operational', 'cosmetic'] as const;
export type FieldClass = (typeof FIELD_CLASSES)[number];

/** What is decided anew when a field changes: `order` candidates and their order, `step` step versions, `fold` what is accepted, `export` the written rows. */
export type Decides = 'order' | 'step' | 'fold' | 'export' | 'nothing';

interface FieldRule {
  readonly class: FieldClass;
  readonly decides: Decides;
}

const ORDER = { class: 'semantic', decides: 'order' } as const;
const STEP = { class: 'semantic', decides: 'step' } as const;
const FOLD = { class: 'semantic', decides: 'fold' } as const;
const EXPORT = { class: 'semantic', decides: 'export' } as const;
const OPERATIONAL = { class: 'operational', decides: 'nothing' } as const;
const COSMETIC = { class: 'cosmetic', decides: 'nothing' } as const;

/**
 * Every field of the config by its path (`*` stands for list items and for names a user chooses). A field without a line fails a test.
 * `path` and `promptsDir` are operational because only the content they lead to is hashed; `baseUrl` because a provider is known by its name.
 */
export const CONFIG_FIELDS: Readonly<Record<string, FieldRule>> = {
  name: COSMETIC,
  // Draws of candidates and of plans: the order id and the pipeline hash both hold it.
  seed: ORDER,
  projectDir: OPERATIONAL,
  'target.health': FOLD,
  'target.general': FOLD,
  'target.coding': FOLD,
  'sources.*.name': ORDER,
  'sources.*.adapter': ORDER,
  'sources.*.path': OPERATIONAL,
  'sources.*.path.*': OPERATIONAL,
  'sources.*.hub.repo': ORDER,
  'sources.*.hub.revision': ORDER,
  'sources.*.hub.include.*': ORDER,
  'sources.*.licence': ORDER,
  'sources.*.attribution': ORDER,
  'sources.*.revision': ORDER,
  'sources.*.quota': FOLD,
  'sources.*.site': ORDER,
  'sources.*.split': ORDER,
  'sources.*.domain': ORDER,
  'sources.*.columns.id': ORDER,
  'sources.*.columns.question': ORDER,
  'sources.*.columns.answer': ORDER,
  'sources.*.columns.context': ORDER,
  'sources.*.columns.group': ORDER,
  'providers.*.baseUrl': OPERATIONAL,
  'providers.*.apiKeyEnv': OPERATIONAL,
  'providers.*.concurrency': OPERATIONAL,
  'providers.*.startConcurrency': OPERATIONAL,
  'providers.*.requestsPerMinute': OPERATIONAL,
  'providers.*.tokensPerMinute': OPERATIONAL,
  'providers.*.requestsPerDay': OPERATIONAL,
  'providers.*.timeoutSeconds': OPERATIONAL,
  'providers.*.structuredOutput': STEP,
  'providers.*.schemaBounds': STEP,
  'models.*.provider': STEP,
  'models.*.model': STEP,
  'models.*.temperature': STEP,
  'models.*.topP': STEP,
  'models.*.seed': STEP,
  'models.*.extra.*': STEP,
  'models.*.maxTokensFactor': OPERATIONAL,
  'models.*.mode': OPERATIONAL,
  'models.*.batch.folder': OPERATIONAL,
  'models.*.batch.pollSeconds': OPERATIONAL,
  'models.*.batch.maxRequests': OPERATIONAL,
  'prices.*.inputPerMillionUsd': OPERATIONAL,
  'prices.*.cachedInputPerMillionUsd': OPERATIONAL,
  'prices.*.outputPerMillionUsd': OPERATIONAL,
  'prices.*.batchDiscount': OPERATIONAL,
  'hub.url': OPERATIONAL,
  'hub.tokenEnv': OPERATIONAL,
  'hub.parallel': OPERATIONAL,
  promptsDir: OPERATIONAL,
  'screening.nearDuplicateJaccard': ORDER,
  'screening.minQualityScore': ORDER,
  'screening.identifiers': ORDER,
  'construction.chunkSize': OPERATIONAL,
  'construction.window': OPERATIONAL,
  'budget.perCallUsd': OPERATIONAL,
  'budget.perStepUsd': OPERATIONAL,
  'budget.perRunUsd': OPERATIONAL,
  'budget.perDayUsd': OPERATIONAL,
  testShare: EXPORT,
  reviewPort: OPERATIONAL,
};
