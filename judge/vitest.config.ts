// The judge's own tests, `npm run test:judge`. Those in test/rules/ need only Node, and `npm test` runs them too.

import { defineConfig } from 'vitest/config';

const path = (file: string) => new URL(file, import.meta.url).pathname;

export default defineConfig({
  test: {
    include: ['judge/test/**/*.test.ts'],
    setupFiles: [path('../test/support/setup.ts')],
    // The service models are in the emulator's Python environment.
    globalSetup: [path('../test/support/emulator-setup.ts')],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { shuffle: true },
    // Only to end tests that hang.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
