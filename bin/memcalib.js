#!/usr/bin/env node
import { statSync } from 'node:fs';

const timeOf = (url) => statSync(url, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const compiled = new URL('../dist/cli/main.js', import.meta.url);
const bundled = new URL('../dist/quick/main.js', import.meta.url);
if (timeOf(compiled) > 0) {
  // A bundle older than what it was made of is left alone (someone compiled by hand; the compiler writes down every run).
  const compiledAt = Math.max(timeOf(compiled), timeOf(new URL('../dist/.tsbuildinfo', import.meta.url)));
  const { main } = await import(timeOf(bundled) > compiledAt ? bundled.href : compiled.href);
  process.exitCode = await main(process.argv);
} else {
  console.error('memcalib is not compiled yet. Type `node tools/setup.mjs` in the project folder, then the same command again.');
  process.exitCode = 2;
}
