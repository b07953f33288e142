// What AWS's own services must be allowed to do for a stage: no call of ours shows whether API Gateway may invoke a function, or CloudFront read a
// bucket. For each connection between two resources in the templates, the policy that must allow it is evaluated.

import { afterAll, describe, expect, test } from 'vitest';
import { LOGGED_FIELDS, LOGS_PREFIX } from '../../adapters/sites/log-fields.ts';
import { type Authorization, isAllowed, listOf, type Statement } from '../../judge/rules.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { ACCOUNT, deployedStage, REGION } from './support/deployed-templates.ts';
import { statementsOfRole } from './support/policies.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const stages = makeStages(makeApp(folder.path), everySetting(THREE_STAGES), THREE_STAGES).map(
  (stage) => [stage.stageName, deployedStage(stage)] as const,
);

/** Whether the statements for a service allow this call. */
function mayService(service: string, statements: readonly Statement[], authorization: Authorization): boolean {
  const own = statements.filter(
    ({ Effect, Principal }) => Effect === 'Deny' || listOf((Principal as { Service?: string }).Service).includes(service),
  );
  return isAllowed(own, { ...authorization, context: { 'aws:SecureTransport': 'true', ...authorization.context } });
}

describe.each(stages)('%s', (name, stage) => {
  /** Lambda turns permissions into statements of the function's resource policy. */
  const permissions = stage.resources('AWS::Lambda::Permission').map(
    ({ properties: { Action, FunctionName, Principal, SourceArn } }): Statement => ({
      Effect: 'Allow',
      Action,
      Resource: FunctionName,
      Principal: { Service: Principal },
      Condition: { ArnLike: { 'aws:SourceArn': SourceArn } },
    }),
  );

  test('API Gateway may invoke the function of each route', () => {
    const integrations = new Map(
      stage.resources('AWS::ApiGatewayV2::Integration').map(({ stack, id, properties }) => [`${stack}-${id}`.toLowerCase(), properties]),
    );
    const routes = stage.resources('AWS::ApiGatewayV2::Route').map(({ properties }) => properties);
    expect(routes.length).toBeGreaterThan(5);
    const refused = routes.filter(({ ApiId, RouteKey, Target }) => {
      // The default route matches every path and method; its source ARN has neither.
      const [method, path] = RouteKey === '$default' ? ['*', '/$default'] : RouteKey.split(' ');
      const source = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${ApiId}/$default/${method}${path}`;
      const { IntegrationUri } = integrations.get(Target.replace('integrations/', '')) ?? {};
      return !mayService('apigateway.amazonaws.com', permissions, {
        action: 'lambda:InvokeFunction',
        resource: IntegrationUri,
        context: { 'aws:SourceArn': source },
      });
    });
    expect(refused.map(({ RouteKey }) => RouteKey)).toEqual([]);
  });

  test('EventBridge may invoke the targets of its rules', () => {
    const topics = stage.resources('AWS::SNS::TopicPolicy').flatMap(({ properties }) => properties.PolicyDocument.Statement as Statement[]);
    const rules = stage.resources('AWS::Events::Rule');
    expect(rules.length).toBeGreaterThan(1);
    const refused = rules.flatMap(({ stack, id, properties }) =>
      (properties.Targets as { Arn: string }[])
        .filter(({ Arn }) => {
          const context = { 'aws:SourceArn': ruleArn(stack, id), 'aws:SourceAccount': ACCOUNT };
          const [statements, action] = Arn.includes(':lambda:') ? [permissions, 'lambda:InvokeFunction'] : [topics, 'sns:Publish'];
          return !mayService('events.amazonaws.com', statements, { action, resource: Arn, context });
        })
        .map(({ Arn }) => `${id} -> ${Arn}`),
    );
    expect(refused).toEqual([]);
  });

  // Lambda itself retries asynchronous events, whatever the rule's own retries are (Lambda Developer Guide, "Asynchronous invocation").
  test('a function with a schedule runs once for each event: the next event makes up for it', () => {
    const scheduled = stage
      .resources('AWS::Events::Rule')
      .filter(({ properties }) => properties.ScheduleExpression !== undefined)
      .flatMap(({ properties }) =>
        (properties.Targets as { Arn: string; RetryPolicy: unknown }[]).map(({ Arn, RetryPolicy }) => ({ Arn, RetryPolicy })),
      );
    expect(scheduled).toHaveLength(5);
    const configs = stage.resources('AWS::Lambda::EventInvokeConfig').map(({ properties }) => properties);
    for (const { Arn, RetryPolicy } of scheduled) {
      expect(RetryPolicy).toEqual({ MaximumRetryAttempts: 0 });
      const own = configs.filter(({ FunctionName, Qualifier }) => Arn.endsWith(`:${FunctionName}`) && Qualifier === '$LATEST');
      expect(own, Arn).toMatchObject([{ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 }]);
    }
  });

  test('the state machine may invoke the function of each task', () => {
    const [{ properties } = { properties: undefined }] = stage.resources('AWS::StepFunctions::StateMachine');
    const { States } = JSON.parse(properties.DefinitionString) as { States: Record<string, { Type: string; Parameters?: { FunctionName: string } }> };
    const functions = new Set(Object.values(States).flatMap(({ Parameters }) => Parameters?.FunctionName ?? []));
    expect(functions.size).toBe(1);
    const role = statementsOfRole(stage, { stack: `${name}-Domains`, id: 'WorkflowRole' });
    const refused = [...functions].filter((resource) => !isAllowed(role, { action: 'lambda:InvokeFunction', resource }));
    expect(refused).toEqual([]);
  });

  test('CloudFront may read the files behind each distribution, and no other distribution may', () => {
    const policies = stage.resources('AWS::S3::BucketPolicy').map(({ properties }) => properties);
    const distributions = stage.resources('AWS::CloudFront::Distribution');
    expect(distributions).toHaveLength(3);
    for (const { stack, id, properties } of distributions) {
      const bucket = (properties.DistributionConfig.Origins as { DomainName: string; S3OriginConfig?: object }[])
        .find(({ S3OriginConfig }) => S3OriginConfig !== undefined)
        ?.DomainName.replace('.RegionalDomainName', '');
      const statements: readonly Statement[] = policies.find(({ Bucket }) => Bucket === bucket)?.PolicyDocument.Statement;
      const mayBy = (distribution: string, action: string, resource: string) =>
        mayService('cloudfront.amazonaws.com', statements, {
          action,
          resource,
          context: { 'aws:SourceArn': `arn:aws:cloudfront::${ACCOUNT}:distribution/${distribution}` },
        });
      const readsBy = (distribution: string) => mayBy(distribution, 's3:GetObject', `arn:aws:s3:::${bucket}/prj_1/dpl_1/a`);
      expect([readsBy(`${stack}-${id}`.toLowerCase()), readsBy('another')]).toEqual([true, false]);
      // Without it, S3 reports a missing file as forbidden.
      const lists = mayBy(`${stack}-${id}`.toLowerCase(), 's3:ListBucket', `arn:aws:s3:::${bucket}`);
      expect(lists).toBe(properties.DistributionConfig.ConnectionMode === 'tenant-only');
    }
  });

  test('CloudFront may deliver its logs, from this account alone, and may not read them; the sweep reads and removes them', () => {
    const [edge] = stage
      .resources('AWS::CloudFront::Distribution')
      .filter(({ properties }) => properties.DistributionConfig.ConnectionMode !== undefined);
    const [destination] = stage.resources('AWS::Logs::DeliveryDestination');
    const bucket = destination?.properties.DestinationResourceArn;
    const log = `${bucket}/${LOGS_PREFIX}${ACCOUNT}/CloudFront/E1.2026-11-24-11.0a1b.gz`;
    const statements: readonly Statement[] = stage
      .resources('AWS::S3::BucketPolicy')
      .find(({ properties }) => `arn:aws:s3:::${properties.Bucket}` === bucket)?.properties.PolicyDocument.Statement;
    const context = (account: string, acl = 'bucket-owner-full-control') => ({
      'aws:SourceAccount': account,
      'aws:SourceArn': `arn:aws:logs:us-east-1:${account}:delivery-source:x`,
      's3:x-amz-acl': acl,
    });
    const mayPut = (resource: string, ...of: Parameters<typeof context>) =>
      mayService('delivery.logs.amazonaws.com', statements, { action: 's3:PutObject', resource, context: context(...of) });
    expect([mayPut(log, ACCOUNT), mayPut(log, '210987654321'), mayPut(log, ACCOUNT, 'private'), mayPut(`${bucket}/prj_1/dpl_1/a`, ACCOUNT)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const source = `arn:aws:cloudfront::${ACCOUNT}:distribution/${`${edge?.stack}-${edge?.id}`.toLowerCase()}`;
    const reads = mayService('cloudfront.amazonaws.com', statements, { action: 's3:GetObject', resource: log, context: { 'aws:SourceArn': source } });
    expect(reads).toBe(false);
    const sweep = statementsOfRole(stage, { stack: `${name}-Domains`, id: 'SweepRole' });
    const steps = statementsOfRole(stage, { stack: `${name}-Domains`, id: 'StepsRole' });
    const actions = ['s3:GetObject', 's3:DeleteObject'];
    expect(actions.map((action) => [isAllowed(sweep, { action, resource: log }), isAllowed(steps, { action, resource: log })])).toEqual([
      [true, false],
      [true, false],
    ]);
    // Each distribution of customers' sites, without what visitors send about themselves.
    const deliveries = stage.resources('AWS::Logs::Delivery');
    expect(deliveries).toHaveLength(2);
    expect(new Set(stage.resources('AWS::Logs::DeliverySource').map(({ properties }) => properties.ResourceArn)).size).toBe(2);
    for (const { properties } of deliveries) expect(properties.RecordFields).toEqual(LOGGED_FIELDS);
    const fields: readonly string[] = LOGGED_FIELDS;
    expect(fields.filter((field) => /^c-|cookie|referer|user-agent|query|forwarded/i.test(field))).toEqual([]);
  });

  test("CloudFront may call the failover's function, only through its URL, and only for the edge's distributions", () => {
    const edges = stage
      .resources('AWS::CloudFront::Distribution')
      .filter(({ properties }) => properties.DistributionConfig.ConnectionMode === 'tenant-only');
    expect(edges).toHaveLength(2);
    const [edge] = edges;
    const [url] = stage.resources('AWS::Lambda::Url');
    const { Origins, OriginGroups } = edge?.properties.DistributionConfig ?? {};
    const [group] = OriginGroups.Items as { Members: { Items: { OriginId: string }[] } }[];
    const secondary = (Origins as { Id: string; DomainName: string; OriginAccessControlId: string }[]).find(
      ({ Id }) => Id === group?.Members.Items[1]?.OriginId,
    );
    expect(secondary?.DomainName).toBe(`${url?.stack}-${url?.id}.lambda-url.${REGION}.on.aws`.toLowerCase());
    const controls = new Map(
      stage
        .resources('AWS::CloudFront::OriginAccessControl')
        .map(({ stack, id, properties }) => [`${stack}-${id}`.toLowerCase(), properties.OriginAccessControlConfig]),
    );
    expect(controls.get(secondary?.OriginAccessControlId ?? '')).toMatchObject({
      OriginAccessControlOriginType: 'lambda',
      SigningBehavior: 'always',
    });
    expect(url?.properties.AuthType).toBe('AWS_IAM');
    const mayCall = (action: string, distribution: string) =>
      mayService('cloudfront.amazonaws.com', permissions, {
        action,
        resource: url?.properties.TargetFunctionArn,
        context: { 'aws:SourceArn': `arn:aws:cloudfront::${ACCOUNT}:distribution/${distribution}` },
      });
    for (const action of ['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction']) {
      expect(edges.map(({ stack, id }) => mayCall(action, `${stack}-${id}`.toLowerCase()))).toEqual([true, true]);
      expect(mayCall(action, 'another')).toBe(false);
    }
    const direct = stage
      .resources('AWS::Lambda::Permission')
      .filter(({ properties: { Action, Principal } }) => Principal === 'cloudfront.amazonaws.com' && Action === 'lambda:InvokeFunction');
    expect(direct.map(({ properties }) => properties.InvokedViaFunctionUrl)).toEqual([true, true]);
  });

  test('CloudWatch may report alarms of this account, and of no other', () => {
    const policies = stage.resources('AWS::SNS::TopicPolicy');
    expect(policies).toHaveLength(2);
    for (const { properties } of policies) {
      const [topic] = properties.Topics;
      const mayFrom = (account: string) =>
        mayService('cloudwatch.amazonaws.com', properties.PolicyDocument.Statement, {
          action: 'sns:Publish',
          resource: topic,
          context: { 'aws:SourceAccount': account },
        });
      expect([mayFrom(ACCOUNT), mayFrom('999999999999')]).toEqual([true, false]);
    }
  });
});

function ruleArn(stack: string, id: string): string {
  return `arn:aws:events:${REGION}:${ACCOUNT}:rule/${`${stack}-${id}`.toLowerCase()}`;
}
