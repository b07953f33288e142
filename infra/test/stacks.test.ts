// The properties that the templates must contain, in addition to a snapshot of each template.

import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../service/catalogue/operations.ts';
import { makeFolder, testFolder } from '../../test/support/folders.ts';
import { everySetting } from '../../test/support/stage-settings.ts';
import type { PetstorePlatform } from '../petstore-platform.ts';
import { differencesOf, summaryOf, type Templates, templatesOf } from './support/stage-summary.ts';
import { EDGES, makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const inFolder = (name: string) => makeApp(join(folder.path, name));
const stages = makeStages(inFolder('stages'), EDGES);
const [staging, production] = stages as [PetstorePlatform, PetstorePlatform];
const templateOf = (stack: Stack) => Template.fromStack(stack);

describe('stages as text', () => {
  const [everyStaging, everyProduction] = makeStages(inFolder('every'), everySetting()).map(templatesOf) as [Templates, Templates];

  // The snapshots are reviewed as text: after a change, run with `-u` and check the diff.
  test('production has the reviewed resources, removal policies and statements', async () => {
    await expect(summaryOf(everyProduction)).toMatchFileSnapshot('production.txt');
  });

  test('production has fewer resources without settings', async () => {
    const [, plain] = makeStages(inFolder('without'), {}).map(templatesOf) as [Templates, Templates];
    await expect(summaryOf(plain)).toMatchFileSnapshot('production-without-settings.txt');
  });

  test('staging differs from production only as reviewed', async () => {
    await expect(differencesOf(everyStaging, everyProduction, ['staging', 'production'])).toMatchFileSnapshot('staging-to-production.txt');
  });
});

describe('data', () => {
  test.each([
    ['staging', staging, false],
    ['production', production, true],
  ] as const)('%s: tables are on-demand, encrypted, and have point-in-time recovery', (_name, stage, protectedData) => {
    const template = templateOf(stage.data);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 4);
    template.allResourcesProperties('AWS::DynamoDB::GlobalTable', {
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [
        Match.objectLike({
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          DeletionProtectionEnabled: protectedData,
        }),
      ],
    });
    template.allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: protectedData ? 'RetainExceptOnCreate' : 'Delete' });
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', { TimeToLiveSpecification: { AttributeName: 'expiresAtSeconds', Enabled: true } });
    template.resourceCountIs('AWS::SSM::Parameter', 6);
  });
});

describe('api', () => {
  const template = templateOf(production.api);

  test('there is a route for each operation, and $default', () => {
    const keys = Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => Properties.RouteKey);
    expect(keys.sort()).toEqual(['$default', ...OPERATIONS.map(({ method, path }) => `${method} ${path}`)].sort());
  });

  test('the API is one function on Node 24 and arm64, traced, with retained logs', () => {
    template.hasResourceProperties('AWS::Lambda::Function', { Runtime: 'nodejs24.x', Architectures: ['arm64'], TracingConfig: { Mode: 'Active' } });
    template.resourceCountIs('AWS::Lambda::Function', 1);
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 });
    template.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'RetainExceptOnCreate' });
  });

  test('the stage logs JSON without headers, and throttles as a backstop', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const format = JSON.parse(stage?.Properties.AccessLogSettings.Format);
    expect(format).toMatchObject({ requestId: '$context.requestId', status: '$context.status' });
    expect(JSON.stringify(format)).not.toContain('header');
    expect(stage?.Properties.DefaultRouteSettings).toMatchObject({
      ThrottlingRateLimit: 5_000,
      ThrottlingBurstLimit: 5_000,
    });
  });

  test("the role permits exactly the handler's operations, on exactly its tables", () => {
    const statements = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    const actions = statements.flatMap(({ Action }: { Action: string | string[] }) => Action);
    expect(actions.filter((action: string) => action.includes('*'))).toEqual([]);
    expect(actions.filter((action: string) => action.startsWith('dynamodb:')).sort()).toEqual(
      ['GetItem', 'GetItem', 'PutItem', 'Query', 'Query', 'UpdateItem', 'UpdateItem'].map((each) => `dynamodb:${each}`),
    );
    const everywhere = statements
      .filter(({ Resource }: { Resource: unknown }) => Resource === '*')
      .flatMap(({ Action }: { Action: string[] }) => Action);
    expect(everywhere.sort()).toEqual(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']);
    // Of the table with accounts and keys, only the usage history (permissions.test.ts).
    const ofControl = statements.filter((each: object) => JSON.stringify(each).includes('Control'));
    expect(ofControl).toMatchObject([
      { Action: 'dynamodb:UpdateItem', Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['usage-history#*'] } } },
    ]);
  });
});

