// The judge's own tests, `npm run test:judge`. They need the packages of test/deploy, and the service models in the emulator's Python environment.

import { defineConfig } from 'vitest/config';

const path = (file: string) => new URL(file, import.meta.url).pathname;

export default defineConfig({
  test: {
    include: ['test/deploy/main.test.ts', 'test/deploy/judge/*.test.ts'],
    setupFiles: [path('../../support/setup.ts')],
    globalSetup: [path('support/global-setup.ts')],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { shuffle: true },
    // Only to end tests that hang.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
