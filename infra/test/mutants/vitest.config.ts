// The tests of the stages' templates, without the reviewed texts, and without those that synthesize other apps or start programs.

import { defineConfig } from 'vitest/config';

const OTHERS = [
  'catalogue',
  'commands',
  'custom-domains-construct',
  'deployment-names',
  'findings',
  'keyed-api',
  'operate-grant',
  'other-apps',
  'own-cdk-app',
  'petstore-platform',
  'readiness',
  'service-function',
  'synthesis',
];

export default defineConfig({
  test: {
    include: ['infra/test/*.test.ts'],
    exclude: OTHERS.map((name) => `infra/test/${name}.test.ts`),
    setupFiles: ['test/support/setup.ts'],
    env: { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false' },
    testNamePattern: /^(?!stages as text|.*the role comes after)/,
    reporters: [],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 180_000,
  },
});
