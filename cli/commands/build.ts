import { attachOrStart } from '../attach.ts';
import { EXIT } from '../cli-error.ts';
import type { BuildState } from '../owner/builds.ts';
import { readPrompts } from '../prompt-files.ts';
import type { Invocation } from './catalog.ts';
import { followBuild } from './follow-build.ts';
import { configOf, isOn, labelOf } from './options.ts';
import { tell } from './told-commands.ts';

/** `memcalib build`: starts a build, or attaches to the one of this label that is under way. */
export async function runBuild(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  const label = labelOf(invocation);
  const prompts = readPrompts(loaded);
  const owner = await attachOrStart(loaded, 'memcalib build');
  const spec = {
    label,
    config: loaded.config,
    baseDir: loaded.baseDir,
    rehearsal: loaded.config.models === undefined,
    prompts,
    ...(isOn(invocation, 'allowUnknownLicence') && { allowUnknownLicence: true }),
  };
  const state = (await owner.call('build.start', { spec })) as BuildState;
  if (!state.isNew && !isOn(invocation, 'json'))
    tell(invocation, `A build labelled ${label} is under way (run ${state.runId}): going on with it.`);
  if (isOn(invocation, 'detach')) {
    tell(invocation, `Started. Type \`memcalib status\` to look at it.`);
    return EXIT.ok;
  }
  return followBuild(owner, loaded, invocation, label);
}
