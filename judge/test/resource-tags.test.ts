// The tags of resources as condition keys: which calls to the emulator they need, and for which actions they exist.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createResourceTags, type ResourceTags, resourceTagKeys } from '../resource-tags.ts';
import type { Statement } from '../rules/policy-evaluation.ts';
import { ACCOUNT, ADMINISTRATOR, type StandIn, startStandIn, tenantArn } from './support/emulator-stand-in.ts';

const CERTIFICATE = `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/c1`;

let standIn: StandIn;
let tags: ResourceTags;

beforeAll(async () => {
  standIn = await startStandIn();
  tags = createResourceTags(`http://127.0.0.1:${standIn.port}`, ADMINISTRATOR);
  standIn.tenants.push({ id: 'dt_1', name: 'shop', domain: 'www.shop.dev' });
  standIn.tags.set(tenantArn('dt_1'), { stage: 'staging', 'petstore:account': 'acc_1' });
  standIn.tags.set(CERTIFICATE, { stage: 'production' });
});
afterAll(() => standIn.stop());
beforeEach(() => {
  standIn.requests.length = 0;
});

describe('lookup', () => {
  const OF_TENANT = { stage: 'staging', 'petstore:account': 'acc_1' };

  test.each<[string, string, Record<string, unknown>, object]>([
    ['a tenant by its id', tenantArn('dt_1'), { Identifier: 'dt_1' }, OF_TENANT],
    ['a tenant by its id, to be changed', tenantArn('dt_1'), { Id: 'dt_1', IfMatch: 'E' }, OF_TENANT],
    ['a tenant by its ARN', tenantArn('dt_1'), { Resource: tenantArn('dt_1') }, OF_TENANT],
    ['a tenant by its name', tenantArn('an-id'), { Identifier: 'shop' }, OF_TENANT],
    ['a tenant by its domain', tenantArn('an-id'), { Domain: 'www.shop.dev' }, OF_TENANT],
    ['a tenant whose records are verified', tenantArn('an-id'), { Identifier: 'shop', Domain: 'www.other.dev' }, OF_TENANT],
    ['a tenant that is being created', tenantArn('an-id'), { Name: 'new', Domains: [] }, {}],
    ['a tenant that does not exist', tenantArn('dt_2'), { Identifier: 'dt_2' }, {}],
    ['a certificate', CERTIFICATE, { CertificateArn: CERTIFICATE }, { stage: 'production' }],
    ['a certificate that is being requested', CERTIFICATE.replace('c1', 'an-id'), { DomainName: 'a.dev' }, {}],
  ])('%s', async (_, resource, input, expected) => {
    expect(Object.fromEntries(await tags.of(resource, input))).toEqual(expected);
  });

  test('a resource type whose tags cannot be looked up is an error', async () => {
    await expect(tags.of('arn:aws:dynamodb:us-east-1:1:table/pets', {})).rejects.toThrow('its tags cannot be looked up');
  });
});

describe('condition keys', () => {
  const asking = (Action: string, Effect: Statement['Effect'] = 'Allow'): Statement => {
    return { Effect, Action, Resource: '*', Condition: { StringEquals: { 'AWS:ResourceTag/Stage': 'staging' } } };
  };
  const get = { action: 'cloudfront:GetDistributionTenant', resource: tenantArn('dt_1') };
  const keys = { 'aws:ResourceTag/stage': 'staging', 'aws:ResourceTag/petstore:account': 'acc_1' };

  test.each<[string, Statement[]]>([
    ['a statement', [asking('cloudfront:GetDistributionTenant')]],
    ['a statement with a wildcard', [asking('CloudFront:*')]],
    ['a denial', [asking('cloudfront:Get*', 'Deny')]],
    ['one of several', [{ Effect: 'Allow', Action: '*', Resource: '*' }, asking('*')]],
  ])('%s requires them', async (_, statements) => {
    expect(await resourceTagKeys(statements, get, { Identifier: 'dt_1' }, tags)).toEqual(keys);
  });

  test.each<[string, Statement[]]>([
    ['no condition', [{ Effect: 'Allow', Action: 'cloudfront:GetDistributionTenant', Resource: '*' }]],
    ['conditions of other actions', [asking('cloudfront:UpdateDistributionTenant')]],
    ['tags of the request', [{ ...asking('*'), Condition: { StringEquals: { 'aws:RequestTag/stage': 'staging' } } }]],
  ])('%s: nothing is looked up', async (_, statements) => {
    expect(await resourceTagKeys(statements, get, { Identifier: 'dt_1' }, tags)).toEqual({});
    expect(standIn.requests).toEqual([]);
  });

  // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonroute53.html: no action has aws:ResourceTag.
  test('actions that have no such key in AWS get none', async () => {
    const change = { action: 'route53:ChangeResourceRecordSets', resource: 'arn:aws:route53:::hostedzone/Z1' };
    expect(await resourceTagKeys([asking('*')], change, { HostedZoneId: 'Z1' }, tags)).toEqual({});
    expect(await resourceTagKeys([asking('*')], { action: 'cloudfront:ListDistributionTenants', resource: '*' }, {}, tags)).toEqual({});
    expect(standIn.requests).toEqual([]);
  });
});
