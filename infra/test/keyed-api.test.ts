// API keys in front of something else, as a construct in another CDK app.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, Fn, Lazy, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal, User } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { gateSettings, parseEnvironment } from '../../platforms/aws/function-settings.ts';
import { testFolder } from '../../test/support/folders.ts';
import { CustomDomains } from '../constructs/custom-domains.ts';
import { KeyedApi, type KeyedApiProps } from '../constructs/keyed-api.ts';
import { KeyedApiTarget } from '../constructs/keyed-api-target.ts';
import { makeApp } from './support/synthesis.ts';

const HANDLER_ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:orders';

function apiWith(props: (stack: Stack) => Partial<KeyedApiProps> = () => ({})) {
  const app = makeApp(testFolder());
  const stack = new Stack(app, 'Shop', { env: { account: '123456789012', region: 'eu-central-1' } });
  const target = KeyedApiTarget.lambda(LambdaFunction.fromFunctionArn(stack, 'Handler', HANDLER_ARN));
  const api = new KeyedApi(stack, 'Orders', { name: 'orders', target, ...props(stack) });
  return { app, stack, api, template: () => Template.fromStack(stack) };
}

/** The function's environment, in which references are replaced by their logical ids. */
function environmentIn(template: Template): Record<string, string> {
  const functions = template.findResources('AWS::Lambda::Function');
  const variables = Object.values(functions)[0]?.Properties.Environment.Variables as Record<string, string | { readonly Ref: string }>;
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : value.Ref]));
}

