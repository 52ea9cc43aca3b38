// Walks every import of the project and fails on an arrow to a higher ring, to a sibling adapter, on a cycle, and when it saw no file.
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const RINGS = {
  schemas: 0,
  stages: 1,
  prompts: 1,
  datasets: 1,
  metrics: 1,
  llm: 2,
  store: 2,
  hub: 2,
  workflows: 3,
  activities: 3,
  cli: 4,
  review: 4,
  'worker.ts': 4,
};
const RING2 = new Set(['llm', 'store', 'hub']);

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (entry.name.endsWith('.ts')) yield path;
  }
}

const files = Object.keys(RINGS).flatMap((top) => {
  const path = join(ROOT, top);
  if (!existsSync(path)) return [];
  return top.endsWith('.ts') ? [path] : [...sources(path)];
});
const topOf = (path) => relative(ROOT, path).split(sep)[0];
const problems = [];
const graph = new Map();

for (const file of files) {
  const text = readFileSync(file, 'utf8');
  const top = topOf(file);
  const targets = [];
  for (const match of text.matchAll(
    /^\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)|^\s*import\s+'(\.[^']+)'/gm,
  )) {
    const typeOnly = match[1] !== undefined;
    const target = resolve(dirname(file), match[2] ?? match[3] ?? match[4]);
    const at = `${relative(ROOT, file)} -> ${relative(ROOT, target)}`;
    const ring = RINGS[topOf(target)];
    if (!existsSync(target)) problems.push(`missing file: ${at}`);
    if (ring === undefined) {
      problems.push(`outside the rings: ${at}`);
      continue;
    }
    if (ring > RINGS[top]) problems.push(`upward: ${at}`);
    if (ring === RINGS[top] && top !== topOf(target) && (RING2.has(top) || top === 'workflows' || top === 'activities')) {
      if (!typeOnly) problems.push(`sideways: ${at}`);
    }
    if (!typeOnly) targets.push(target);
  }
  if (top === 'workflows') {
    for (const match of text.matchAll(/^\s*import\s+(type\s)?[^;'"]*?from\s+'([^.'][^']*)'/gm)) {
      if (match[1] === undefined && match[2] !== '@temporalio/workflow')
        problems.push(`workflow imports values of ${match[2]}: ${relative(ROOT, file)}`);
    }
  }
  if (top !== 'cli' && top !== 'worker.ts' && top !== 'review' && /process\.env/.test(text.replace(/\/\/.*$/gm, '')))
    problems.push(`reads process.env below ring 4: ${relative(ROOT, file)}`);
  graph.set(file, targets);
}

const done = new Set();
function visit(file, path) {
  if (path.includes(file)) {
    problems.push(`cycle: ${[...path.slice(path.indexOf(file)), file].map((f) => relative(ROOT, f)).join(' -> ')}`);
    return;
  }
  if (done.has(file)) return;
  for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
  done.add(file);
}
for (const file of files) visit(file, []);

if (files.length === 0) problems.push('saw no file');
for (const problem of new Set(problems)) console.error(problem);
console.log(`imports: ${files.length} files, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
