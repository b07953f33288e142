// The judge, with copies of the deployed roles: a faithful copy may make the role's calls, and a copy with a deliberate mistake may not.

import { ACMClient, DeleteCertificateCommand, RequestCertificateCommand } from '@aws-sdk/client-acm';
import {
  CloudFrontClient,
  CreateDistributionTenantCommand,
  GetConnectionGroupCommand,
  ListDistributionTenantsCommand,
  UpdateDistributionTenantCommand,
} from '@aws-sdk/client-cloudfront';
import { CloudFrontKeyValueStoreClient, DescribeKeyValueStoreCommand } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { DeleteItemCommand, DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateRoleCommand, IAMClient, PutRolePolicyCommand, paginateListRoles } from '@aws-sdk/client-iam';
import { ChangeResourceRecordSetsCommand, Route53Client } from '@aws-sdk/client-route-53';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { GetParameterCommand, GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import '@aws-sdk/signature-v4a';
import { type PlacedStatement, readStatements, WRONG_ROLE_PREFIX } from '../../judge/index.ts';
import { listOf } from '../../judge/rules.ts';
import { parameterPath } from '../../platforms/aws/stage-parameters.ts';
import { ACCOUNT, REGION } from './emulator.ts';

const ROLES = {
  api: 'staging-Api-ApiRole',
  control: 'staging-Dashboard-ControlRole',
  steps: 'staging-Domains-StepsRole',
  sweep: 'staging-Domains-SweepRole',
  pipeline: 'petstore-staging-deploy',
  operator: 'petstore-staging-operator',
  failover: 'staging-Edge-FailoverRole',
} as const;

type RoleKind = keyof typeof ROLES;

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** The stage's resources that the calls name. */
interface Stage {
  readonly usage: string;
  readonly pets: string;
  readonly control: string;
  readonly bucket: string;
  readonly map: string;
  readonly workflow: string;
  readonly dashboardBucket: string;
  readonly distribution: string;
}

type CallOf = (credentials: Credentials, stage: Stage) => Promise<unknown>;
type Change = (statements: readonly PlacedStatement[]) => readonly object[];

const iam = new IAMClient({});
let stage: Stage;

const key = { id: { S: 'roles.deployed' } };
const at = (credentials: Credentials) => ({ region: REGION, credentials });
const TENANT = { Name: 'wrong-role', Domains: [{ Domain: 'www.wrong-role.dev' }] };
const STAGE_TAG = { Items: [{ Key: 'petstore:stage', Value: 'staging' }] };

const CALLS = {
  updateUsage: (credentials, { usage }) => new DynamoDBClient(at(credentials)).send(new UpdateItemCommand({ TableName: usage, Key: key })),
  updateHistory: (credentials, { control }) =>
    new DynamoDBClient(at(credentials)).send(
      new UpdateItemCommand({ TableName: control, Key: { pk: { S: 'usage-history#roles.deployed' }, sk: { S: 'minutes#0' } } }),
    ),
  updateAccount: (credentials, { control }) =>
    new DynamoDBClient(at(credentials)).send(
      new UpdateItemCommand({ TableName: control, Key: { pk: { S: 'accounts' }, sk: { S: 'roles.deployed' } } }),
    ),
  getPet: (credentials, { pets }) => new DynamoDBClient(at(credentials)).send(new GetItemCommand({ TableName: pets, Key: key })),
  putPet: (credentials, { pets }) => new DynamoDBClient(at(credentials)).send(new PutItemCommand({ TableName: pets, Item: key })),
  queryIndex: (credentials, { pets }) =>
    new DynamoDBClient(at(credentials)).send(
      new QueryCommand({ TableName: pets, IndexName: 'byStatus', KeyConditionExpression: 'a = :a', ExpressionAttributeValues: { ':a': { S: 'a' } } }),
    ),
  deleteControl: (credentials, { control }) => new DynamoDBClient(at(credentials)).send(new DeleteItemCommand({ TableName: control, Key: key })),
  putSite: (credentials, { bucket }) =>
    new S3Client(at(credentials)).send(new PutObjectCommand({ Bucket: bucket, Key: 'prj_wrong/dpl_wrong/a', Body: 'x' })),
  getSite: (credentials, { bucket }) => new S3Client(at(credentials)).send(new GetObjectCommand({ Bucket: bucket, Key: 'prj_wrong/dpl_wrong/a' })),
  startWorkflow: (credentials, { workflow }) =>
    new SFNClient(at(credentials)).send(new StartExecutionCommand({ stateMachineArn: workflow, name: crypto.randomUUID(), input: '{}' })),
  describeMap: (credentials, { map }) => new CloudFrontKeyValueStoreClient(at(credentials)).send(new DescribeKeyValueStoreCommand({ KvsARN: map })),
  changeRecords: (credentials) =>
    new Route53Client(at(credentials)).send(
      new ChangeResourceRecordSetsCommand({
        HostedZoneId: 'Z0WRONGROLE',
        ChangeBatch: {
          Changes: [{ Action: 'DELETE', ResourceRecordSet: { Name: 'a.wrong.dev', Type: 'CNAME', TTL: 60, ResourceRecords: [{ Value: 'b.dev' }] } }],
        },
      }),
    ),
  routingEndpoint: (credentials) => new SSMClient(at(credentials)).send(new GetParameterCommand({ Name: '/petstore/staging/edge/routing-endpoint' })),
  createTenant: (credentials, { distribution }) =>
    new CloudFrontClient(at(credentials)).send(new CreateDistributionTenantCommand({ ...TENANT, DistributionId: distribution, Tags: STAGE_TAG })),
  createManagedTenant: (credentials, { distribution }) =>
    new CloudFrontClient(at(credentials)).send(
      new CreateDistributionTenantCommand({
        ...TENANT,
        DistributionId: distribution,
        Tags: STAGE_TAG,
        ManagedCertificateRequest: { ValidationTokenHost: 'cloudfront', PrimaryDomainName: 'www.wrong-role.dev' },
      }),
    ),
  createForeignTenant: (credentials, { distribution }) =>
    new CloudFrontClient(at(credentials)).send(
      new CreateDistributionTenantCommand({
        ...TENANT,
        DistributionId: distribution,
        Tags: { Items: [{ Key: 'petstore:stage', Value: 'production' }] },
      }),
    ),
  updateTenant: (credentials) => new CloudFrontClient(at(credentials)).send(new UpdateDistributionTenantCommand({ Id: 'dt_wrong', IfMatch: 'E1' })),
  listTenants: (credentials) => new CloudFrontClient(at(credentials)).send(new ListDistributionTenantsCommand({})),
  connectionGroup: (credentials) => new CloudFrontClient(at(credentials)).send(new GetConnectionGroupCommand({ Identifier: 'petstore-staging' })),
  requestCertificate: (credentials) =>
    new ACMClient(at(credentials)).send(
      new RequestCertificateCommand({
        DomainName: 'www.wrong-role.dev',
        ValidationMethod: 'DNS',
        Tags: [{ Key: 'petstore:stage', Value: 'staging' }],
      }),
    ),
  deleteCertificate: (credentials) =>
    new ACMClient(at(credentials)).send(
      new DeleteCertificateCommand({ CertificateArn: `arn:aws:acm:${REGION}:${ACCOUNT}:certificate/00000000-0000-4000-8000-000000000000` }),
    ),
  dashboardParameters: (credentials) =>
    new SSMClient(at(credentials)).send(new GetParametersByPathCommand({ Path: parameterPath('staging', 'dashboard') })),
  putDashboard: (credentials, { dashboardBucket }) =>
    new S3Client(at(credentials)).send(new PutObjectCommand({ Bucket: dashboardBucket, Key: 'wrong.txt', Body: 'x' })),
  assumeDeployRole: (credentials) =>
    new STSClient(at(credentials)).send(
      new AssumeRoleCommand({ RoleArn: `arn:aws:iam::${ACCOUNT}:role/cdk-hnb659fds-deploy-role-${ACCOUNT}-${REGION}`, RoleSessionName: 'wrong' }),
    ),
} satisfies Record<string, CallOf>;

/** Removes an action. */
const without =
  (action: string): Change =>
  (statements) =>
    statements
      .map((statement) => ({ ...statement, Action: listOf(statement.Action).filter((each) => each !== action) }))
      .filter(({ Action }) => Action.length > 0);

/** Replaces the resources on which an action is allowed. */
const onResources =
  (action: string, change: (resource: string) => string): Change =>
  (statements) =>
    statements.map((statement) =>
      listOf(statement.Action).includes(action) ? { ...statement, Resource: listOf(statement.Resource).map(change) } : statement,
    );

const withStatement =
  (statement: object): Change =>
  (statements) => [...statements, statement];

const withCondition =
  (action: string, Condition: object): Change =>
  (statements) =>
    statements.map((statement) => (listOf(statement.Action).includes(action) ? { ...statement, Condition } : statement));

/** What each kind of role does. */
const RIGHT: Readonly<Record<RoleKind, readonly (keyof typeof CALLS)[]>> = {
  api: ['updateUsage', 'updateHistory', 'getPet', 'putPet', 'queryIndex'],
  control: ['deleteControl', 'putSite', 'startWorkflow', 'describeMap', 'routingEndpoint'],
  steps: ['createTenant', 'createManagedTenant', 'changeRecords', 'connectionGroup', 'requestCertificate', 'deleteCertificate', 'describeMap'],
  sweep: ['listTenants', 'startWorkflow', 'createTenant', 'createManagedTenant'],
  pipeline: ['dashboardParameters', 'putDashboard', 'assumeDeployRole'],
  operator: ['deleteControl', 'queryIndex', 'putSite', 'startWorkflow', 'describeMap', 'dashboardParameters'],
  failover: ['getSite'],
};

const WRONG: readonly (readonly [what: string, role: RoleKind, change: Change, call: keyof typeof CALLS, denied: string])[] = [
  ['no permission to count', 'api', without('dynamodb:UpdateItem'), 'updateUsage', 'dynamodb:UpdateItem'],
  ['the history, but no account', 'api', (statements) => statements, 'updateAccount', 'dynamodb:UpdateItem'],
  ['another table', 'api', onResources('dynamodb:GetItem', (arn) => `${arn}-other`), 'getPet', 'dynamodb:GetItem'],
  ['the table, but not its index', 'api', onResources('dynamodb:Query', (arn) => arn.replace(/\/index\/.*/, '')), 'queryIndex', 'dynamodb:Query'],
  ['an explicit denial', 'api', withStatement({ Effect: 'Deny', Action: 'dynamodb:Put*', Resource: '*' }), 'putPet', 'dynamodb:PutItem'],
  ['a table of another region', 'api', onResources('dynamodb:PutItem', (arn) => arn.replace(REGION, 'eu-west-1')), 'putPet', 'dynamodb:PutItem'],
  ['the bucket instead of its objects', 'control', onResources('s3:PutObject', (arn) => arn.replace(/\/\*$/, '')), 'putSite', 's3:PutObject'],
  [
    "production's state machine",
    'control',
    onResources('states:StartExecution', (arn) => arn.replace('staging', 'production')),
    'startWorkflow',
    'states:StartExecution',
  ],
  [
    'no permission to read the map',
    'control',
    without('cloudfront-keyvaluestore:DescribeKeyValueStore'),
    'describeMap',
    'cloudfront-keyvaluestore:DescribeKeyValueStore',
  ],
  [
    'only another zone',
    'steps',
    onResources('route53:ChangeResourceRecordSets', () => 'arn:aws:route53:::hostedzone/Z1'),
    'changeRecords',
    'route53:ChangeResourceRecordSets',
  ],
  [
    'records of another type',
    'steps',
    withCondition('route53:ChangeResourceRecordSets', {
      'ForAllValues:StringEquals': { 'route53:ChangeResourceRecordSetsRecordTypes': ['TXT'] },
    }),
    'changeRecords',
    'route53:ChangeResourceRecordSets',
  ],
  [
    "another stage's parameter",
    'control',
    onResources('ssm:GetParameter', (arn) => arn.replace('staging', 'production')),
    'routingEndpoint',
    'ssm:GetParameter',
  ],
  ['no permission to delete', 'control', without('dynamodb:DeleteItem'), 'deleteControl', 'dynamodb:DeleteItem'],
  ["another stage's tag", 'steps', (statements) => statements, 'createForeignTenant', 'cloudfront:CreateDistributionTenant'],
  ["a tenant without the stage's tag", 'steps', (statements) => statements, 'updateTenant', 'cloudfront:UpdateDistributionTenant'],
  ['DNS, from the internet', 'control', (statements) => statements, 'changeRecords', 'route53:ChangeResourceRecordSets'],
  ['a tenant that may not be tagged', 'steps', without('cloudfront:TagResource'), 'createTenant', 'cloudfront:TagResource'],
  [
    "CloudFront's request of a certificate, which has no tag",
    'steps',
    withCondition('acm:RequestCertificate', { StringEquals: { 'aws:RequestTag/petstore:stage': 'staging' } }),
    'createManagedTenant',
    'acm:RequestCertificate',
  ],
  ['a certificate that may not be tagged', 'steps', without('acm:AddTagsToCertificate'), 'requestCertificate', 'acm:AddTagsToCertificate'],
  [
    'distributions instead of tenants',
    'steps',
    onResources('cloudfront:TagResource', (arn) => arn.replace('distribution-tenant', 'distribution')),
    'createTenant',
    'cloudfront:TagResource',
  ],
  [
    'certificates of another region',
    'steps',
    onResources('acm:DeleteCertificate', (arn) => arn.replace('us-east-1', 'eu-west-1')),
    'deleteCertificate',
    'acm:DeleteCertificate',
  ],
  ['no permission to read the entry', 'steps', without('cloudfront:GetConnectionGroup'), 'connectionGroup', 'cloudfront:GetConnectionGroup'],
  [
    'a list operation that is allowed only on a resource',
    'sweep',
    onResources('cloudfront:ListDistributionTenants', () => `arn:aws:cloudfront::${ACCOUNT}:distribution-tenant/*`),
    'listTenants',
    'cloudfront:ListDistributionTenants',
  ],
  ['no permission to restart', 'sweep', without('states:StartExecution'), 'startWorkflow', 'states:StartExecution'],
  [
    "production's parameters",
    'pipeline',
    onResources('ssm:GetParametersByPath', (arn) => arn.replace('staging', 'production')),
    'dashboardParameters',
    'ssm:GetParametersByPath',
  ],
  ['records deleted instead of set', 'operator', (statements) => statements, 'changeRecords', 'route53:ChangeResourceRecordSets'],
  ['an index of another table', 'operator', onResources('dynamodb:Query', (arn) => arn.replace('-pets/', '-other/')), 'queryIndex', 'dynamodb:Query'],
  ["another stage's files", 'failover', onResources('s3:GetObject', (arn) => arn.replace('staging', 'production')), 'getSite', 's3:GetObject'],
  ['no permission to publish', 'pipeline', without('s3:PutObject'), 'putDashboard', 's3:PutObject'],
  [
    'no permission to deploy',
    'pipeline',
    onResources('sts:AssumeRole', (arn) => arn.replace('deploy-role', 'other-role')),
    'assumeDeployRole',
    'sts:AssumeRole',
  ],
];

let names: readonly string[] = [];

beforeAll(async () => {
  const ssm = new SSMClient({});
  const read = async (group: 'tables' | 'edge' | 'dashboard') => {
    const { Parameters = [] } = await ssm.send(new GetParametersByPathCommand({ Path: parameterPath('staging', group) }));
    return (name: string) => Parameters.find(({ Name }) => Name?.endsWith(`/${name}`))?.Value ?? '';
  };
  const [tables, edge, dashboard] = await Promise.all([read('tables'), read('edge'), read('dashboard')]);
  stage = {
    usage: tables('usage'),
    pets: tables('pets'),
    control: tables('control'),
    bucket: edge('bucket'),
    map: edge('map'),
    workflow: edge('workflow'),
    dashboardBucket: dashboard('bucket'),
    distribution: dashboard('distribution'),
  };
  for await (const { Roles = [] } of paginateListRoles({ client: iam }, {})) names = [...names, ...Roles.map(({ RoleName = '' }) => RoleName)];
});

afterAll(() => iam.destroy());

/** Creates a role with these statements. @returns its credentials */
async function roleWith(RoleName: string, statements: readonly object[]): Promise<Credentials> {
  const trust = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` } };
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [trust] });
  await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: statements });
  await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'copy', PolicyDocument }));
  const sts = new STSClient({});
  const { Credentials } = await sts.send(new AssumeRoleCommand({ RoleArn: `arn:aws:iam::${ACCOUNT}:role/${RoleName}`, RoleSessionName: 'test' }));
  return {
    accessKeyId: Credentials?.AccessKeyId ?? '',
    secretAccessKey: Credentials?.SecretAccessKey ?? '',
    sessionToken: Credentials?.SessionToken ?? '',
  };
}

/** The statements of the deployed role, without the names of their policies. */
async function statementsOf(kind: RoleKind): Promise<readonly PlacedStatement[]> {
  const name = names.find((each) => each.startsWith(ROLES[kind]));
  return readStatements(String(name));
}

const asDocument = (statements: readonly object[]) =>
  statements.map((statement) => Object.fromEntries(Object.entries(statement).filter(([name]) => name !== 'policy')));

describe.each(Object.keys(ROLES) as RoleKind[])('a copy of the %s role', (kind) => {
  test.each(RIGHT[kind])('may %s', async (call) => {
    const credentials = await roleWith(`copy-${kind}-${call}`, asDocument(await statementsOf(kind)));
    // The service may answer that a name does not exist; that is not a denial. Without an answer, nothing is known.
    await CALLS[call](credentials, stage).catch((error: Error) => {
      expect(error).toMatchObject({ $metadata: { httpStatusCode: expect.any(Number) } });
      expect(`${error.name} ${error.message}`).not.toMatch(/AccessDenied|not authorized/);
    });
  });
});

describe('a role with a deliberate mistake', () => {
  test.each(WRONG.map((each, index) => [...each, index] as const))('%s: the %s role is denied', async (_what, kind, change, call, denied, index) => {
    const credentials = await roleWith(`${WRONG_ROLE_PREFIX}${index}`, asDocument(change(await statementsOf(kind))));
    await expect(CALLS[call](credentials, stage)).rejects.toThrow(`not authorized to perform: ${denied}`);
  });
});
