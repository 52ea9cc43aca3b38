import { Presets, SingleBar } from 'cli-progress';
import type { PullProgress } from '../../hub/pull/pull-source.ts';
import { bytesText } from './table.ts';

/** Shows a pull as it goes: a bar on a terminal, a plain line now and then elsewhere, nothing for programs. */
export interface PullView {
  readonly show: (progress: PullProgress) => void;
  readonly end: () => void;
}

const LINE_EVERY_MS = 2000;

/** Bytes per second since the source's first news, and how long the rest takes at that rate; null before anything can be said. */
function pace(firstAt: number, firstBytes: number, progress: PullProgress, now: number): string {
  const seconds = (now - firstAt) / 1000;
  const rate = (progress.doneBytes - firstBytes) / seconds;
  if (seconds < 0.5 || !(rate > 0)) return '';
  const left = Math.ceil((progress.totalBytes - progress.doneBytes) / rate);
  const time =
    left >= 3600
      ? `${Math.floor(left / 3600)} h ${Math.floor((left % 3600) / 60)} min`
      : left >= 60
        ? `${Math.ceil(left / 60)} min`
        : `${left} s`;
  return `, ${bytesText(rate)}/s, ${time} left`;
}

/** A view of the asked kind; the clock is given so that rates can be tested. */
export function createPullView(kind: 'bar' | 'lines' | 'none', clock: () => number): PullView {
  const begun = new Map<string, { readonly at: number; readonly bytes: number }>();
  let last = 0;
  let bar: SingleBar | null = null;
  let barOf = '';
  const textOf = (progress: PullProgress): string => {
    const first = begun.get(progress.source) ?? { at: clock(), bytes: progress.doneBytes };
    begun.set(progress.source, first);
    const { source, doneBytes, totalBytes, doneFiles, totalFiles } = progress;
    return `${source}: ${bytesText(doneBytes)} of ${bytesText(totalBytes)}, ${doneFiles} of ${totalFiles} files${pace(first.at, first.bytes, progress, clock())}`;
  };
  return {
    show: (progress) => {
      const isLast = progress.doneFiles === progress.totalFiles;
      if (kind === 'none' || (clock() - last < (kind === 'bar' ? 200 : LINE_EVERY_MS) && !isLast)) return;
      last = clock();
      const text = textOf(progress);
      if (kind === 'lines') {
        process.stdout.write(`${text}\n`);
        return;
      }
      if (bar === null || barOf !== progress.source) {
        bar?.stop();
        bar = new SingleBar({ format: '{bar} {text}', hideCursor: true }, Presets.shades_grey);
        barOf = progress.source;
        bar.start(Math.max(1, progress.totalBytes), 0, { text });
      }
      bar.update(progress.doneBytes, { text });
    },
    end: () => bar?.stop(),
  };
}