test("the dashboard is deployed after the pipeline, and adds a policy to the pipeline's role by name", () => {
  for (const { dashboard, pipeline } of makeStages(inFolder('all'), everySetting())) expect(dashboard?.dependencies).toContain(pipeline);
});

describe('releases', () => {
  test('production shifts a tenth of the traffic first, and rolls back on an alarm', () => {
    const template = templateOf(production.api);
    template.hasResourceProperties('AWS::CodeDeploy::DeploymentGroup', {
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      // Also when somebody stops the release: a tenth of the traffic would stay with the new version.
      AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'] },
      // Without it, a group is for servers (CodeDeploy API Reference, "DeploymentStyle").
      DeploymentStyle: { DeploymentType: 'BLUE_GREEN', DeploymentOption: 'WITH_TRAFFIC_CONTROL' },
      AlarmConfiguration: { Enabled: true, Alarms: [{ Name: Match.anyValue() }, { Name: Match.anyValue() }, { Name: Match.anyValue() }] },
    });
    template.hasResource('AWS::Lambda::Version', { DeletionPolicy: 'Retain' });
    template.hasResource('AWS::Lambda::Alias', { UpdatePolicy: { CodeDeployLambdaAliasUpdate: Match.anyValue() } });
    templateOf(production.observability).hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({ source: ['aws.codedeploy'] }),
    });
  });

  test('staging releases at once', () => {
    templateOf(staging.api).resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
    const rules = Object.values(templateOf(staging.observability).findResources('AWS::Events::Rule'));
    expect(rules.filter(({ Properties }) => Properties.EventPattern !== undefined)).toEqual([]);
  });

  test('every route and the API itself call the released version, never the newest code', () => {
    const integrations = Object.values(templateOf(production.api).findResources('AWS::ApiGatewayV2::Integration'));
    expect(integrations).toHaveLength(1);
    expect(JSON.stringify(integrations)).toMatch(/"IntegrationUri":{"Ref":"ApiLive\w+"}/);
  });
});

