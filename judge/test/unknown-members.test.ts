// A member that a request should not have is reported with its operation and name, wherever each protocol can have one. So is a value
// of the wrong type.

import { cbor, SmithyRpcV2CborProtocol } from '@smithy/core/cbor';
import { describe, expect, test } from 'vitest';
import { violationsOf } from '../rules/service-model.ts';
import type { WireRequest } from '../wire/request.ts';
import { readCall } from './support/models.ts';
import { clientOf, type ServiceName } from './support/services.ts';

const GOOD: Readonly<Partial<Record<ServiceName, readonly [operation: string, input: object]>>> = {
  dynamodb: ['GetItem', { TableName: 'pets', Key: { id: { S: 'a' } } }],
  'cloudfront-keyvaluestore': ['GetKey', { KvsARN: 'arn:aws:cloudfront::123456789012:key-value-store/0a1b', Key: 'k' }],
  lambda: ['CreateAlias', { FunctionName: 'f', Name: 'live', FunctionVersion: '1', RoutingConfig: { AdditionalVersionWeights: { 2: 0.5 } } }],
  sts: ['AssumeRole', { RoleArn: 'arn:aws:iam::123456789012:role/a', RoleSessionName: 'ab', Tags: [{ Key: 'k', Value: 'v' }] }],
  s3: ['DeleteObjects', { Bucket: 'my-bucket', Delete: { Objects: [{ Key: 'a' }] } }],
  cloudfront: ['TagResource', { Resource: 'arn:aws:cloudfront::123456789012:distribution/E1', Tags: { Items: [{ Key: 'k', Value: 'v' }] } }],
  cloudwatch: ['DescribeAlarms', { AlarmNames: ['a'] }],
};

/** The violations in a request from the SDK after a change to it. */
async function violations(service: ServiceName, change: (request: WireRequest) => Partial<WireRequest>) {
  const [operation, input] = GOOD[service] ?? [];
  if (operation === undefined || input === undefined) throw new Error(`no request of ${service}`);
  const request = await clientOf(service, service === 'cloudwatch' ? { protocol: SmithyRpcV2CborProtocol } : {}).request(operation, input);
  const judged = (each: WireRequest) => {
    const call = readCall(each);
    return violationsOf(call.model, call.service, call.operation, call.input).map(
      ({ operation: name, member, rule }) => `${name} ${member}: ${rule.split(';')[0]}`,
    );
  };
  expect(judged(request)).toEqual([]);
  return judged({ ...request, ...change(request) });
}

const replaced =
  (from: string | RegExp, to: string) =>
  ({ body }: WireRequest) => {
    const text = body.toString();
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    return { body: Buffer.from(changed) };
  };
const withHeader =
  (name: string) =>
  ({ headers }: WireRequest) => ({ headers: { ...headers, [name]: 'x' } });
const withQuery =
  (query: string) =>
  ({ url }: WireRequest) => ({ url: `${url}${url.includes('?') ? '&' : '?'}${query}` });
const withBody = (text: string) => () => ({ body: Buffer.from(text) });
const withCbor = (value: object) => () => ({ body: Buffer.from(cbor.serialize(value)) });

