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

/** Uses DynamoDB Local, and needs a process of its own: others replace the methods of clients, which those in one process share. */
const ALARMS = 'infra/test/alarms.test.ts';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: ['infra/test/*.test.ts'], exclude: [ALARMS, ...OTHERS.map((name) => `infra/test/${name}.test.ts`)] },
      },
      { extends: true, test: { name: 'alone', include: [ALARMS], isolate: true } },
    ],
    setupFiles: ['test/support/setup.ts'],
    env: { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false', CDK_VALIDATION: 'false' },
    testNamePattern: /^(?!stages as text|.*the role comes after)/,
    reporters: [],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 600_000,
  },
});