describe('stages with all options', () => {
  const [stage] = makeStages(inFolder('options'), everySetting(), ['staging']);
  if (stage?.pipeline === undefined) throw new Error('no stage with a pipeline');
  const { api, pipeline } = stage;

  test('the API has its domain name, and the zone has its records', () => {
    const template = templateOf(api);
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'api.staging.example.com',
      DomainNameConfigurations: [Match.objectLike({ SecurityPolicy: 'TLS_1_2' })],
    });
    template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
    for (const type of ['A', 'AAAA']) {
      template.hasResourceProperties('AWS::Route53::RecordSet', { Name: 'api.staging.example.com.', Type: type, HostedZoneId: 'Z0123456789' });
    }
  });

  test("the API has one address: its own domain, or API Gateway's host name", () => {
    const apiOf = (environment: Record<string, string>) => {
      const [one] = makeStages(makeApp(testFolder()), environment, ['staging']) as [PetstorePlatform];
      const { Outputs, Resources } = templateOf(one.api).toJSON();
      const resource = Object.values<{ Type: string; Properties: { DisableExecuteApiEndpoint?: boolean } }>(Resources).find(
        ({ Type }) => Type === 'AWS::ApiGatewayV2::Api',
      );
      return [Outputs.Url.Value, resource?.Properties.DisableExecuteApiEndpoint];
    };
    expect(apiOf(everySetting(['staging']))).toEqual(['https://api.staging.example.com', true]);
    expect(apiOf({ ...everySetting(['staging']), STAGING_API_GATEWAY_URL: 'on' })).toEqual(['https://api.staging.example.com', false]);
    expect(apiOf({})).toEqual([expect.objectContaining({ 'Fn::GetAtt': [expect.stringMatching(/^HttpApi/), 'ApiEndpoint'] }), false]);
  });

  test('the pipeline may deploy only this stage, from this repository, in its environment', () => {
    const template = templateOf(pipeline);
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          Match.objectLike({
            Action: 'sts:AssumeRoleWithWebIdentity',
            Condition: {
              StringEquals: {
                'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
                'token.actions.githubusercontent.com:sub': 'repo:someone@1001/petstore@2002:environment:staging',
              },
            },
          }),
        ],
      },
    });
    const everywhere = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([, policy]) => JSON.stringify(policy).includes('"*"'));
    expect(everywhere.map(([id]) => id.replace(/DefaultPolicy.*/, ''))).toEqual(['DriftRole']);
  });

  test('pull requests may only read the templates of deployed stacks, and only main may detect drift', () => {
    const template = templateOf(pipeline);
    const subjectsOf = (name: string) =>
      Object.values(template.findResources('AWS::IAM::Role', { Properties: { RoleName: name } })).flatMap(
        ({ Properties }) => Properties.AssumeRolePolicyDocument.Statement[0].Condition.StringEquals['token.actions.githubusercontent.com:sub'],
      );
    const repository = 'repo:someone@1001/petstore@2002';
    expect(subjectsOf('petstore-staging-diff')).toEqual([`${repository}:pull_request`, `${repository}:ref:refs/heads/main`]);
    expect(subjectsOf('petstore-staging-drift')).toEqual([`${repository}:ref:refs/heads/main`]);
    const [diff] = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) => id.startsWith('DiffRole'));
    const statements: { Action: string[]; Resource: string }[] = diff?.[1].Properties.PolicyDocument.Statement;
    expect(statements.flatMap(({ Action }) => Action)).toEqual(['cloudformation:DescribeStacks', 'cloudformation:GetTemplate']);
    expect(JSON.stringify(statements.map(({ Resource }) => Resource))).toContain(':stack/staging-*/*');
  });
});

describe('retention', () => {
  const [everyProduction] = makeStages(inFolder('retention'), everySetting(), ['production']) as [PetstorePlatform];
  const stacks = everyProduction.node.children.filter(Stack.isStack);

  // What a failed creation leaves behind under a fixed name blocks the next one.
  test('nothing is retained if its own creation fails, except versions, which end with their function', () => {
    const resources = stacks.flatMap((stack) => Object.values<{ Type: string; DeletionPolicy?: string }>(templateOf(stack).toJSON().Resources));
    const types = (policy: string) => new Set(resources.filter(({ DeletionPolicy }) => DeletionPolicy === policy).map(({ Type }) => Type));
    expect([...types('Retain')]).toEqual(['AWS::Lambda::Version']);
    const data = ['AWS::Cognito::UserPool', 'AWS::DynamoDB::GlobalTable', 'AWS::Logs::LogGroup', 'AWS::S3::Bucket'];
    expect([...types('RetainExceptOnCreate')].sort()).toEqual(data);
  });

  test('stacks that hold data, or what owners depend on, are protected against deletion', () => {
    const names = stacks.filter(({ terminationProtection }) => terminationProtection).map(({ node }) => node.id);
    expect(names.sort()).toEqual(['Dashboard', 'Data', 'Domains', 'Edge', 'EdgeEntry']);
  });
});

describe('everywhere', () => {
  const templates = stages.flatMap(({ data, api, observability }) => [data, api, observability].map(templateOf));

  test('there are no public buckets', () => {
    for (const template of templates) template.resourceCountIs('AWS::S3::Bucket', 0);
  });

  test('policies have no wildcard actions and no public principals', () => {
    const statements = templates.flatMap((template) =>
      ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::SNS::TopicPolicy'].flatMap((type) =>
        Object.values(template.findResources(type)).flatMap(({ Properties }) => Properties.PolicyDocument.Statement),
      ),
    );
    expect(statements.length).toBeGreaterThan(3);
    for (const { Effect, Action, Principal } of statements) {
      expect([Action].flat().filter((action: string) => action.includes('*'))).toEqual([]);
      if (Effect === 'Allow') expect(Principal === '*' || Principal?.AWS === '*').toBe(false);
    }
  });
});
