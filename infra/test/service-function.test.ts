// In the package, functions have the bundles of its release instead of being bundled from source. Nothing else may differ.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildFunctions } from '../../functions/bundle/build.ts';
import { FUNCTION_NAMES } from '../../functions/bundle/bundles.ts';
import { makeFolder, testFolder } from '../../test/support/folders.ts';
import { serviceFunction } from '../constructs/service-function.ts';

const { path: bundles, remove } = makeFolder();
beforeAll(() => buildFunctions(bundles));
afterAll(remove);

describe('the bundles of the package', () => {
  test.each(FUNCTION_NAMES)('%s exports a handler', (name) => {
    expect(readFileSync(join(bundles, name, 'index.mjs'), 'utf8')).toMatch(/export\{[^}]*\bhandler\b[^}]*\}/);
  });

  test('a function of the package differs from one of the repository only in its code', () => {
    const [fromSource, packaged] = [undefined, bundles].map((folder) => {
      const app = new App({ outdir: testFolder(), context: { [BUNDLING_STACKS]: [] } });
      const stack = new Stack(app, 'Stack');
      const environment = { API_URL: 'https://api.example.com', KEY_MODE: 'test', SERVICE_NAME: 'petstore-test' } as const;
      serviceFunction(stack, 'Function', { code: 'probe', environment, memorySize: 256, timeout: Duration.seconds(5) }, folder);
      return { template: Template.fromStack(stack).toJSON(), outdir: app.outdir };
    });
    const { S3Key } = Object.values<{ Properties: { Code?: { S3Key: string } } }>(packaged?.template.Resources).find(
      ({ Properties }) => Properties.Code,
    )?.Properties.Code ?? { S3Key: '' };
    expect(existsSync(join(packaged?.outdir ?? '', `asset.${S3Key.replace('.zip', '')}`, 'index.mjs'))).toBe(true);
    expect(withoutCode(packaged?.template)).toEqual(withoutCode(fromSource?.template));
  });
});

function withoutCode(template: object | undefined): unknown {
  return JSON.parse(JSON.stringify(template).replace(/[0-9a-f]{64}/g, 'ASSET'));
}
