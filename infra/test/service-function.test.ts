// In the package, functions have the bundles of its release instead of being bundled from source. Nothing else may differ.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUNDLE_OPTIONS, buildFunctions } from '../../functions/bundle/build.ts';
import { entryOf, FUNCTION_NAMES } from '../../functions/bundle/bundles.ts';
import { NOTICES_FILE } from '../../functions/bundle/notices.ts';
import { makeFolder, testFolder } from '../../test/support/folders.ts';
import { serviceFunction } from '../constructs/service-function.ts';

const { path: bundles, remove } = makeFolder();
beforeAll(() => buildFunctions(bundles));
afterAll(remove);

describe('the bundles of the package', () => {
  test.each(FUNCTION_NAMES)('%s comes with notices for every package in it', async (name) => {
    // Unless it minifies, esbuild puts a comment with the path before the code of each module.
    const { outputFiles = [] } = await build({ ...BUNDLE_OPTIONS, minify: false, entryPoints: [entryOf(name)], write: false });
    const comments = [...(outputFiles[0]?.text ?? '').matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\/.*$/gm)];
    const packages = new Set(['esbuild', ...comments.map(([, each = '']) => each)]);
    expect(packages.size).toBeGreaterThan(3);
    const notices = readFileSync(join(bundles, name, NOTICES_FILE), 'utf8');
    const [, named = ''] = /^index\.mjs: (.*)$/m.exec(notices) ?? [];
    expect(named.split(', ').map((each) => each.split(' ')[0])).toEqual(expect.arrayContaining([...packages]));
    for (const each of named.split(', ')) expect(notices.split('\n').filter((line) => line === each)).toHaveLength(1);
  });

  test('are those that the repository deploys, with their notices', () => {
    const app = new App({ outdir: testFolder() });
    const stack = new Stack(app, 'Stack');
    const environment = { API_URL: 'https://api.example.com', KEY_MODE: 'test' } as const;
    serviceFunction(stack, 'Function', { code: 'probe', name: 'test', environment, memorySize: 256, timeout: Duration.seconds(5) });
    const [folder = ''] = readdirSync(app.outdir).filter((name) => name.startsWith('asset.'));
    const filesIn = (path: string) => Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]));
    expect(filesIn(join(app.outdir, folder))).toEqual(filesIn(join(bundles, 'probe')));
    expect(readdirSync(join(app.outdir, folder))).toContain(NOTICES_FILE);
  });

  test.each(FUNCTION_NAMES)('%s exports a handler', (name) => {
    expect(readFileSync(join(bundles, name, 'index.mjs'), 'utf8')).toMatch(/export\{[^}]*\bhandler\b[^}]*\}/);
  });

  test('a function of the package differs from one of the repository only in its code', () => {
    const [fromSource, packaged] = [undefined, bundles].map((folder) => {
      const app = new App({ outdir: testFolder(), context: { [BUNDLING_STACKS]: [] } });
      const stack = new Stack(app, 'Stack');
      const environment = { API_URL: 'https://api.example.com', KEY_MODE: 'test' } as const;
      serviceFunction(stack, 'Function', { code: 'probe', name: 'test', environment, memorySize: 256, timeout: Duration.seconds(5) }, folder);
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
