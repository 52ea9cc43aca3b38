import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { ADAPTERS } from '../../schemas/config.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { checkConfig } from '../check-config.ts';
import { nearestName } from '../nearest-name.ts';
import type { Invocation } from './catalog.ts';
import { configText } from './config-text.ts';
import type { InitAnswers } from './config-text.ts';
import { isOn, say, textOption } from './options.ts';

function parseTarget(text: string): InitAnswers['target'] {
  const [health, general, coding] = text.split(',').map((part) => Number(part.trim()));
  if (
    health === undefined ||
    general === undefined ||
    coding === undefined ||
    [health, general, coding].some((n) => !Number.isInteger(n) || n < 0)
  ) {
    throw new CliError(`--target ${text} is not three whole numbers: write health,general,coding such as 48,24,24.`, EXIT.usage);
  }
  return { health, general, coding };
}

function parseSource(text: string): { readonly adapter: string; readonly path: string } {
  const at = text.indexOf('=');
  const adapter = text.slice(0, at);
  if (at < 1 || !(ADAPTERS as readonly string[]).includes(adapter)) {
    const nearest = nearestName(at < 1 ? text : adapter, ADAPTERS);
    throw new CliError(
      `--source ${text} is not ADAPTER=PATH with a known adapter${nearest === null ? '' : ` (did you mean ${nearest}?)`}: ${ADAPTERS.join(', ')}.`,
      EXIT.usage,
    );
  }
  if (adapter === 'custom')
    throw new CliError(
      `--source ${text}: a custom source needs licence, domain and columns, which init does not ask for. Type \`memcalib init\` without it and add the entry to sources in memcalib.config.ts.`,
      EXIT.usage,
    );
  return { adapter, path: text.slice(at + 1) };
}

function fromFlags(invocation: Invocation): InitAnswers {
  const sources = invocation.options['source'];
  return {
    provider: textOption(invocation, 'provider') ?? null,
    apiKeyEnv: textOption(invocation, 'apiKeyEnv') ?? null,
    builder: textOption(invocation, 'builder') ?? null,
    reviewerA: textOption(invocation, 'reviewerA') ?? null,
    reviewerB: textOption(invocation, 'reviewerB') ?? null,
    sources: Array.isArray(sources) ? sources.map(String).map(parseSource) : [],
    target: parseTarget(textOption(invocation, 'target') ?? '24,12,12'),
  };
}

async function ask(flags: InitAnswers): Promise<InitAnswers> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const question = async (text: string, otherwise: string | null): Promise<string | null> => {
    const answer = (await prompt.question(`${text}${otherwise === null ? '' : ` [${otherwise}]`}: `)).trim();
    return answer === '' ? otherwise : answer;
  };
  try {
    const provider = await question('Base URL of an OpenAI-compatible endpoint (empty: the rehearsal model)', flags.provider);
    const named = provider !== null;
    const apiKeyEnv = named ? await question('Environment variable that holds the key (empty: none needed)', flags.apiKeyEnv) : null;
    const builder = named ? await question('Model that builds', flags.builder) : null;
    const reviewerA = named ? await question('First reviewer model', flags.reviewerA ?? builder) : null;
    const reviewerB = named ? await question('Second reviewer model, of another family', flags.reviewerB ?? builder) : null;
    const source = flags.sources.length > 0 ? null : await question('A source as ADAPTER=PATH (empty: the demo rows)', null);
    const target = await question(
      'Accepted examples wanted: health,general,coding',
      `${flags.target.health},${flags.target.general},${flags.target.coding}`,
    );
    return {
      provider,
      apiKeyEnv,
      builder,
      reviewerA,
      reviewerB,
      sources: source === null ? flags.sources : [parseSource(source)],
      target: parseTarget(target ?? '24,12,12'),
    };
  } finally {
    prompt.close();
  }
}

/** `memcalib init`: writes a commented config; never spends. */
export async function runInit(invocation: Invocation): Promise<number> {
  const file = join(process.cwd(), 'memcalib.config.ts');
  if (existsSync(file) && !isOn(invocation, 'force'))
    throw new CliError(`${file} exists. Type \`memcalib init --force\` to write it anew.`, EXIT.usage);
  const flags = fromFlags(invocation);
  const answers = isOn(invocation, 'yes') || !process.stdin.isTTY ? flags : await ask(flags);
  if (answers.provider !== null && (answers.builder === null || answers.reviewerA === null || answers.reviewerB === null)) {
    throw new CliError('With --provider also name --builder, --reviewer-a and --reviewer-b.', EXIT.usage);
  }
  const { text, value } = configText(answers);
  checkConfig(value, file);
  writeFileSync(file, text);
  const total = answers.target.health + answers.target.general + answers.target.coding;
  say(`Wrote ${file}. Nothing was spent.`);
  say(
    answers.provider === null
      ? `\`memcalib build\` would rehearse ${total} examples with the rehearsal model, free of charge.`
      : `\`memcalib build\` would ask ${answers.provider} for ${total} examples, about 25,000 tokens in and 4,000 out for each accepted one, and about 1,700 in for each row refused at screening. Type \`memcalib doctor --endpoints\` first.`,
  );
  return EXIT.ok;
}
