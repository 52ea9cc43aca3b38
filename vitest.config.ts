import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    // One module cache per worker: loading zod, DuckDB and Temporal anew for each file took half of the suite's CPU time.
    isolate: false,
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**'],
    globalSetup: ['test/support/compile-once.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
