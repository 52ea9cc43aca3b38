// Records the workflow histories that test/workflows/replay.test.ts replays, from builds on a real dev server with scripted activities.
// Run it after a deliberate change of the workflows' commands. usage: node tools/record-histories.mjs
import { close, runLanes, vitest } from './suite.mjs';

process.env['MEMCALIB_RECORD_HISTORIES'] = '1';
close(await runLanes([[['record histories', vitest(['test/workflows/build-dataset.test.ts'])]]]));
