// The permissions that a call to AWS needs: actions, resources and condition keys, as in the Service Authorization Reference
// (judge/rules/actions.json).

import { STAGE_TAG } from '../../../adapters/edge/stage-tag.ts';
import type { Authorization } from '../../../judge/rules.ts';
import { ACCOUNT, REGION } from './deployed-templates.ts';

// biome-ignore lint/suspicious/noExplicitAny: inputs of any operation
type Input = any;

const table = (name: string) => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`;
const cloudFront = (resource: string) => `arn:aws:cloudfront::${ACCOUNT}:${resource}`;
const parameter = (name: string) => `arn:aws:ssm:${REGION}:${ACCOUNT}:parameter${name}`;
const zone = (id: string) => `arn:aws:route53:::hostedzone/${id}`;
/** If a call identifies a resource by name or id, an ARN with the id allows it. */
const tenant = cloudFront('distribution-tenant/dt_0a1b');
const certificate = `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/0a1b`;

const WRITES: Readonly<Record<string, string>> = {
  Put: 'dynamodb:PutItem',
  Update: 'dynamodb:UpdateItem',
  Delete: 'dynamodb:DeleteItem',
  ConditionCheck: 'dynamodb:ConditionCheckItem',
};

const tagsOf = (tags: readonly { Key: string; Value: string }[] = []) =>
  Object.fromEntries(tags.map(({ Key, Value }) => [`aws:RequestTag/${Key}`, Value]));

interface RecordChange {
  readonly Action: string;
  readonly ResourceRecordSet: { readonly Name: string; readonly Type: string };
}

const recordKeys = (changes: readonly RecordChange[]) => ({
  'route53:ChangeResourceRecordSetsActions': changes.map(({ Action }) => Action),
  'route53:ChangeResourceRecordSetsNormalizedRecordNames': changes.map(({ ResourceRecordSet: { Name } }) => Name.replace(/\.$/, '')),
  'route53:ChangeResourceRecordSetsRecordTypes': changes.map(({ ResourceRecordSet: { Type } }) => Type),
});

/**
 * CloudFront requests a tenant's certificate with its caller's permissions, without tags, and reads it (resource schema of
 * AWS::CloudFront::DistributionTenant, permissions of the handlers `create` and `update`).
 */
const managedCertificate = ({ ManagedCertificateRequest }: Input): readonly Authorization[] =>
  ManagedCertificateRequest === undefined
    ? []
    : [
        { action: 'acm:RequestCertificate', resource: '*' },
        { action: 'acm:DescribeCertificate', resource: certificate },
      ];

const onTable = (action: string) => (input: Input) => [{ action, resource: table(input.TableName) }];
const onTenant = (action: string) => () => [{ action, resource: tenant }];
const onCertificate = (action: string) => () => [{ action, resource: certificate }];
const onPool = (action: string) => (input: Input) => [{ action, resource: `arn:aws:cognito-idp:${REGION}:${ACCOUNT}:userpool/${input.UserPoolId}` }];
const onMap = (action: string) => (input: Input) => [{ action, resource: input.KvsARN }];
const onZone = (action: string) => (input: Input) => [{ action, resource: zone(input.HostedZoneId ?? input.ResourceId) }];
const onAll = (action: string) => () => [{ action, resource: '*' }];

const CALLS: Readonly<Record<string, (input: Input) => readonly Authorization[]>> = {
  GetItem: onTable('dynamodb:GetItem'),
  PutItem: onTable('dynamodb:PutItem'),
  UpdateItem: ({ TableName, Key }) => [
    {
      action: 'dynamodb:UpdateItem',
      resource: table(TableName),
      context: { 'dynamodb:LeadingKeys': [Key.pk ?? Key.accountId].map(({ S }: { S: string }) => S) },
    },
  ],
  Scan: onTable('dynamodb:Scan'),
  Query: ({ TableName, IndexName }) => [
    { action: 'dynamodb:Query', resource: IndexName === undefined ? table(TableName) : `${table(TableName)}/index/${IndexName}` },
  ],
  BatchGetItem: ({ RequestItems }) => Object.keys(RequestItems).map((name) => ({ action: 'dynamodb:BatchGetItem', resource: table(name) })),
  TransactWriteItems: ({ TransactItems }) =>
    TransactItems.flatMap((item: Record<string, { TableName: string }>) =>
      Object.entries(item).map(([kind, { TableName }]) => ({ action: WRITES[kind] ?? kind, resource: table(TableName) })),
    ),
  GetParameter: ({ Name }) => [{ action: 'ssm:GetParameter', resource: parameter(Name) }],
  GetParametersByPath: ({ Path }) => [{ action: 'ssm:GetParametersByPath', resource: parameter(Path) }],
  // Reading an object's metadata takes the permission to read it.
  HeadObject: ({ Bucket, Key }) => [{ action: 's3:GetObject', resource: `arn:aws:s3:::${Bucket}/${Key}` }],
  GetObject: ({ Bucket, Key }) => [{ action: 's3:GetObject', resource: `arn:aws:s3:::${Bucket}/${Key}` }],
  PutObject: ({ Bucket, Key }) => [{ action: 's3:PutObject', resource: `arn:aws:s3:::${Bucket}/${Key}` }],
  ListObjectsV2: ({ Bucket }) => [{ action: 's3:ListBucket', resource: `arn:aws:s3:::${Bucket}` }],
  DeleteObjects: ({ Bucket, Delete: { Objects } }) =>
    Objects.map(({ Key }: { Key: string }) => ({ action: 's3:DeleteObject', resource: `arn:aws:s3:::${Bucket}/${Key}` })),
  CreateInvalidation: ({ DistributionId }) => [{ action: 'cloudfront:CreateInvalidation', resource: cloudFront(`distribution/${DistributionId}`) }],
  CreateDistributionTenant: ({ Tags, ...input }) => [
    { action: 'cloudfront:CreateDistributionTenant', resource: '*', context: tagsOf(Tags?.Items) },
    ...(Tags === undefined ? [] : [{ action: 'cloudfront:TagResource', resource: tenant, context: tagsOf(Tags.Items) }]),
    ...managedCertificate(input),
  ],
  GetDistributionTenant: onTenant('cloudfront:GetDistributionTenant'),
  GetDistributionTenantByDomain: onTenant('cloudfront:GetDistributionTenantByDomain'),
  UpdateDistributionTenant: (input) => [{ action: 'cloudfront:UpdateDistributionTenant', resource: tenant }, ...managedCertificate(input)],
  DeleteDistributionTenant: onTenant('cloudfront:DeleteDistributionTenant'),
  GetManagedCertificateDetails: onTenant('cloudfront:GetManagedCertificateDetails'),
  ListDistributionTenants: onAll('cloudfront:ListDistributionTenants'),
  ListDistributions: onAll('cloudfront:ListDistributions'),
  GetConnectionGroup: () => [{ action: 'cloudfront:GetConnectionGroup', resource: cloudFront('connection-group/cg_0a1b') }],
  DescribeKeyValueStore: onMap('cloudfront-keyvaluestore:DescribeKeyValueStore'),
  GetKey: onMap('cloudfront-keyvaluestore:GetKey'),
  ListKeys: onMap('cloudfront-keyvaluestore:ListKeys'),
  UpdateKeys: onMap('cloudfront-keyvaluestore:UpdateKeys'),
  RequestCertificate: ({ Tags }) => [
    { action: 'acm:RequestCertificate', resource: '*', context: tagsOf(Tags) },
    ...(Tags === undefined ? [] : [{ action: 'acm:AddTagsToCertificate', resource: certificate, context: tagsOf(Tags) }]),
  ],
  DescribeCertificate: onCertificate('acm:DescribeCertificate'),
  DeleteCertificate: onCertificate('acm:DeleteCertificate'),
  ListTagsForCertificate: onCertificate('acm:ListTagsForCertificate'),
  ListCertificates: onAll('acm:ListCertificates'),
  ListHostedZonesByName: onAll('route53:ListHostedZonesByName'),
  ListTagsForResource: onZone('route53:ListTagsForResource'),
  ListResourceRecordSets: onZone('route53:ListResourceRecordSets'),
  ChangeResourceRecordSets: ({ HostedZoneId, ChangeBatch: { Changes } }) => [
    { action: 'route53:ChangeResourceRecordSets', resource: zone(HostedZoneId), context: recordKeys(Changes) },
  ],
  Invoke: ({ FunctionName }) => [{ action: 'lambda:InvokeFunction', resource: FunctionName }],
  AdminGetUser: onPool('cognito-idp:AdminGetUser'),
  AdminUserGlobalSignOut: onPool('cognito-idp:AdminUserGlobalSignOut'),
  // SES asks for the identity of the address, or of its domain (Developer Guide, "Sending authorization"; API v2 reference, SendEmail).
  SendEmail: ({ FromEmailAddress }) => {
    const address = /<(.+)>$/.exec(FromEmailAddress)?.[1] ?? FromEmailAddress;
    return [
      {
        action: 'ses:SendEmail',
        resource: `arn:aws:ses:eu-west-1:${ACCOUNT}:identity/${address.split('@')[1]}`,
        context: { 'ses:FromAddress': address },
      },
    ];
  },
  StartExecution: ({ stateMachineArn }) => [{ action: 'states:StartExecution', resource: stateMachineArn }],
};

/** @param operation such as `GetItem` @param stageTag the stage's tag on the tenant or certificate of the call. @default it does not have the tag */
export function authorizationsOf(operation: string, input: Input, stageTag?: string): readonly Authorization[] {
  const call = CALLS[operation];
  if (call === undefined) throw new Error(`${operation}: not known in test/support/authorizations.ts`);
  const isTagged = (resource: string) => stageTag !== undefined && (resource === tenant || resource === certificate);
  return call(input).map((each) =>
    isTagged(each.resource) ? { ...each, context: { ...each.context, [`aws:ResourceTag/${STAGE_TAG}`]: String(stageTag) } } : each,
  );
}
