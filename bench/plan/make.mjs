// Builds the project of a folder under a label and says what came of it, as JSON. usage: node bench/plan/make.mjs FOLDER LABEL [SEED]
// With a seed, blocks are written otherwise than before: an edit of naturalize.md that changes the data.
import { join } from 'node:path';
import { buildHere } from './make-project.mjs';

const [folder, label, seed = 'rehearsal'] = process.argv.slice(2);
const began = performance.now();
const made = await buildHere({
  configFile: join(folder, 'memcalib.config.json'),
  label,
  runId: `bench-${label}`,
  seedOf: ({ step }) => (step === 'naturalize' ? seed : 'rehearsal'),
});
const { user, system } = process.cpuUsage();
const { maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ ...made, wallS: (performance.now() - began) / 1000, cpuS: (user + system) / 1e6, rssMb: maxRSS / 1024 }));
