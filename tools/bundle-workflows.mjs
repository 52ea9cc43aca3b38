// Bundles the compiled workflows once, so that owners and tests start without doing it again.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

const ROOT = resolve(import.meta.dirname, '..');
const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error };
const { code } = await bundleWorkflowCode({ workflowsPath: join(ROOT, 'dist', 'workflows', 'index.js'), logger: quiet });
mkdirSync(join(ROOT, 'dist'), { recursive: true });
writeFileSync(join(ROOT, 'dist', 'workflow-bundle.js'), code);
console.log(`workflows: ${(code.length / 1024).toFixed(0)} kB bundled`);
