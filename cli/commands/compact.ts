import { EXIT } from '../cli-error.ts';
import { withStoreAlone } from '../exclusive.ts';
import { keepFilesPrivate } from '../private-files.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, sayJson } from './options.ts';
import { tell } from './told-commands.ts';
import { bytesText } from './table.ts';

/** `memcalib compact`: rewrites the database to the size of what it holds. */
export async function runCompact(invocation: Invocation): Promise<number> {
  const loaded = await configOf(invocation);
  keepFilesPrivate();
  const { bytesBefore, bytesAfter } = await withStoreAlone(loaded, 'compact', (store) => store.upkeep.compact());
  if (isOn(invocation, 'json')) sayJson({ bytesBefore, bytesAfter });
  else
    tell(
      invocation,
      `Rewrote the store: ${bytesText(bytesBefore)} -> ${bytesText(bytesAfter)}. Every table was compared with its copy first.`,
    );
  return EXIT.ok;
}
