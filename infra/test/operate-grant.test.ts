// Who can be permitted to run the command line on a deployment.

import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, Group, type IGrantable, PolicyStatement, Role, ServicePrincipal, User } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folders.ts';
import { Catalogue } from '../constructs/catalogue.ts';
import { grantStatements } from '../constructs/command-permissions.ts';
import { CustomDomains } from '../constructs/custom-domains.ts';
import { KeyedApi } from '../constructs/keyed-api.ts';
import { KeyedApiTarget } from '../constructs/keyed-api-target.ts';

const ACCOUNT = '123456789012';

function makeStack(): Stack {
  const app = new App({ outdir: testFolder(), context: { [BUNDLING_STACKS]: [] } });
  return new Stack(app, 'Shop', { env: { account: ACCOUNT, region: 'eu-central-1' } });
}

const STATEMENT = () => new PolicyStatement({ actions: ['ssm:GetParametersByPath'], resources: ['*'] });
const roleOf = (stack: Stack, account: string, options = {}) => Role.fromRoleArn(stack, 'Imported', `arn:aws:iam::${account}:role/ops`, options);

function roleElsewhere(stack: Stack): Role {
  const other = new Stack(stack.node.root, 'Other', { env: { account: '210987654321', region: 'eu-central-1' } });
  return new Role(other, 'Ops', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
}

describe('the command line', () => {
  test.each<[string, (stack: Stack) => IGrantable]>([
    ['a role', (stack) => new Role(stack, 'Ops', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') })],
    ['a user', (stack) => new User(stack, 'Ops')],
    ['a group', (stack) => new Group(stack, 'Ops')],
    ['an imported role of this account', (stack) => roleOf(stack, ACCOUNT)],
  ])('can be permitted to %s', (_, make) => {
    const stack = makeStack();
    grantStatements(stack, make(stack), [STATEMENT()]);
    Template.fromStack(stack).resourceCountIs('AWS::IAM::Policy', 1);
  });

  const POWERLESS: [string, (stack: Stack) => IGrantable][] = [
    ['an imported role of another account', (stack) => roleOf(stack, '210987654321')],
    ['an imported role that must not be changed', (stack) => roleOf(stack, ACCOUNT, { mutable: false })],
    ['a role of a stack in another account', roleElsewhere],
    ['a service', () => new ServicePrincipal('ec2.amazonaws.com')],
    ['an account', () => new AccountPrincipal('210987654321')],
  ];
  test.each(POWERLESS)('can not be permitted to %s, which is refused', (_, make) => {
    const stack = makeStack();
    expect(() => grantStatements(stack, make(stack), [STATEMENT()])).toThrow(
      /^Shop: grantOperate: got (?!undefined|\[object).*; allowed: a role or a user of this account that this app may change/,
    );
  });

  test.each<[string, (stack: Stack) => { grantOperate(grantee: IGrantable): void }]>([
    ['KeyedApi', (stack) => new KeyedApi(stack, 'It', { name: 'orders', target: KeyedApiTarget.url('https://orders.example.com') })],
    ['Catalogue', (stack) => new Catalogue(stack, 'It', { name: 'orders' })],
    ['CustomDomains', (stack) => new CustomDomains(stack, 'It', { name: 'orders', edgeName: 'edge.example.com' })],
  ])('is not silently without permission by %s', (_, make) => {
    const stack = makeStack();
    const it = make(stack);
    expect(() => it.grantOperate(roleOf(stack, '210987654321'))).toThrow('Shop/It: grantOperate: ');
  });

  test('is permitted to a function with a role of its own only', () => {
    const stack = makeStack();
    const imported = LambdaFunction.fromFunctionArn(stack, 'Function', `arn:aws:lambda:eu-central-1:${ACCOUNT}:function:ops`);
    grantStatements(stack, imported, [STATEMENT()]);
    // The CDK has a warning for it.
    expect(Template.fromStack(stack).findResources('AWS::IAM::Policy')).toEqual({});
  });
});
