// What keeps a stage's costs low.

import { afterAll, describe, expect, test } from 'vitest';
import { DNS_SCHEDULE, waitAfter } from '../../core/domains/schedule.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting } from '../../test/support/stage-settings.ts';
import { execute } from '../../test/support/state-machine.ts';
import { PROFILES, type ProfileName } from '../settings.ts';
import { domainWorkflow } from '../workflow/definition.ts';
import { type Templates, templatesOf } from './support/stage-summary.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

// biome-ignore lint/suspicious/noExplicitAny: templates are what CloudFormation takes, and that is anything
type Resource = { readonly Type: string; readonly Properties: any };

const NAMES = ['staging', 'production'] as const satisfies readonly ProfileName[];
const synthesized = (settings: Record<string, string>) =>
  Object.fromEntries(makeStages(makeApp(folder.path), settings, NAMES).map((stage) => [stage.stageName, templatesOf(stage)])) as Record<
    ProfileName,
    Templates
  >;
const FULL = synthesized(everySetting());

/** The properties of all resources of a type. */
function propertiesOf(templates: Templates, type: string): Resource['Properties'][] {
  return [...templates]
    .flatMap(([, { Resources = {} }]) => Object.values<Resource>(Resources))
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => Properties);
}

describe.each(NAMES)('%s', (name) => {
  test('alarms are of standard resolution', () => {
    for (const { Period = 60 } of propertiesOf(FULL[name], 'AWS::CloudWatch::Alarm')) expect(Period).toBeGreaterThanOrEqual(60);
  });

  test('logs end', () => {
    for (const { RetentionInDays } of propertiesOf(FULL[name], 'AWS::Logs::LogGroup')) expect(RetentionInDays).toBe(PROFILES[name].logRetention);
  });

  test('functions are on arm64, and record traces', () => {
    for (const { Architectures, TracingConfig } of propertiesOf(FULL[name], 'AWS::Lambda::Function'))
      expect([Architectures, TracingConfig]).toEqual([['arm64'], { Mode: 'Active' }]);
  });

  test('what is charged by the route, or by the table and month, is not switched on', () => {
    for (const { DefaultRouteSettings } of propertiesOf(FULL[name], 'AWS::ApiGatewayV2::Stage'))
      expect(DefaultRouteSettings.DetailedMetricsEnabled ?? false).toBe(false);
    for (const { Replicas } of propertiesOf(FULL[name], 'AWS::DynamoDB::GlobalTable'))
      expect(JSON.stringify(Replicas)).not.toContain('ContributorInsights');
  });

  test('tables and users are as the prices assume', () => {
    for (const { BillingMode, SSESpecification, Replicas } of propertiesOf(FULL[name], 'AWS::DynamoDB::GlobalTable'))
      expect([BillingMode, SSESpecification.SSEType, Replicas.length]).toEqual(['PAY_PER_REQUEST', 'KMS', 1]);
    // Without a tier, Cognito takes Essentials.
    for (const { UserPoolTier = 'ESSENTIALS' } of propertiesOf(FULL[name], 'AWS::Cognito::UserPool')) expect(UserPoolTier).toBe('ESSENTIALS');
  });
});

/** Waits for a record in as many hours. */
function waitsWithin(hours: number): number {
  let waits = 0;
  for (let passed = 0; passed < hours * 3_600_000; waits += 1) passed += waitAfter(DNS_SCHEDULE, waits + 1) ?? Number.POSITIVE_INFINITY;
  return waits;
}

describe('state transitions', () => {
  const workflow = domainWorkflow('arn:aws:lambda:us-east-1:123456789012:function:steps');
  /** Runs an execution whose steps report these states, each with a wait of a second. @returns how many states it entered */
  const statesOf = async (states: readonly string[]) => {
    const left = [...states];
    const { path } = await execute(
      workflow,
      { domainId: 'dom_1', generation: 1 },
      async () => ({ state: left.shift() ?? '', waitSeconds: 1 }),
      () => {},
    );
    return path.length;
  };

  test('a record that never appears stays far below the 25,000 events of an execution', async () => {
    const checks = (hours: number) => Array.from({ length: waitsWithin(hours) }, (_, at) => (at < 165 ? 'verifying' : 'dns_failed'));
    const ofMonth = await statesOf(['verifying', ...checks(730), '']);
    // docs/aws/costs.md: about 700.
    expect(ofMonth / 700).toBeCloseTo(1, 1);
    const ofYear = await statesOf(['verifying', ...checks(365 * 24), '']);
    // An execution ends after a year. Each state has at most five events.
    expect(ofYear * 5).toBeLessThan(25_000);
  });
});
