// Preloaded into the owner (NODE_OPTIONS=--import): writes the most heap each thread used to $MEMCALIB_HEAP_DIR.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

if (process.env.MEMCALIB_HEAP_ALL === '1' || process.argv[1]?.endsWith('worker.js') || threadId !== 0) {
  let most = 0;
  setInterval(() => {
    const { heapUsed } = process.memoryUsage();
    if (heapUsed <= most) return;
    most = heapUsed;
    writeFileSync(join(process.env.MEMCALIB_HEAP_DIR, `heap-${process.pid}-${threadId}`), String(most));
  }, 250).unref();
}
