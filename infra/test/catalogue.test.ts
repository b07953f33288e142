// The catalogue as a construct in another CDK app.

import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { User } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import type { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folders.ts';
import { Catalogue, type CatalogueProps } from '../constructs/catalogue.ts';
import { KeyedApi } from '../constructs/keyed-api.ts';
import { KeyedApiTarget } from '../constructs/keyed-api-target.ts';

function catalogueWith(props: (stack: Stack) => Partial<CatalogueProps> = () => ({})) {
  const app = new App({ outdir: testFolder(), context: { [BUNDLING_STACKS]: [] } });
  const stack = new Stack(app, 'Shop');
  const catalogue = new Catalogue(stack, 'Pets', { name: 'pets', ...props(stack) });
  return { stack, catalogue, template: () => Template.fromStack(stack) };
}

describe('Catalogue', () => {
  test('has tables that are retained and protected, and that the command line finds', () => {
    const { template } = catalogueWith();
    for (const table of ['pets', 'usage', 'control']) {
      template().hasResource('AWS::DynamoDB::GlobalTable', {
        DeletionPolicy: 'RetainExceptOnCreate',
        Properties: { TableName: `petstore-pets-${table}`, Replicas: [Match.objectLike({ DeletionProtectionEnabled: true })] },
      });
      template().hasResourceProperties('AWS::SSM::Parameter', { Name: `/petstore/pets/tables/${table}` });
    }
    template().hasResourceProperties('AWS::SSM::Parameter', { Name: '/petstore/pets/tables/key-mode', Value: 'live' });
    template().resourceCountIs('AWS::CloudWatch::Alarm', 0);
    template().resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
  });

  test('lets go of its data if it is to be destroyed', () => {
    const { template } = catalogueWith(() => ({ removalPolicy: RemovalPolicy.DESTROY }));
    template().allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
    template().hasResourceProperties('AWS::DynamoDB::GlobalTable', { Replicas: [Match.objectLike({ DeletionProtectionEnabled: false })] });
  });

  test('takes existing tables', () => {
    const { template } = catalogueWith((stack) => {
      const existing = (name: string) => TableV2.fromTableName(stack, name, name);
      return { name: 'others', tables: { pets: existing('pets'), usage: existing('usage'), control: existing('control'), audit: existing('audit') } };
    });
    template().resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
    template().resourcePropertiesCountIs('AWS::SSM::Parameter', { Name: Match.stringLikeRegexp('^/petstore/others/tables/') }, 5);
  });

  test('that shares tables with another construct repeats none of their alarms', () => {
    const { catalogue } = catalogueWith((stack) => {
      const alarmTopic = new Topic(stack, 'Topic') as ITopic;
      const { tables } = new KeyedApi(stack, 'Orders', { name: 'orders', target: KeyedApiTarget.url('https://orders.example.com'), alarmTopic });
      return { alarmTopic, tables: { ...tables, pets: TableV2.fromTableName(stack, 'Existing', 'pets') } };
    });
    const ids = (alarms: readonly Construct[] = []) => alarms.map(({ node }) => node.id).filter((id) => id.startsWith('TableThrottled'));
    expect(ids(catalogue.alarms)).toEqual(['TableThrottled-pets']);
    const orders = catalogue.node.scope?.node.findChild('Orders') as KeyedApi;
    expect(ids(orders.alarms)).toEqual(['TableThrottled-usage', 'TableThrottled-control', 'TableThrottled-audit']);
  });

  test('has alarms and a probe for a topic, a canary and a host name', () => {
    const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/1';
    const { catalogue, template } = catalogueWith((stack) => ({
      alarmTopic: new Topic(stack, 'Topic') as ITopic,
      canary: true,
      domain: { name: 'pets.example.com', certificateArn, zone: { name: 'example.com', id: 'Z1' } },
    }));
    expect(catalogue.url).toBe('https://pets.example.com');
    expect(catalogue.alarms.length).toBeGreaterThan(8);
    template().hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: 'petstore-pets-slow', Threshold: 1_000 });
    template().resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 1);
    template().resourceCountIs('AWS::Route53::RecordSet', 2);
    template().hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: 'petstore-pets-unreachable' });
  });

  test('lets operators use the command line, on its own tables and parameters', () => {
    const { stack, catalogue, template } = catalogueWith();
    catalogue.grantOperate(new User(stack, 'Operator'));
    for (const Action of ['ssm:GetParametersByPath', ['dynamodb:PutItem', 'dynamodb:Query']])
      template().hasResourceProperties('AWS::IAM::Policy', {
        PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action })]) },
        Users: [{ Ref: Match.stringLikeRegexp('^Operator') }],
      });
  });

  test('reports everything that is not allowed at once, with what was given', () => {
    const props = { name: 'Pets', tablePrefix: 'P', throttle: { rate: 0, burst: 1.5 }, domain: { name: 'a b', certificateArn: 'x' } };
    expect(() => catalogueWith(() => props)).toThrow(
      /Shop\/Pets: invalid properties:\n {2}name: got "Pets"; .*\n {2}tablePrefix: got "P"; .*\n {2}throttle.rate: got 0; .*\n {2}throttle.burst: got 1.5; .*\n {2}domain.name: got "a b"; /,
    );
  });
});
