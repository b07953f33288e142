// API keys in front of something else, as a construct in another CDK app.

import { Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { parseGateSettings } from '../../platforms/aws/gate-settings.ts';
import { testFolder } from '../../test/support/folders.ts';
import { KeyedApi, type KeyedApiProps, KeyedApiTarget } from '../constructs/keyed-api.ts';
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
    template().resourceCountIs('AWS::DynamoDB::GlobalTable', 2);
    template().allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'RetainExceptOnCreate' });
    template().resourcePropertiesCountIs(
      'AWS::SSM::Parameter',
      { Name: Match.stringLikeRegexp('^/petstore/orders/tables/(usage|control|key-mode)$') },
      3,
    );
    template().resourceCountIs('AWS::SSM::Parameter', 3);
  });

  test('gives its function settings that it understands', () => {
    expect(parseGateSettings(environmentIn(apiWith().template()))).toMatchObject({
      target: { functionArn: HANDLER_ARN },
      timeoutMs: 25_000,
      scopes: { read: 'pets:read', write: 'pets:write' },
      serviceName: 'petstore-orders',
    });
    const url = 'https://orders.example.com/v2';
    const { template } = apiWith(() => ({ target: KeyedApiTarget.url(url), timeout: Duration.seconds(3), scopes: { write: 'pets:read' } }));
    expect(parseGateSettings(environmentIn(template()))).toMatchObject({
      target: { url },
      timeoutMs: 3_000,
      scopes: { read: 'pets:read', write: 'pets:read' },
    });
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
