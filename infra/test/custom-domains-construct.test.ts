// Custom domains as a construct in another CDK app, with the accounts of a keyed API and on their own.

import { Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { User } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { domainSettings, parseEnvironment } from '../../platforms/aws/function-settings.ts';
import { testFolder } from '../../test/support/folders.ts';
import { CustomDomains, type CustomDomainsProps } from '../constructs/custom-domains.ts';
import { KeyedApi } from '../constructs/keyed-api.ts';
import { KeyedApiTarget } from '../constructs/keyed-api-target.ts';
import { makeApp } from './support/synthesis.ts';

function domainsWith(props: (stack: Stack) => Partial<CustomDomainsProps> = () => ({})) {
  const app = makeApp(testFolder());
  const stack = new Stack(app, 'Shop', { env: { account: '123456789012', region: 'eu-central-1' } });
  const domains = new CustomDomains(stack, 'Domains', { name: 'orders', edgeName: 'edge.example.com', ...props(stack) });
  return { app, stack, domains, template: () => Template.fromStack(stack) };
}

describe('CustomDomains', () => {
  test('has its own tables, and files that are retained', () => {
    const { template } = domainsWith();
    template().resourceCountIs('AWS::DynamoDB::GlobalTable', 3);
    template().hasResource('AWS::S3::Bucket', { DeletionPolicy: 'RetainExceptOnCreate' });
    for (const parameter of [
      'tables/usage',
      'tables/control',
      'tables/audit',
      'edge/name',
      'edge/bucket',
      'edge/map',
      'edge/workflow',
      'edge/routing-endpoint',
    ])
      template().hasResourceProperties('AWS::SSM::Parameter', { Name: `/petstore/orders/${parameter}` });
    template().resourceCountIs('AWS::Route53::RecordSet', 0);
    template().resourceCountIs('AWS::CloudFront::Distribution', 1);
  });

  test('shares the accounts of a keyed API with the same name, in one stack', () => {
    const { app, template } = domainsWith((stack) => ({
      tables: new KeyedApi(stack, 'Api', { name: 'orders', target: KeyedApiTarget.url('https://orders.example.com') }).tables,
    }));
    template().resourceCountIs('AWS::DynamoDB::GlobalTable', 3);
    template().resourcePropertiesCountIs('AWS::SSM::Parameter', { Name: Match.stringLikeRegexp('^/petstore/orders/tables/') }, 4);
    expect(() => app.synth()).not.toThrow();
  });

  test('gives its functions settings that they understand', () => {
    const { template } = domainsWith(() => ({ dnsServers: ['192.0.2.1:53'], dnsPort: 5_353, dnsPrivateNetworks: true }));
    const functions = Object.values<{ Properties: { Environment: { Variables: Record<string, unknown> } } }>(
      template().findResources('AWS::Lambda::Function', { Properties: { Environment: { Variables: { EDGE_NAME: 'edge.example.com' } } } }) as never,
    );
    expect(functions).toHaveLength(2);
    for (const { Properties } of functions) {
      const variables = Object.fromEntries(
        Object.entries(Properties.Environment.Variables).map(([name, value]) => [name, typeof value === 'string' ? value : 'a-reference']),
      );
      expect(parseEnvironment(domainSettings, variables)).toMatchObject({ DNS_PORT: 5_353, DNS_PRIVATE_NETWORKS: true });
    }
  });

  test('has records, own addresses and alarms if it is given a zone, a certificate and a topic', () => {
    const { app, domains, template } = domainsWith((stack) => ({
      zone: { name: 'example.com', id: 'Z1' },
      certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1',
      alarmTopic: new Topic(stack, 'Topic', { enforceSSL: true }) as ITopic,
      removalPolicy: RemovalPolicy.DESTROY,
      reserveConcurrency: true,
    }));
    expect(domains.alarms.length).toBeGreaterThan(10);
    template().resourceCountIs('AWS::CloudFront::Distribution', 2);
    template().hasResourceProperties('AWS::Route53::RecordSet', { Name: '*.edge.example.com.' });
    template().hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Delete' });
    template().hasResourceProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: 2 });
    expect(() => app.synth()).not.toThrow();
  });

  test('lets operators use the command line', () => {
    const { stack, domains, template } = domainsWith();
    domains.grantOperate(new User(stack, 'Operator'));
    for (const action of ['ssm:GetParametersByPath', 'states:StartExecution', 'route53:ChangeResourceRecordSets'])
      template().hasResourceProperties('AWS::IAM::Policy', {
        PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: action })]) },
        Users: [{ Ref: Match.stringLikeRegexp('^Operator') }],
      });
  });

  test("sets owners' records in all zones of the AWS account, in those that are named, or in none", () => {
    const zoneArns = (zoneIds?: readonly string[]) => {
      const { app, stack, domains, template } = domainsWith(() => (zoneIds === undefined ? {} : { zoneIds }));
      domains.grantOperate(new User(stack, 'Operator'));
      expect(() => app.synth()).not.toThrow();
      const zonesOf = (id: string) => {
        const statements = Object.values(template().findResources('AWS::IAM::Policy'))
          .filter(({ Properties }) => String(Properties.PolicyName).includes(id))
          .flatMap(({ Properties }) => Properties.PolicyDocument.Statement as readonly { Action: string | string[]; Resource: unknown }[])
          .filter(({ Action }) => [Action].flat().some((action) => /^route53:(Change|ListTags|ListResource)/.test(action)));
        return statements.map(({ Resource }) => JSON.stringify(Resource).match(/(?<=hostedzone\/)[^"]+/g));
      };
      return ['WorkflowStepsRole', 'WorkflowSweepRole', 'OperatorDefaultPolicy'].map(zonesOf);
    };
    expect(zoneArns()).toEqual(Array(3).fill([['*'], ['*']]));
    expect(zoneArns(['Z1', 'Z2'])).toEqual(
      Array(3).fill([
        ['Z1', 'Z2'],
        ['Z1', 'Z2'],
      ]),
    );
    expect(zoneArns([])).toEqual(Array(3).fill([]));
  });

  test.each([
    [undefined, undefined],
    [['Z1', 'Z2'], 'Z1,Z2'],
    [[], 'none'],
  ])('tells its functions and the command line about the zones %j', (zoneIds, text) => {
    const { template } = domainsWith(() => (zoneIds === undefined ? {} : { zoneIds }));
    const variables = { EDGE_NAME: 'edge.example.com', ...(text === undefined ? { ZONE_IDS: Match.absent() } : { ZONE_IDS: text }) };
    template().resourcePropertiesCountIs('AWS::Lambda::Function', { Environment: { Variables: variables } }, 2);
    const parameter = { Name: '/petstore/orders/edge/zones', ...(text !== undefined && { Value: text }) };
    template().resourcePropertiesCountIs('AWS::SSM::Parameter', parameter, text === undefined ? 0 : 1);
  });

  test('reports zone ids that are none', () => {
    expect(() => domainsWith(() => ({ zoneIds: ['Z1', 'example.com'] }))).toThrow(
      'zoneIds[1]: got "example.com"; allowed: the id of a Route 53 zone',
    );
    expect(() => domainsWith(() => ({ zoneIds: Array(21).fill('Z1') }))).toThrow('allowed: at most 20 zones');
    expect(() => domainsWith(() => ({ zoneIds: Fn.split(',', Fn.importValue('zones')) }))).toThrow('a list whose length is known at synthesis');
  });

  test('reports everything that is not allowed at once, with what was given', () => {
    const props = () => ({
      name: 'a--b',
      edgeName: 'Edge',
      tablePrefix: 'a'.repeat(41),
      zone: { name: 'example.org', id: 'Z1' },
      certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
      dnsServers: ['dns.example'],
      dnsPort: 0,
    });
    const lines = ['name: got "a--b"', 'tablePrefix: got "aaa', 'edgeName: got "Edge"', 'edgeName.zone: got "example.org"'];
    for (const line of [...lines, 'certificateArn: got "arn:aws:acm:eu-central-1', 'dnsServers[0]: got "dns.example"', 'dnsPort: got 0'])
      expect(() => domainsWith(props)).toThrow(line);
  });
});
