// Records the workflow histories that test/workflows/replay.test.ts replays, from builds on a real dev server with scripted activities.
// Run it after a deliberate change of the workflows' commands. usage: node tools/record-histories.mjs
import { close, runAll, vitest } from './suite.mjs';

close(runAll([['record histories', () => vitest(['test/workflows/build-dataset.test.ts'], { MEMCALIB_RECORD_HISTORIES: '1' })]]));
