import type { DomainShortfall } from '../queries/shortfall.ts';
import { table } from './table.ts';

/** Strata shown of one domain; `--json` has all. */
const SHOWN = 12;

/** Why a build ended dry: what is missing, by domain and stratum, and what to do. */
export function shortfallText(short: readonly DomainShortfall[]): string {
  if (short.length === 0) return 'The sources ran dry. Add sources or lower the target; what is there is a valid dataset.';
  const tables = short.map(({ domain, kept, target, missing, strata }) => {
    const rest = strata.length - SHOWN;
    return [
      `${domain}: ${kept} of ${target}, ${missing} missing; strata below their share:`,
      table(
        ['stratum', 'share of target', 'kept', 'missing'],
        strata.slice(0, SHOWN).map((item) => [item.stratum, item.wanted, item.kept, item.missing]),
      ),
      ...(rest > 0 ? [`and ${rest} more (all with --json)`] : []),
    ].join('\n');
  });
  const sums = short.map(({ domain, kept, target }) => `${domain} ${kept} of ${target}`).join(', ');
  return `${tables.join('\n')}\nThe sources ran dry: ${sums}. Add sources or lower the target (\`memcalib sources report\` names the lever); what is there is a valid dataset.`;
}
