#!/usr/bin/env node
import { existsSync } from 'node:fs';

const entry = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(entry)) {
  const { main } = await import(entry.href);
  process.exitCode = await main(process.argv);
} else {
  console.error('memcalib is not compiled yet. Type `node tools/setup.mjs` in the project folder, then the same command again.');
  process.exitCode = 2;
}