describe('KeyedApi', () => {
  test('has its own tables for accounts and keys, which the command line finds', () => {
    const { template } = apiWith();
    template().resourceCountIs('AWS::DynamoDB::GlobalTable', 3);
    template().allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'RetainExceptOnCreate' });
    template().resourcePropertiesCountIs(
      'AWS::SSM::Parameter',
      { Name: Match.stringLikeRegexp('^/petstore/orders/tables/(usage|control|audit|key-mode)$') },
      4,
    );
    template().resourceCountIs('AWS::SSM::Parameter', 4);
  });

  test('gives its function settings that it understands', () => {
    expect(parseEnvironment(gateSettings, environmentIn(apiWith().template()))).toMatchObject({
      ...{ TARGET_FUNCTION: HANDLER_ARN, TARGET_TIMEOUT_MS: 25_000 },
      ...{ READ_SCOPE: 'pets:read', WRITE_SCOPE: 'pets:write' },
      SERVICE_NAME: 'petstore-orders',
    });
    const url = 'https://orders.example.com/v2';
    const { template } = apiWith(() => ({ target: KeyedApiTarget.url(url), timeout: Duration.seconds(3), scopes: { write: 'pets:read' } }));
    expect(parseEnvironment(gateSettings, environmentIn(template()))).toMatchObject({
      ...{ TARGET_URL: url, TARGET_TIMEOUT_MS: 3_000 },
      ...{ READ_SCOPE: 'pets:read', WRITE_SCOPE: 'pets:read' },
    });
  });

  test.each([
    [1, 10],
    [20, 29],
    [25, 30],
    [28, 30],
  ])('lets its function run %i s for the target and time for admission, which are %i s', (target, whole) => {
    const { template } = apiWith(() => ({ timeout: Duration.seconds(target) }));
    template().hasResourceProperties('AWS::Lambda::Function', { Handler: 'index.handler', Timeout: whole });
  });

  test('permits its function to admit requests and to invoke its target, and nothing else', () => {
    const statements = (template: Template) => {
      const [policy] = Object.values<{ Properties: { PolicyDocument: { Statement: { Action: string | string[]; Resource: unknown }[] } } }>(
        template.findResources('AWS::IAM::Policy') as never,
      );
      const { Statement = [] } = policy?.Properties.PolicyDocument ?? {};
      return Statement.map(({ Action, Resource }) => [Action, typeof Resource === 'string' ? Resource : '(a reference)']);
    };
    const admission = [
      [['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], '*'],
      [['logs:CreateLogStream', 'logs:PutLogEvents'], '(a reference)'],
      [['dynamodb:GetItem', 'dynamodb:UpdateItem'], '(a reference)'],
      ['dynamodb:UpdateItem', '(a reference)'],
    ];
    const sorted = (list: unknown[]) => list.map((each) => JSON.stringify(each)).sort();
    expect(sorted(statements(apiWith().template()))).toEqual(sorted([...admission, ['lambda:InvokeFunction', HANDLER_ARN]]));
    const { template } = apiWith(() => ({ target: KeyedApiTarget.url('https://orders.example.com') }));
    expect(sorted(statements(template()))).toEqual(sorted(admission));
    const withSecret = apiWith(() => ({ target: KeyedApiTarget.url('https://orders.example.com', { secretParameter: '/orders/gate-secret' }) }));
    expect(sorted(statements(withSecret.template()))).toEqual(
      sorted([...admission, ['ssm:GetParameter', 'arn:aws:ssm:eu-central-1:123456789012:parameter/orders/gate-secret']]),
    );
  });

  test.each([
    ['/orders/gate-secret', 'parameter/orders/gate-secret'],
    ['gate-secret', 'parameter/gate-secret'],
  ])('permits its function to read the secret %s, with the key it is encrypted with only through SSM', (secretParameter, resource) => {
    const keyArn = 'arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000001';
    const target = KeyedApiTarget.url('https://orders.example.com', { secretParameter, secretKey: { keyArn } });
    const template = apiWith(() => ({ target })).template();
    const parameterArn = `arn:aws:ssm:eu-central-1:123456789012:${resource}`;
    const through = { 'kms:ViaService': 'ssm.eu-central-1.amazonaws.com', 'kms:EncryptionContext:PARAMETER_ARN': parameterArn };
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          { Effect: 'Allow', Action: 'ssm:GetParameter', Resource: parameterArn },
          { Effect: 'Allow', Action: 'kms:Decrypt', Resource: keyArn, Condition: { StringEquals: through } },
        ]),
      },
    });
    expect(parseEnvironment(gateSettings, environmentIn(template))).toMatchObject({
      ...{ TARGET_URL: 'https://orders.example.com', TARGET_SECRET_PARAMETER: secretParameter },
    });
  });

  test.each([['a/b'], ['/a//b'], ['/a b'], [''], [`/${'a'.repeat(1_011)}`], [Fn.ref('SecretName')]])(
    'takes no secret from the parameter %j',
    (secretParameter) => {
      const target = KeyedApiTarget.url('https://orders.example.com', { secretParameter });
      expect(() => apiWith(() => ({ target }))).toThrow('target.secretParameter: got');
    },
  );

  test.each([
    ['throttle.rate', 'a value that is only known at deployment', () => ({ throttle: { rate: Lazy.number({ produce: () => 9 }), burst: 9 } })],
    ['throttle.burst', 'a value that is only known at deployment', () => ({ throttle: { rate: 9, burst: Lazy.number({ produce: () => 9 }) } })],
    ['throttle.rate', '0.5', () => ({ throttle: { rate: 0.5, burst: 9 } })],
  ])('refuses %s if it is %s', (property, given, props) => {
    expect(() => apiWith(props)).toThrow(`${property}: got ${given}; allowed: a whole number of at least 1`);
  });

  test('reserves concurrency for its function, with an alarm before it is used up', () => {
    const { template } = apiWith((stack) => ({ reservedConcurrency: 50, alarmTopic: new Topic(stack, 'Topic', { enforceSSL: true }) as ITopic }));
    template().hasResourceProperties('AWS::Lambda::Function', { Handler: 'index.handler', ReservedConcurrentExecutions: 50 });
    template().hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'petstore-orders-near-reserved-concurrency',
      MetricName: 'ConcurrentExecutions',
      Threshold: 40,
    });
    const without = apiWith((stack) => ({ alarmTopic: new Topic(stack, 'Topic', { enforceSSL: true }) as ITopic })).template();
    expect(JSON.stringify(without.toJSON())).not.toMatch(/near-reserved|ReservedConcurrentExecutions/);
  });

  test.each([[0], [1.5], [-1], [Number.NaN], [Lazy.number({ produce: () => 9 })]])('reserves no concurrency of %j', (reservedConcurrency) => {
    expect(() => apiWith(() => ({ reservedConcurrency }))).toThrow(/reservedConcurrency: got .*; allowed: a whole number of at least 1/);
  });

  test('has alarms whose headings are in docs/aws/watch.md', () => {
    const { api } = apiWith((stack) => ({ reservedConcurrency: 50, alarmTopic: new Topic(stack, 'Topic', { enforceSSL: true }) as ITopic }));
    const page = readFileSync(join(import.meta.dirname, '../../docs/aws/watch.md'), 'utf8');
    const names = Object.values(Template.fromStack(Stack.of(api)).findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) =>
      String(Properties.AlarmName).replace('petstore-orders-', ''),
    );
    expect(names).toContain('near-reserved-concurrency');
    for (const name of names) expect(page).toMatch(new RegExp(`^### .*\\b${name}\\b`, 'm'));
  });

  test.each([
    ['80 % of the timeout', {}, 20_000],
    ['80 % of another timeout', { timeout: Duration.seconds(1) }, 800],
    ['what is slow for this target', { slowAlarm: Duration.millis(250) }, 250],
  ])('has an alarm for responses that take %s', (_, props, Threshold) => {
    const { template } = apiWith((stack) => ({ ...props, alarmTopic: new Topic(stack, 'Topic', { enforceSSL: true }) as ITopic }));
    template().hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'petstore-orders-slow',
      Threshold,
      AlarmDescription: Match.stringLikeRegexp(`more than ${Threshold} ms`),
    });
  });

  test.each([
    ['0 ms', Duration.millis(0)],
    ['1.5 ms', Duration.millis(1.5)],
    ['31000 ms', Duration.seconds(31)],
    ['a token', Duration.seconds(Lazy.number({ produce: () => 9 }))],
  ])('has no alarm for responses that take %s', (given, slowAlarm) => {
    expect(() => apiWith(() => ({ slowAlarm }))).toThrow(`slowAlarm: got "${given}"; allowed: whole milliseconds, 1 to 30000`);
  });

  test.each([
    ['another region', 'arn:aws:lambda:us-east-1:123456789012:function:orders'],
    ['another account', 'arn:aws:lambda:eu-central-1:210987654321:function:orders:live'],
  ])('does not take a function in %s', (_, functionArn) => {
    const line = `target: got "${functionArn}"; allowed: a function in the API's account and region, 123456789012 and eu-central-1`;
    expect(() => apiWith(() => ({ target: KeyedApiTarget.lambda({ functionArn }) }))).toThrow(line);
  });

  test('does not take a function of a stack in another region, before its ARN is known', () => {
    const { app } = apiWith();
    const [there, here] = ['us-east-1', 'eu-central-1'].map((region) => new Stack(app, region, { env: { account: '123456789012', region } }));
    const code = { runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code: Code.fromInline('//') };
    const target = KeyedApiTarget.lambda(new LambdaFunction(there as Stack, 'Handler', code));
    expect(() => new KeyedApi(here as Stack, 'Api', { name: 'sales', target })).toThrow('target: got "a function in 123456789012 and us-east-1"');
    expect(() => new KeyedApi(there as Stack, 'Api', { name: 'sales', target })).not.toThrow();
  });

  test.each([['orders'], ['arn:aws:s3:::orders'], ['']])('does not take the function %j', (functionArn) => {
    expect(() => apiWith(() => ({ target: KeyedApiTarget.lambda({ functionArn }) }))).toThrow(`target: got "${functionArn}"; allowed: the ARN`);
  });

  test('takes functions and versions whose place is not known', () => {
    const app = makeApp(testFolder());
    const anywhere = new Stack(app, 'Anywhere');
    const elsewhere = { functionArn: 'arn:aws:lambda:us-east-1:210987654321:function:orders:$LATEST' };
    new KeyedApi(anywhere, 'Api', { name: 'sales', target: KeyedApiTarget.lambda(elsewhere) });
    const { stack } = apiWith((own) => ({ target: KeyedApiTarget.lambda({ functionArn: Fn.importValue(`${own.stackName}-handler`) }) }));
    expect(stack.region).toBe('eu-central-1');
  });

  test('has no snapshots when it is removed', () => {
    const line = 'removalPolicy: got "snapshot"; allowed: RETAIN_ON_UPDATE_OR_DELETE, RETAIN, DESTROY';
    expect(() => apiWith(() => ({ removalPolicy: RemovalPolicy.SNAPSHOT }))).toThrow(line);
    const { stack } = apiWith();
    const props = { name: 'sites', edgeName: 'edge.example.com', removalPolicy: RemovalPolicy.SNAPSHOT };
    expect(() => new CustomDomains(stack, 'Domains', props)).toThrow(line);
  });

  test.each(['cn-north-1', 'us-gov-west-1', 'eu-central-1'])('has the ARNs of its partition in %s', (region) => {
    const stack = new Stack(makeApp(testFolder()), 'Shop', { env: { account: '123456789012', region } });
    const partition = region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
    const own = KeyedApiTarget.lambda({ functionArn: `arn:${partition}:lambda:${region}:123456789012:function:orders` });
    const api = new KeyedApi(stack, 'Api', { name: 'orders', target: own, alarmTopic: new Topic(stack, 'Topic', { enforceSSL: true }) as ITopic });
    api.grantOperate(new User(stack, 'Operator'));
    const target = KeyedApiTarget.url('https://orders.example.com', { secretParameter: '/orders/gate-secret' });
    new KeyedApi(stack, 'Sales', { name: 'sales', target });
    const partitions = new Set([...JSON.stringify(Template.fromStack(stack).toJSON()).matchAll(/arn:(aws[a-z-]*):/g)].map(([, each]) => each));
    expect([...partitions]).toEqual([partition]);
  });

  test('needs a parameter to use its key', () => {
    const target = KeyedApiTarget.url('https://orders.example.com', { secretKey: { keyArn: 'arn:aws:kms:eu-central-1:123456789012:key/1' } });
    expect(() => apiWith(() => ({ target }))).toThrow('target.secretKey: got "arn:aws:kms');
  });

  test('lets operators use the command line, on its own tables and parameters', () => {
    const { stack, api, template } = apiWith();
    api.grantOperate(new Role(stack, 'Operator', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') }));
    template().hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: 'ssm:GetParametersByPath' })]) },
      Roles: [{ Ref: Match.stringLikeRegexp('^Operator') }],
    });
  });

  test('has the routes it is given, a host name, and alarms for a topic', () => {
    const { api, template } = apiWith((stack) => ({
      routes: ['GET /orders/{id}', 'ANY /orders'],
      alarmTopic: new Topic(stack, 'Topic', { enforceSSL: true }) as ITopic,
      domain: { name: 'orders.example.com', certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1' },
      allowHeaders: ['X-Mine'],
    }));
    expect(api.url).toBe('https://orders.example.com');
    expect(api.alarms.length).toBeGreaterThan(6);
    for (const key of ['$default', 'GET /orders/{id}', 'ANY /orders'])
      template().hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: key });
    template().hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: { AllowHeaders: Match.arrayWith(['Authorization', 'X-Mine']) } });
    template().hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: 'petstore-orders-handler-dead' });
  });

  test('has no findings', () => {
    const { app } = apiWith((stack) => ({ alarmTopic: new Topic(stack, 'Topic', { enforceSSL: true }) as ITopic }));
    expect(() => app.synth()).not.toThrow();
  });

  test('reports everything that is not allowed at once, with what was given', () => {
    const props = () => ({
      name: 'Orders',
      target: KeyedApiTarget.url('http://a:b@example.com/?x'),
      timeout: Duration.seconds(29),
      memorySize: 1,
      routes: ['orders', 'GET /a', 'GET /a'],
      scopes: { read: 'read' as 'pets:read' },
    });
    const lines = ['target.url: got "http', 'timeout: got "29 s"', 'memorySize: got 1;', 'routes[0]: got "orders"', 'routes[2]: got "GET /a"'];
    for (const line of [...lines, 'scopes.read: got "read"; allowed: pets:read, pets:write', 'name: got "Orders"'])
      expect(() => apiWith(props)).toThrow(line);
  });
});