describe('unknown members', () => {
  test.each<[string, ServiceName, (request: WireRequest) => Partial<WireRequest>, string]>([
    ['a JSON key', 'dynamodb', replaced('{', '{"Tablename":1,'), 'dynamodb:GetItem Tablename'],
    ['a JSON key in a map', 'dynamodb', replaced('{"S"', '{"X":1,"S"'), 'dynamodb:GetItem Key.id.X'],
    ['a key of a JSON body', 'lambda', replaced('{', '{"Extra":1,'), 'lambda:CreateAlias Extra'],
    ['a nested key of a JSON body', 'lambda', replaced('{"Additional', '{"Extra":1,"Additional'), 'lambda:CreateAlias RoutingConfig.Extra'],
    ['a member of the path in the body', 'lambda', replaced('{', '{"FunctionName":"g",'), 'lambda:CreateAlias {FunctionName}'],
    ['a body where none is expected', 'cloudfront-keyvaluestore', withBody('{"Value":"x"}'), 'cloudfront-keyvaluestore:GetKey Value'],
    ['a query string', 'cloudfront-keyvaluestore', withQuery('recursive=true'), 'cloudfront-keyvaluestore:GetKey ?recursive'],
    ['a header', 'lambda', withHeader('x-amz-extra'), 'lambda:CreateAlias x-amz-extra:'],
    ['a query parameter', 'sts', replaced('Action=', 'Extra=1&Action='), 'sts:AssumeRole Extra'],
    ['a query parameter in a list', 'sts', replaced('Tags.member.1.Key=', 'Tags.member.1.Name='), 'sts:AssumeRole Tags[0].Name'],
    ['a list without its items', 'sts', replaced(/Tags\.member\.1\.(Key|Value)=/g, 'Tags.1.$1='), 'sts:AssumeRole Tags'],
    ['a list with other items', 'sts', replaced(/Tags\.member\.1/g, 'Tags.item.1'), 'sts:AssumeRole Tags'],
    ['a list whose items have names instead of numbers', 'sts', replaced(/Tags\.member\.1/g, 'Tags.member.first'), 'sts:AssumeRole Tags'],
    ['a list that is a string too', 'sts', replaced('Tags.member.1.Key', 'Tags=x&Tags.member.1.Key'), 'sts:AssumeRole Tags'],
    ['an XML element', 's3', replaced('<Object>', '<Force>true</Force><Object>'), 's3:DeleteObjects Delete.Force'],
    ['an XML element in a flattened list', 's3', replaced('<Key>', '<Name>x</Name><Key>'), 's3:DeleteObjects Delete.Objects[0].Name'],
    ['a header of S3', 's3', withHeader('x-amz-storage'), 's3:DeleteObjects x-amz-storage:'],
    ['metadata where none is expected', 's3', withHeader('x-amz-meta-a'), 's3:DeleteObjects x-amz-meta-a:'],
    ['a query string of S3', 's3', withQuery('versions=1'), 's3:DeleteObjects ?versions'],
    ['an XML element in a list', 'cloudfront', replaced(/Tag>/g, 'Label>'), 'cloudfront:TagResource Tags.Items'],
    ['an XML element in an item', 'cloudfront', replaced('<Key>', '<Name>x</Name><Key>'), 'cloudfront:TagResource Tags.Items[0].Name'],
    ['a CBOR key', 'cloudwatch', withCbor({ AlarmName: 'a' }), 'cloudwatch:DescribeAlarms AlarmName'],
  ])('%s', async (_, service, change, expected) => {
    expect((await violations(service, change)).some((each) => each.startsWith(expected))).toBe(true);
  });
});

describe('values of the wrong type', () => {
  test.each<[string, ServiceName, (request: WireRequest) => Partial<WireRequest>, string]>([
    ['a number for a string, in JSON', 'dynamodb', replaced('"pets"', '1'), 'dynamodb:GetItem TableName: type: string'],
    ['a string for a list, in the query protocol', 'sts', replaced(/Tags\..*$/, 'Tags=x'), 'sts:AssumeRole Tags: type: list'],
    ['no digits for a number', 'sts', replaced('Action=', 'DurationSeconds=&Action='), 'sts:AssumeRole DurationSeconds: type: integer'],
    ['an element twice', 's3', replaced('<Key>', '<Key>b</Key><Key>'), 's3:DeleteObjects Delete.Objects[0].Key: type: string'],
    [
      'an element with children for a string',
      's3',
      replaced('<Key>a</Key>', '<Key><A>b</A></Key>'),
      's3:DeleteObjects Delete.Objects[0].Key: type: string',
    ],
    [
      'a string for an element with children',
      's3',
      replaced(/<Object>.*<\/Object>/, '<Object>a</Object>'),
      's3:DeleteObjects Delete.Objects[0]: type: structure',
    ],
    ['neither true nor false', 's3', replaced('<Object>', '<Quiet>yes</Quiet><Object>'), 's3:DeleteObjects Delete.Quiet: type: boolean'],
    ['a string for a list, in CBOR', 'cloudwatch', withCbor({ AlarmNames: 'a' }), 'cloudwatch:DescribeAlarms AlarmNames: type: list'],
  ])('%s', async (_, service, change, expected) => {
    expect(await violations(service, change)).toContain(expected);
  });

  test.each([
    [/<(\/?)Delete\b/g, '<$1Deletion', 'the root element is Deletion; it must be Delete'],
    [/<\/Delete>/, '', "Unclosed tag 'Delete'"],
  ])('XML that S3 would refuse: %s', async (from, to, reason) => {
    await expect(violations('s3', replaced(from, to))).rejects.toThrow(reason);
  });
});
