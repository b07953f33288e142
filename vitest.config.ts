// Two tiers. `npm test` runs `unit`, which needs nothing but Node. `npm run test:all` adds `integration`, which needs the JVM, name servers, an
// ACME server, a browser and more.

import { defineConfig } from 'vitest/config';

/** The black-box suite over HTTP: the unit tier's one journey through the whole service. */
const JOURNEY = 'test/e2e/api.test.ts';
const INTEGRATION = ['test/{integration,local,cli,e2e}/**/*.test.ts', 'infra/test/**/*.test.ts'];

export default defineConfig({
  test: {
    setupFiles: ['test/support/setup.ts'],
    // Files run side by side on both cores; each has its own ports, tables and folders.
    pool: 'forks',
    maxWorkers: 2,
    sequence: { shuffle: true },
    // Makes Powertools write to the console, which tests can spy on, and still emit metrics.
    env: { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false' },
    // They end what hangs; nothing is measured by them, however busy the machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'test/{adapters,client,contracts,core,dashboard,functions,infra,platforms,reference,service}/**/*.test.ts',
            'test/*.test.ts',
            JOURNEY,
          ],
        },
      },
      { extends: true, test: { name: 'integration', include: INTEGRATION, exclude: [JOURNEY], globalSetup: ['test/support/global-setup.ts'] } },
    ],
    coverage: {
      provider: 'v8',
      include: ['core/**', 'service/**', 'adapters/**', 'platforms/**', 'functions/**'],
      // They run in CloudFront's own engine; their tests run them in processes of their own.
      exclude: ['adapters/edge/*.js'],
      reporter: ['text-summary', 'json-summary', 'html'],
      thresholds: {
        'core/**': { lines: 100 },
        'adapters/**': { lines: 95 },
        'service/**': { lines: 95 },
        // A dozen lines each; what they call is counted above, and the emulated deployment runs them.
        'functions/**': { lines: 85 },
      },
    },
  },
});
