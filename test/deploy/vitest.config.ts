// What runs against a deployed stage: the black-box suite, the same file as on the embedded host, and what only a deployment has.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/e2e/api.test.ts', 'test/deploy/*.deployed.ts'],
    setupFiles: ['test/deploy/localhost-names.ts'],
    pool: 'forks',
    // One file at a time: requests of another file must not run during the release.
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
