import { readFileSync } from 'node:fs';
import { StaleProject } from './world.ts';
import type { State } from './world.ts';

// A build in a process of its own, so that it can be killed: folder, server, run id, file with the state.
const [folder = '', url = '', runId = '', file = ''] = process.argv.slice(2);
const project = new StaleProject(folder, url);
const verdict = await project.drive(JSON.parse(readFileSync(file, 'utf8')) as State, runId);
await project.close();
process.stdout.write(`${verdict}\n`);
