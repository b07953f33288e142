// The example of an app that installs the package, from source: it has the types that users get, and it can be synthesized without our feature flags.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../test/support/folders.ts';
import { OWN_CDK_APP, synthesizeOwnCdkApp } from './support/own-cdk-app.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('examples/own-cdk-app', () => {
  let template: Template;
  beforeAll(() => {
    const { path: outdir, remove } = makeFolder();
    synthesizeOwnCdkApp(outdir);
    template = Template.fromString(readFileSync(join(outdir, 'Orders.template.json'), 'utf8'));
    remove();
  });

  test('has valid types', () => {
    const check = () => execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(ROOT, 'examples')], { encoding: 'utf8', stdio: 'pipe' });
    expect(check()).toBe('');
  });

  test('is at most 40 lines, and imports from the package only its constructs', () => {
    const source = readFileSync(OWN_CDK_APP, 'utf8');
    expect(source.split('\n').length).toBeLessThanOrEqual(40);
    expect([...source.matchAll(/from '(petstore-platform[^']*)'/g)].map(([, from]) => from)).toEqual(['petstore-platform/infra']);
  });

  test('has an API with keys in front of its own function, and custom domains for the same accounts', () => {
    template.resourceCountIs('AWS::ApiGatewayV2::Api', 1);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 3);
    template.resourceCountIs('AWS::StepFunctions::StateMachine', 1);
    const [handler] = Object.keys(template.findResources('AWS::Lambda::Function', { Properties: { Handler: 'index.handler', Environment: {} } }));
    expect(handler).toBeDefined();
    template.hasOutput('Url', {});
    template.hasOutput('EdgeTarget', {});
  });
});
