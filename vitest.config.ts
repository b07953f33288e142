import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Files run side by side on both cores; each has its own ports, tables and folders.
    pool: 'forks',
    maxWorkers: 2,
    sequence: { shuffle: true },
    // Powertools then writes to the console that tests can watch, and still emits metrics.
    env: { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false' },
    // They end what hangs, and nothing that is slow on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
