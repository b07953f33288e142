// Tests of the packages as their users get them: packed, and installed outside the repository. `npm run test:package`.

import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/package/*.packed.ts'],
    globalSetup: ['test/package/pack.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Installing and compiling take seconds; nothing is measured by these limits.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
