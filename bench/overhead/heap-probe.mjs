// Preloaded into the owner (NODE_OPTIONS=--import): each thread writes to $MEMCALIB_HEAP_DIR the heap it uses now, and the most it used.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

if (process.env.MEMCALIB_HEAP_ALL === '1' || process.argv[1]?.endsWith('worker.js') || threadId !== 0) {
  let most = 0;
  setInterval(() => {
    const { heapUsed } = process.memoryUsage();
    writeFileSync(join(process.env.MEMCALIB_HEAP_DIR, `now-${process.pid}-${threadId}`), String(heapUsed));
    if (heapUsed <= most) return;
    most = heapUsed;
    writeFileSync(join(process.env.MEMCALIB_HEAP_DIR, `heap-${process.pid}-${threadId}`), String(most));
  }, 250).unref();
}
