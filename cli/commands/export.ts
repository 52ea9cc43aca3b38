import { join, resolve } from 'node:path';
import { EXIT } from '../cli-error.ts';
import { query } from '../project.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, labelOf, sayJson } from './options.ts';
import { tell } from './told-commands.ts';

/** `memcalib export [FOLDER]`: writes the dataset, checked before it is put in place. */
export async function runExport(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const label = labelOf(invocation);
  const given = invocation.positional[0];
  const folder = given === undefined ? join(loaded.projectFolder, 'exports', label) : resolve(given);
  const report = await query(loaded, 'export', {
    label,
    folder,
    allowUnknownLicence: isOn(invocation, 'allowUnknownLicence'),
    partial: isOn(invocation, 'partial'),
    allowMixed: isOn(invocation, 'allowMixed'),
  });
  if (isOn(invocation, 'json')) {
    sayJson(report);
    return EXIT.ok;
  }
  const domains = Object.entries(report.domains)
    .map(([domain, n]) => `${domain} ${n}`)
    .join(', ');
  tell(
    invocation,
    `Exported ${report.train + report.test} examples (${report.train} train, ${report.test} test; ${domains}) and ${report.rejected} rejections to ${report.folder}, checked against every invariant.`,
  );
  if (report.mixed.length > 0) {
    const parts = report.mixed.map(({ pipelineHash, examples }) => `${examples} by ${pipelineHash.slice(0, 8)}`).join(', ');
    tell(invocation, `Examples of several pipelines are mixed (${parts}); the card and the manifest say so.`);
  }
  if (report.rehearsal) tell(invocation, 'This is a rehearsal: the card says so, and nobody should take it for data.');
  tell(invocation, `next: memcalib validate ${report.folder}   (look at one: memcalib show ID --hidden)`);
  return EXIT.ok;
}
