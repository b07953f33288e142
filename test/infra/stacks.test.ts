// What the templates must have, named one by one, beside a snapshot of each.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { App, type Stack, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../core/http/operations.ts';
import { PetstoreStage } from '../../infra/petstore-stage.ts';
import { readStages } from '../../infra/stages.ts';
import { makeFolder } from '../support/folders.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

/** Flags as in cdk.json, no bundling: templates in milliseconds, and stable keys. */
const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8')) as { context: Record<string, unknown> };
const app = new App({ outdir: join(folder.path, 'cdk.out'), context: { ...context, 'aws:cdk:bundling-stacks': [] } });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
const read = readStages({});
const stages = read.ok ? read.stages.map((stage) => new PetstoreStage(app, stage)) : [];
const [staging, production] = stages as [PetstoreStage, PetstoreStage];
const templateOf = (stack: Stack) => Template.fromStack(stack);

/** Without what changes with every edit of the code. */
const stable = (template: Template) =>
  JSON.parse(
    JSON.stringify(template.toJSON())
      .replace(/[0-9a-f]{64}/g, 'HASH')
      .replace(/(CurrentVersion\w{8})[0-9a-f]{32}/g, '$1HASH'),
  );

describe('guards', () => {
  test('cdk-nag finds nothing that is not acknowledged with a reason', () => {
    rmSync(join(folder.path, 'cdk.out/validation-report.json'), { force: true });
    app.synth();
    const report = JSON.parse(readFileSync(join(folder.path, 'cdk.out/validation-report.json'), 'utf8')) as { pluginReports: unknown[] };
    expect(report.pluginReports).toEqual([]);
  });

  test.each(stages.flatMap((stage) => [[stage.stageName, 'Data', stage.data] as const, [stage.stageName, 'Api', stage.api] as const]))(
    '%s %s is as it was',
    (_stage, _name, stack) => {
      expect(stable(templateOf(stack))).toMatchSnapshot();
    },
  );
});

describe('data', () => {
  test.each([
    ['staging', staging, false],
    ['production', production, true],
  ] as const)('%s: tables on demand, encrypted, restorable', (_name, stage, protectedData) => {
    const template = templateOf(stage.data);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 3);
    template.allResourcesProperties('AWS::DynamoDB::GlobalTable', {
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [
        Match.objectLike({
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          DeletionProtectionEnabled: protectedData,
          ContributorInsightsSpecification: { Enabled: protectedData },
        }),
      ],
    });
    template.allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: protectedData ? 'Retain' : 'Delete' });
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', { TimeToLiveSpecification: { AttributeName: 'expiresAtSeconds', Enabled: true } });
    template.resourceCountIs('AWS::SSM::Parameter', 3);
  });
});

describe('api', () => {
  const template = templateOf(production.api);

  test('a route for each operation, and $default', () => {
    const keys = Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => Properties.RouteKey);
    expect(keys.sort()).toEqual(['$default', ...OPERATIONS.map(({ method, path }) => `${method} ${path}`)].sort());
  });

  test('one function: Node 24, arm64, traced, its log kept', () => {
    template.hasResourceProperties('AWS::Lambda::Function', { Runtime: 'nodejs24.x', Architectures: ['arm64'], TracingConfig: { Mode: 'Active' } });
    template.resourceCountIs('AWS::Lambda::Function', 1);
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 });
    template.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Retain' });
  });

  test('the stage logs JSON, without headers, and throttles as a backstop', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const format = JSON.parse(stage?.Properties.AccessLogSettings.Format);
    expect(format).toMatchObject({ requestId: '$context.requestId', status: '$context.status' });
    expect(JSON.stringify(format)).not.toContain('header');
    expect(stage?.Properties.DefaultRouteSettings).toMatchObject({
      ThrottlingRateLimit: 5_000,
      ThrottlingBurstLimit: 5_000,
      DetailedMetricsEnabled: true,
    });
  });

  test('the role may do exactly what the handler does, on exactly its tables', () => {
    const statements = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    const actions = statements.flatMap(({ Action }: { Action: string | string[] }) => Action);
    expect(actions.filter((action: string) => action.includes('*'))).toEqual([]);
    expect(actions.filter((action: string) => action.startsWith('dynamodb:')).sort()).toEqual(
      ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:Query', 'dynamodb:UpdateItem'].sort(),
    );
    const everywhere = statements
      .filter(({ Resource }: { Resource: unknown }) => Resource === '*')
      .flatMap(({ Action }: { Action: string[] }) => Action);
    expect(everywhere.sort()).toEqual(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']);
    expect(JSON.stringify(statements)).not.toContain('control');
  });
});
