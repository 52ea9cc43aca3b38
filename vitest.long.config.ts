import { defineConfig } from 'vitest/config';

/** The longer series: real owners, real dev servers, kills. One file at a time. */
export default defineConfig({
  test: {
    pool: 'forks',
    include: ['test/long/**/*.test.ts'],
    testTimeout: 900_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    fileParallelism: false,
  },
});
