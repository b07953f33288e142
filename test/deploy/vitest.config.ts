// The suites that run against a deployed stage: the black-box suite, which also runs on the embedded host, and suites for features that only a
// deployment has.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/e2e/api.test.ts', 'test/deploy/*.deployed.ts'],
    // Other tests use the stage too: an installation moves only to an empty one, before them.
    exclude: process.env.E2E_STAGE === 'staging' ? ['test/deploy/move.deployed.ts'] : [],
    setupFiles: [new URL('../../judge/localhost-names.ts', import.meta.url).pathname],
    pool: 'forks',
    // One file at a time: no other file's requests may run during the release.
    maxWorkers: 1,
    // They end what hangs. Waits follow what happens (support/eventually.ts), however busy the machine.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
  },
});
