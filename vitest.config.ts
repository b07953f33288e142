// Two tiers. `npm test` runs `unit`, which needs nothing but Node. `npm run test:all` adds `integration`, which needs the JVM, name servers, an
// ACME server, a browser and more, and `stacks` and `replacing`, which need the CDK.

import { hash } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests of the emulated deployment, which `npm run test:deploy` runs with the packages of this folder. */
const DEPLOYMENT = 'test/deploy/**';
/** They replace a module, which only works in a process in which no other file has loaded it. */
const REPLACING = ['infra/test/{pipeline,readiness}.test.ts', 'test/local/sign-in-attempts.test.ts'];
/** The black-box suite, test/e2e/api.test.ts, is the unit tier's one journey through the whole service over HTTP. */
const INTEGRATION = ['test/{integration,cli}/**/*.test.ts', 'test/local/!(sign-in-attempts).test.ts', 'test/e2e/!(api).test.ts'];
const STACKS = ['infra/test/**/*.test.ts'];

/** Percentages that both tiers reach together. */
const THRESHOLDS = {
  'core/**': { lines: 100 },
  'adapters/**': { lines: 95 },
  'service/**': { lines: 95 },
  // A dozen lines each; what they call is counted above, and the emulated deployment runs them.
  'functions/**': { lines: 85 },
};
const isOneTier = process.argv.some((argument) => argument.startsWith('--project'));

/** The folders with the files that take longest. */
const LONGEST = ['/test/e2e/', '/test/integration/', '/test/local/'];

/** Files in a random order, by the run's seed, but the longest first: the others then fill up all workers to the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const place = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((folder) => moduleId.includes(folder));
      return `${rank === -1 ? LONGEST.length : rank} ${hash('sha1', `${seed} ${moduleId}`)}`;
    };
    return files.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
  }
}

export default defineConfig({
  test: {
    setupFiles: ['test/support/setup.ts'],
    // Files run side by side on both cores, while others wait; each has its own ports, tables and folders.
    pool: 'forks',
    maxWorkers: 3,
    sequence: { shuffle: { tests: true }, sequencer: LongestFirst },
    // Makes Powertools write to the console, which tests can spy on, and still emit metrics.
    env: { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false' },
    // They end what hangs; nothing is measured by them, however busy the machine.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A process of its own for each file would take half as long again.
    isolate: false,
    projects: [
      // Everything else, so that a test file in a new folder belongs to a tier.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{test,judge/test/rules}/**/*.test.ts'],
          exclude: [...INTEGRATION, ...REPLACING, ...STACKS, DEPLOYMENT, '**/node_modules/**'],
        },
      },
      { extends: true, test: { name: 'integration', include: INTEGRATION, globalSetup: ['test/support/global-setup.ts'] } },
      { extends: true, test: { name: 'replacing', include: REPLACING, isolate: true } },
      {
        extends: true,
        test: {
          name: 'stacks',
          include: STACKS,
          exclude: [...REPLACING, '**/node_modules/**'],
          globalSetup: ['test/support/global-setup.ts'],
          // The CDK's own rules take half of a synthesis; infra/test/findings.test.ts applies them.
          env: { CDK_VALIDATION: 'false' },
        },
      },
    ],
    coverage: {
      provider: 'istanbul',
      include: ['core/**', 'service/**', 'adapters/**', 'platforms/**', 'functions/**'],
      // They run in CloudFront's own engine; their tests run them in processes of their own.
      exclude: ['adapters/edge/*.js'],
      reporter: ['text-summary', 'json-summary', 'html'],
      thresholds: isOneTier ? {} : THRESHOLDS,
    },
  },
});
