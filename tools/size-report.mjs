// Reports file and function sizes against STYLE and fails on a file over 400 lines or a function over 80.
import { existsSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.mjs'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(file) && !/(^|\/)(generated|fixtures|histories)\//.test(file));
if (files.length === 0) {
  console.error('sizes: saw no file');
  process.exit(1);
}
const quantile = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? 0;
const lengths = [];
const functions = [];
for (const file of files) {
  const lines = readFileSync(file, 'utf8').split('\n');
  lengths.push([lines.length, file]);
  lines.forEach((line, index) => {
    if (!/^(export )?(async )?function\b|^ {2}(static |async |private |readonly |get |set |override )*[A-Za-z#]\w*\(.*\).*\{$/.test(line))
      return;
    const indent = /^ */.exec(line)[0];
    const end = lines.findIndex((other, at) => at > index && other.startsWith(`${indent}}`));
    if (end > index) functions.push([end - index + 1, `${file}:${index + 1}`]);
  });
}
const sizes = lengths.map(([n]) => n).sort((a, b) => a - b);
const spans = functions.map(([n]) => n).sort((a, b) => a - b);
console.log(`files: ${sizes.length}, median ${quantile(sizes, 0.5)}, p95 ${quantile(sizes, 0.95)}, largest ${sizes.at(-1)} lines`);
console.log(`functions: ${spans.length}, p95 ${quantile(spans, 0.95)}, largest ${spans.at(-1) ?? 0} lines`);
const over = [...lengths.filter(([n]) => n > 400), ...functions.filter(([n]) => n > 80)];
for (const [n, where] of over) console.error(`too long: ${where} ${n} lines`);
process.exit(over.length === 0 ? 0 : 1);
