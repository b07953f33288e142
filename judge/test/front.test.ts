// The judge's server between real SDK clients and a stand-in for the emulator: what is forwarded, what is refused and how, and what is recorded.

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import '../localhost-names.ts';
import { freePort } from '../../test/support/ports.ts';
import { type Front, startFront } from '../front.ts';
import { problemsOf } from '../record.ts';
import type { Statement } from '../rules/policy-evaluation.ts';
import { ACCOUNT, ADMINISTRATOR, EMULATED, functionArn, keyOf, roleArn, type StandIn, startStandIn, tenantArn } from './support/emulator-stand-in.ts';
import { type ServiceName, senderOf } from './support/services.ts';

let standIn: StandIn;
let front: Front;
let endpoint: string;

beforeAll(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  standIn = await startStandIn();
  const port = await freePort();
  endpoint = `http://localhost:${port}`;
  front = await startFront({ emulatorPort: standIn.port, port, ...EMULATED });
});
afterAll(async () => {
  await front.stop();
  await standIn.stop();
});

const usual = (): StandIn['answer'] => (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

afterEach(() => {
  standIn.answer = usual();
  standIn.requests.length = 0;
  for (const list of [front.record.denials, front.record.violations, front.record.faults, front.record.disputes]) list.length = 0;
  front.record.calls.clear();
});

/** The settings of a client that has assumed a role with these statements. */
async function settingsOf(role: string, ...statements: Statement[]) {
  standIn.roles.set(role, statements);
  const sts = new STSClient({ endpoint, region: 'us-east-1', credentials: ADMINISTRATOR });
  const { Credentials } = await sts.send(new AssumeRoleCommand({ RoleArn: roleArn(role), RoleSessionName: 'test' }));
  expect(Credentials?.AccessKeyId).toBe(keyOf(role));
  return {
    endpoint,
    region: 'us-east-1',
    maxAttempts: 1,
    forcePathStyle: true,
    credentials: { accessKeyId: keyOf(role), secretAccessKey: 's', sessionToken: 't' },
  };
}

const administrator = () => ({ endpoint, region: 'us-east-1', maxAttempts: 1, forcePathStyle: true, credentials: ADMINISTRATOR });
const allow = (...Action: string[]): Statement => ({ Effect: 'Allow', Action, Resource: '*' });
const item = { TableName: 'pets', Key: { id: { S: 'a' } } };
const object = { Bucket: 'my-bucket', Key: 'k' };
const store = `arn:aws:cloudfront::${ACCOUNT}:key-value-store/0a1b`;
const forwarded = (operation: string) => standIn.requests.filter((each) => each.operation === operation).length;

/** An allowed input, one that breaks a rule, and the service's error codes for a denial and for invalid input. */
const REFUSALS: readonly [ServiceName, string, object, object, string, string][] = [
  ['dynamodb', 'GetItem', item, { ...item, ReturnConsumedCapacity: 'ALL' }, 'AccessDeniedException', 'ValidationException'],
  ['ssm', 'GetParameter', { Name: '/a' }, { Name: '' }, 'AccessDeniedException', 'ValidationException'],
  ['stepfunctions', 'ListStateMachines', {}, { maxResults: 10_000 }, 'AccessDeniedException', 'ValidationException'],
  ['acm', 'ListCertificates', {}, { MaxItems: 0 }, 'AccessDeniedException', 'ValidationException'],
  ['cognito-idp', 'DescribeUserPool', { UserPoolId: 'us-east-1_a' }, { UserPoolId: '!' }, 'AccessDeniedException', 'InvalidParameterException'],
  ['cloudwatch', 'ListMetrics', {}, { RecentlyActive: 'P1D' }, 'AccessDeniedException', 'ValidationException'],
  ['lambda', 'Invoke', { FunctionName: 'f' }, { FunctionName: '!' }, 'AccessDeniedException', 'InvalidParameterValueException'],
  ['cloudfront-keyvaluestore', 'ListKeys', { KvsARN: store }, { KvsARN: store, MaxResults: 51 }, 'AccessDeniedException', 'ValidationException'],
  ['s3', 'ListObjectsV2', { Bucket: 'my-bucket' }, { Bucket: 'my-bucket', EncodingType: 'other' }, 'AccessDenied', 'InvalidArgument'],
  ['cloudfront', 'GetFunction', { Name: 'f' }, { Name: 'f', Stage: 'OTHER' }, 'AccessDenied', 'InvalidArgument'],
  ['route53', 'ListHostedZones', {}, { HostedZoneType: 'other' }, 'AccessDenied', 'InvalidInput'],
  [
    'sts',
    'AssumeRole',
    { RoleArn: roleArn('a'), RoleSessionName: 'ab' },
    { RoleArn: roleArn('a'), RoleSessionName: '!!' },
    'AccessDenied',
    'ValidationError',
  ],
  ['cloudformation', 'ListStacks', {}, { StackStatusFilter: ['other'] }, 'AccessDenied', 'ValidationError'],
  ['iam', 'GetRole', { RoleName: 'a' }, { RoleName: '!' }, 'AccessDenied', 'ValidationError'],
];

describe('refusals', () => {
  test.each(REFUSALS)('%s:%s, denied', async (service, operation, input, _, denied) => {
    const settings = await settingsOf('nobody', allow('ecr:ListImages'));
    await expect(senderOf(service, settings)(operation, input)).rejects.toMatchObject({
      name: denied,
      message: expect.stringContaining('assumed-role/nobody/session is not authorized to perform: '),
      $metadata: { attempts: 1 },
    });
    const action = expect.stringMatching(/^[a-z0-9-]+:\w+$/);
    expect(front.record.denials).toEqual([{ role: 'nobody', action, resource: expect.any(String), isBeingDeleted: false }]);
    expect(problemsOf(front.record)[0]).toContain('AWS would deny the call: nobody may not ');
  });

  test.each(REFUSALS)('%s:%s, invalid', async (service, operation, _, input, __, invalid) => {
    await expect(senderOf(service, administrator())(operation, input)).rejects.toMatchObject({ name: invalid, $metadata: { httpStatusCode: 400 } });
    expect(front.record.violations).toEqual([expect.objectContaining({ operation: `${service}:${operation}`, rule: expect.stringMatching(/./) })]);
    expect(forwarded(operation)).toBe(0);
  });

  test('the record names operation, member, value and rule', async () => {
    await expect(senderOf('dynamodb', administrator())('GetItem', { ...item, ReturnConsumedCapacity: 'ALL' })).rejects.toThrow(
      'ReturnConsumedCapacity',
    );
    const violation = { operation: 'dynamodb:GetItem', member: 'ReturnConsumedCapacity', value: 'ALL', rule: 'one of: INDEXES, TOTAL, NONE' };
    expect(front.record.violations).toEqual([violation]);
    expect(problemsOf(front.record)).toEqual([
      'AWS would refuse the request: dynamodb:GetItem: ReturnConsumedCapacity is "ALL"; one of: INDEXES, TOTAL, NONE',
    ]);
  });
});

describe('permissions', () => {
  test('an allowed call is forwarded, and the permission is recorded as used', async () => {
    const client = new DynamoDBClient(await settingsOf('reader', allow('dynamodb:GetItem')));
    await client.send(new GetItemCommand(item));
    expect(problemsOf(front.record)).toEqual([]);
    expect([...(front.record.used.get('reader') ?? [])]).toEqual(['own allows dynamodb:GetItem on *']);
    expect(forwarded('GetItem')).toBe(1);
  });

  test('changed policies apply immediately', async () => {
    const settings = await settingsOf('changing');
    await expect(senderOf('dynamodb', settings)('GetItem', item)).rejects.toThrow('not authorized');
    standIn.roles.set('changing', [allow('dynamodb:*')]);
    await senderOf('dynamodb', settings)('GetItem', item);
  });

  test('a call of a role whose stack is being deleted is denied without failing the run', async () => {
    const send = senderOf('dynamodb', await settingsOf('leaving', allow('dynamodb:GetItem')));
    await send('GetItem', item);
    await expect(send('ListTables', {})).rejects.toThrow('not authorized');
    expect(problemsOf(front.record)).toHaveLength(1);
    front.record.denials.length = 0;

    standIn.answer = (_, response) => response.writeHead(400, { 'x-amzn-errortype': 'AccessDeniedException' }).end('{"message":"AccessDenied"}');
    standIn.roles.delete('leaving');
    // Still allowed by the cached policies, read a moment ago.
    await expect(send('GetItem', item)).rejects.toThrow('AccessDenied');
    await expect(send('ListTables', {})).rejects.toThrow('not authorized');
    expect(problemsOf(front.record)).toEqual([]);
    expect(front.record.denials).toEqual([expect.objectContaining({ role: 'leaving', isBeingDeleted: true })]);
  });

  test("a function's credentials are those of its role", async () => {
    standIn.roles.set('api', [allow('dynamodb:GetItem')]);
    standIn.functions.set('api', 'api');
    const accessKeyId = `ASIA${hash('sha256', `${functionArn('api')}:${roleArn('api')}`)
      .slice(0, 16)
      .toUpperCase()}`;
    await senderOf('dynamodb', { ...administrator(), credentials: { accessKeyId, secretAccessKey: 's' } })('GetItem', item);
  });

  test('tags of resources are read if a statement has a condition on them', async () => {
    standIn.tenants.push({ id: 'dt_1', name: 'shop', domain: 'www.shop.dev' });
    const Condition = { StringEquals: { 'aws:ResourceTag/stage': 'staging' } };
    const tagged = senderOf('cloudfront', await settingsOf('tagged', { ...allow('cloudfront:GetDistributionTenant'), Condition }));
    standIn.tags.set(tenantArn('dt_1'), { stage: 'staging' });
    await tagged('GetDistributionTenant', { Identifier: 'shop' });
    standIn.tags.set(tenantArn('dt_1'), { stage: 'production' });
    await expect(tagged('GetDistributionTenant', { Identifier: 'shop' })).rejects.toThrow('not authorized');
    expect(forwarded('ListTagsForResource')).toBeGreaterThan(0);
    standIn.requests.length = 0;
    await senderOf('cloudfront', await settingsOf('untagged', allow('cloudfront:GetDistributionTenant')))('GetDistributionTenant', {
      Identifier: 'shop',
    });
    expect(forwarded('ListTagsForResource')).toBe(0);
  });
});

describe('what cannot be judged is recorded and not forwarded', () => {
  const send = (headers: Record<string, string>, method = 'POST', path = '/') => fetch(`${endpoint}${path}`, { method, headers });
  const signature = (service: string, key = 'test') => ({
    authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/us-east-1/${service}/aws4_request, Signature=0`,
  });
  const target = { 'x-amz-target': 'DynamoDB_20120810.ListTables' };

  test.each<[string, Record<string, string>, string]>([
    ['an unknown operation', { ...signature('dynamodb'), 'x-amz-target': 'DynamoDB_20120810.GetItems' }, 'dynamodb:GetItems'],
    ['an unknown service', signature('sqs'), 'sqs: no service model'],
    ['a request without a signature', {}, 'no signature'],
    ['an operation without a signature', target, 'dynamodb:ListTables: the request is not signed'],
    ['unknown credentials', { ...target, ...signature('dynamodb', 'AKIDOTHER') }, 'AKIDOTHER: credentials of no known role'],
  ])('%s', async (_, headers, problem) => {
    expect((await send(headers)).status).toBe(400);
    expect(problemsOf(front.record).join()).toContain(problem);
    expect(standIn.requests.filter(({ operation }) => !operation.startsWith('List') || operation === 'ListTables')).toEqual([]);
  });

  test('a condition on a key whose value is not known', async () => {
    const Condition = { StringNotEquals: { 'aws:PrincipalTag/team': 'x' } };
    const settings = await settingsOf('conditional', { ...allow('dynamodb:GetItem'), Condition });
    await expect(senderOf('dynamodb', settings)('GetItem', item)).rejects.toThrow('aws:PrincipalTag/team');
    expect(problemsOf(front.record).join()).toContain('not judged: dynamodb:GetItem: the policies have a condition on aws:PrincipalTag/team');
  });

  test('a session policy', async () => {
    const input = { RoleArn: roleArn('a'), RoleSessionName: 'ab', Policy: '{}' };
    await expect(senderOf('sts', administrator())('AssumeRole', input)).rejects.toThrow('session policies');
  });

  test("a denial by the emulator's own IAM is a dispute", async () => {
    standIn.answer = (_, response) => response.writeHead(400, { 'x-amzn-errortype': 'AccessDeniedException' }).end('{"message":"AccessDenied"}');
    await expect(senderOf('dynamodb', administrator())('GetItem', item)).rejects.toThrow();
    expect(problemsOf(front.record)).toEqual([expect.stringContaining("the emulator's IAM denied what the policies allow: dynamodb:GetItem")]);
  });
});

describe('what is forwarded is unchanged', () => {
  const large = Buffer.alloc(5 * 1024 * 1024, 'content of an object, ');

  test('a large body, and the headers and body of its answer', async () => {
    const s3 = new S3Client(administrator());
    standIn.answer = (_, response) => response.writeHead(200, { ETag: '"e"', 'x-amz-version-id': 'v' }).end();
    expect(await s3.send(new PutObjectCommand({ ...object, Body: large }))).toMatchObject({ ETag: '"e"', VersionId: 'v' });
    expect(standIn.requests.at(-1)?.request.body.equals(large)).toBe(true);
    standIn.answer = (_, response) =>
      response.writeHead(206, { 'content-type': 'text/x', 'x-amz-meta-of': 'me', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }).end(large);
    const { Body, ...answer } = await s3.send(new GetObjectCommand(object));
    expect(answer).toMatchObject({
      ContentType: 'text/x',
      ContentLength: large.length,
      Metadata: { of: 'me' },
      LastModified: new Date('2026-01-01'),
    });
    expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(large)).toBe(true);
  });

  test('the content length in an answer to HEAD', async () => {
    standIn.answer = (_, response) => response.writeHead(200, { 'content-length': 12_345, 'content-encoding': 'br' }).end();
    expect(await new S3Client(administrator()).send(new HeadObjectCommand(object))).toMatchObject({ ContentLength: 12_345, ContentEncoding: 'br' });
  });

  test('an answer without content, and several headers of one name', async () => {
    standIn.answer = (_, response) => response.writeHead(204, { 'set-cookie': ['a=1', 'b=2'] }).end();
    const response = await raw('DELETE');
    expect(response.statusCode).toBe(204);
    expect(response.headers['content-length']).toBeUndefined();
    expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  test('a client that waits for 100 Continue', async () => {
    const response = await raw('PUT', { expect: '100-continue', 'content-length': '4' }, 'body');
    expect(response.statusCode).toBe(200);
    expect(standIn.requests.at(-1)?.request.body.toString()).toBe('body');
  });

  test('two hundred requests at once', async () => {
    const client = new DynamoDBClient(await settingsOf('busy', allow('dynamodb:GetItem')));
    standIn.answer = ({ body }, response) => setTimeout(() => response.end(JSON.stringify({ Item: JSON.parse(body.toString()).Key })), 20);
    const keys = Array.from({ length: 200 }, (_, index) => ({ id: { S: `pet-${index}` } }));
    const answers = await Promise.all(keys.map((Key) => client.send(new GetItemCommand({ TableName: 'pets', Key }))));
    expect(answers.map(({ Item }) => Item)).toEqual(keys);
    expect(front.record.calls.get('dynamodb:GetItem')).toBe(200);
    expect(problemsOf(front.record)).toEqual([]);
  });

  /** A request to an object, byte for byte. */
  async function raw(method: string, headers: Record<string, string> = {}, body = ''): Promise<IncomingMessage> {
    const authorization = 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, Signature=0';
    const sent = httpRequest(`${endpoint}/my-bucket/k`, { method, headers: { authorization, ...headers } });
    if (headers.expect === undefined) sent.end(body);
    else sent.once('continue', () => sent.end(body)).flushHeaders();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response;
  }
});

describe("the emulator's connections", () => {
  test.each<[string, StandIn['answer']]>([
    ['before the answer', (_, response) => response.destroy()],
    ['within the answer', (_, response) => void response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy())],
  ])('cut %s', async (_, answer) => {
    standIn.answer = answer;
    await expect(senderOf('dynamodb', administrator())('GetItem', item)).rejects.toThrow();
    expect(problemsOf(front.record)).toEqual([expect.stringMatching(/^not judged: POST \/: /)]);
    standIn.answer = usual();
    await senderOf('dynamodb', administrator())('GetItem', item);
  });

  test('closed while the next request is being sent', async () => {
    const send = senderOf('dynamodb', administrator());
    await send('GetItem', item);
    let cuts = 0;
    standIn.answer = (request, response) => {
      cuts += 1;
      if (cuts === 1) response.destroy();
      else usual()(request, response);
    };
    await send('GetItem', item);
    expect(problemsOf(front.record)).toEqual([]);
  });
});
