// The tests of the run itself, which it makes before it deploys anything; `npm run test:judge` makes them too.

import { defineConfig } from 'vitest/config';

const path = (file: string) => new URL(file, import.meta.url).pathname;

export default defineConfig({
  test: {
    include: ['test/deploy/*.test.ts'],
    setupFiles: [path('../support/setup.ts')],
    globalSetup: [path('../support/emulator-setup.ts')],
    pool: 'forks',
    maxWorkers: 2,
    // Only to end tests that hang.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
