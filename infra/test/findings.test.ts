// Findings by cdk-nag and by the CDK's own rules: there are none, with every setting on or every setting empty, and a single finding fails the
// synthesis.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnResource, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testFolder } from '../../test/support/folders.ts';
import { emptySettings, everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { makeEveryConstruct } from './support/every-construct.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const ROOT = join(import.meta.dirname, '../..');

// vitest.config.ts turns the CDK's own rules off.
beforeAll(() => void vi.stubEnv('CDK_VALIDATION', 'true'));
afterAll(() => void vi.unstubAllEnvs());

describe('cdk-nag has no unacknowledged findings', () => {
  test.each([
    ['every setting on', () => everySetting(THREE_STAGES)],
    ['every setting on, for any account', () => without(everySetting(THREE_STAGES), /_(ACCOUNT|REGION|HOME)$/)],
    ['every setting empty', () => emptySettings(THREE_STAGES)],
    ['no setting', () => ({})],
  ])('with %s', (_name, settings) => {
    const app = makeApp(testFolder());
    const stages = makeStages(app, settings(), THREE_STAGES);
    expect(stages.map(({ stageName }) => stageName)).toEqual(['staging', 'production', 'dev-1']);
    const { directory } = app.synth();
    expect(JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8'))).toMatchObject({ pluginReports: [] });
  });
});

/** The settings whose names do not match the expression. */
function without(settings: Record<string, string>, names: RegExp): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.test(name)));
}

describe('apps of others', () => {
  test('have no findings on our constructs', () => {
    const app = makeApp(testFolder());
    makeEveryConstruct(app);
    const { directory } = app.synth();
    expect(JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8'))).toMatchObject({ pluginReports: [] });
  });
});

describe('a finding', () => {
  test.each([
    ['cdk-nag', /AwsSolutions-S1\b/, (stack: Stack) => new Bucket(stack, 'Bucket')],
    ['the CDK', /Nonsense/, (stack: Stack) => new CfnResource(stack, 'Topic', { type: 'AWS::SNS::Topic', properties: { Nonsense: 1 } })],
  ])('of %s fails the synthesis', (_whose, message, add) => {
    const app = makeApp(testFolder());
    const [stage] = makeStages(app, {});
    add(new Stack(stage, 'Finding'));
    expect(() => app.synth()).toThrow(message);
  });

  // Without a stack name, `cdk synth` selects only the stacks outside stages, and 'production/*' does not match the stack that has the finding.
  test.each([
    ['everything', []],
    ['another stage', ['production/*']],
  ])('fails the synthesis of %s', (_what, selection) => {
    const args = ['run', '-s', 'synth', '--', ...selection, '--app', 'node infra/test/support/app-with-finding.ts', '--output', testFolder()];
    // Run without the test runner's environment variables: if the CDK detects a test, it throws instead.
    const { NODE_ENV, VITEST, ...env } = process.env;
    const { status, stderr } = spawnSync('npm', args, { cwd: ROOT, env: { ...env, CDK_DISABLE_CLI_TELEMETRY: 'true' }, encoding: 'utf8' });
    expect(stderr).toContain('AwsSolutions-S1');
    expect(status).not.toBe(0);
  });
});
