// Less common requests: encodings of paths and bodies, services with several protocols, presigned URLs.

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireRequest } from '../wire/request.ts';
import { readCall } from './support/models.ts';
import { clientOf } from './support/services.ts';

const authorization = (service: string) =>
  `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`;

function signedRequest(service: string, method: string, url: string, headers: object = {}, body: string | Buffer = ''): WireRequest {
  return { method, url, headers: { host: 'localhost', authorization: authorization(service), ...headers }, body: Buffer.from(body) };
}

const read = (request: WireRequest) => {
  const { operation, input } = readCall(request);
  return { operation, input };
};

describe("S3's URLs", () => {
  const keys = fc.oneof(
    fc.constantFrom('/a', 'a/', 'a//b', '../a', 'a/../b', 'a b', 'a+b', 'a%2Fb', '100%', 'ä/€/🐕', '?#[]@!$&\'()*,;=:"', '~_-.', 'index.html', '//'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  );

  test.each([
    ['in the host name', {}],
    ['in the path', { forcePathStyle: true }],
    ['in the host name, with an endpoint', { endpoint: 'http://localhost:4566' }],
    ['in the path, with an endpoint', { endpoint: 'http://127.0.0.1:4566', forcePathStyle: true }],
    ['in the host name, with a dual-stack endpoint', { useDualstackEndpoint: true }],
  ])('the bucket is %s', async (_, settings) => {
    const client = clientOf('s3', settings);
    await fc.assert(
      fc.asyncProperty(keys, fc.constantFrom('my-bucket', 'my.s3-bucket.dev', 's3-a'), async (Key, Bucket) => {
        expect(read(await client.request('HeadObject', { Bucket, Key }))).toEqual({
          operation: 'HeadObject',
          input: expect.objectContaining({ Bucket, Key }),
        });
        expect(read(await client.request('ListObjectsV2', { Bucket, Prefix: Key }))).toEqual({
          operation: 'ListObjectsV2',
          input: { Bucket, Prefix: Key },
        });
      }),
      { numRuns: 40 },
    );
  });

  test('the bucket is in either, with the endpoint s3.localhost', () => {
    expect(read(signedRequest('s3', 'GET', '/', { host: 's3.localhost:4566' }))).toEqual({ operation: 'ListBuckets', input: {} });
    expect(read(signedRequest('s3', 'HEAD', '/', { host: 'abc.s3.localhost:4566' }))).toEqual({ operation: 'HeadBucket', input: { Bucket: 'abc' } });
    expect(read(signedRequest('s3', 'HEAD', '/abc/', {}))).toEqual({ operation: 'HeadBucket', input: { Bucket: 'abc' } });
  });

  test.each<[string, string, string, Record<string, string>]>([
    ['GetObject', 'GET', '', {}],
    ['ListParts', 'GET', '?uploadId=1', {}],
    ['GetObjectTagging', 'GET', '?tagging', {}],
    ['PutObject', 'PUT', '', {}],
    ['CopyObject', 'PUT', '', { 'x-amz-copy-source': 'a/b' }],
    ['UploadPart', 'PUT', '?partNumber=1&uploadId=1', {}],
    ['UploadPartCopy', 'PUT', '?partNumber=1&uploadId=1', { 'x-amz-copy-source': 'a/b' }],
    ['AbortMultipartUpload', 'DELETE', '?uploadId=1', {}],
    ['DeleteObject', 'DELETE', '', {}],
  ])('%s is recognized by its required members, without the name that the SDK adds', (operation, method, query, headers) => {
    expect(read(signedRequest('s3', method, `/bucket/key${query}`, headers)).operation).toBe(operation);
  });

  test('a presigned URL has headers in its query', () => {
    const query =
      'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKID%2F20260101%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-Expires=60';
    const url = `/bucket/a%20b?${query}&X-Amz-SignedHeaders=host&X-Amz-Signature=0&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&x-amz-acl=private&x-amz-meta-of=me&x-id=PutObject`;
    const call = readCall({ method: 'PUT', url, headers: { host: 'localhost' }, body: Buffer.from('x') });
    expect(call).toMatchObject({ operation: 'PutObject', accessKeyId: 'AKID', region: 'eu-west-1' });
    expect(call.input).toEqual({ Bucket: 'bucket', Key: 'a b', ACL: 'private', Metadata: { of: 'me' }, Body: Buffer.from('x') });
  });
});

describe('bodies', () => {
  const content = Buffer.from('content\r\n0\r\n'.repeat(3_000));
  const bucket = { Bucket: 'my-bucket', Key: 'k' };

  test('a stream is sent in chunks, followed by its checksum', async () => {
    const Body = Readable.from([content.subarray(0, 20_000), content.subarray(20_000)]);
    const request = await clientOf('s3').request('PutObject', { ...bucket, Body, ContentLength: content.length, ContentEncoding: 'br' });
    expect(request.headers['content-encoding']).toBe('br,aws-chunked');
    const { operation, input } = read(request);
    expect(operation).toBe('PutObject');
    expect(input).toMatchObject({ ...bucket, Body: content, ContentEncoding: 'br', ChecksumCRC32: expect.stringMatching(/^.{6}==$/) });
  });

  test('chunks may be signed', () => {
    const headers = {
      'content-encoding': 'aws-chunked',
      'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      'x-amz-decoded-content-length': '6',
    };
    const chunks = '4;chunk-signature=0a\r\nabcd\r\n2;chunk-signature=0b\r\nef\r\n0;chunk-signature=0c\r\n\r\n';
    expect(read(signedRequest('s3', 'PUT', '/b/k', headers, chunks)).input).toEqual({ Bucket: 'b', Key: 'k', Body: Buffer.from('abcdef') });
  });

  test.each([
    ['5\r\nabcd\r\n0\r\n\r\n', 'a chunk is longer than its size'],
    ['x\r\nabcd\r\n0\r\n\r\n', 'a chunk has no size'],
    ['4\r\nabcd\r\n', 'the body ends within a line'],
    ['3\r\nabc\r\n0\r\n\r\n', 'x-amz-decoded-content-length is 4, and the chunks have 3 bytes'],
  ])('chunks that S3 would refuse: %j', (chunks, reason) => {
    const headers = { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': '4' };
    expect(() => readCall(signedRequest('s3', 'PUT', '/b/k', headers, chunks))).toThrow(reason);
  });

  test("an object's own encoding is a property of the object", async () => {
    for (const [ContentEncoding, Body] of [
      ['gzip', gzipSync('x')],
      ['gzip', Buffer.from('not compressed')],
      ['deflate', deflateSync('x')],
    ] as const) {
      const { input } = read(await clientOf('s3').request('PutObject', { ...bucket, ContentEncoding, Body }));
      expect(input).toMatchObject({ ContentEncoding, Body });
    }
  });

  test('large requests to CloudWatch are compressed', async () => {
    const MetricData = Array.from({ length: 500 }, (_, index) => ({ MetricName: `metric-${index}`, Value: index }));
    const request = await clientOf('cloudwatch').request('PutMetricData', { Namespace: 'N', MetricData });
    expect(request.headers['content-encoding']).toBe('gzip');
    expect(read(request)).toEqual({ operation: 'PutMetricData', input: { Namespace: 'N', MetricData } });
  });

  test('a body that is not a JSON object is refused', () => {
    for (const body of ['[]', '1', 'null', '{"TableName":'])
      expect(() => readCall(signedRequest('dynamodb', 'POST', '/', { 'x-amz-target': 'DynamoDB_20120810.Scan' }, body))).toThrow();
  });
});

describe('protocols', () => {
  const input = { AlarmNames: ['a b', 'ä'], MaxRecords: 5 };

  test.each<[string, Record<string, string>, string]>([
    ['json', { 'x-amz-target': 'GraniteServiceVersion20100801.DescribeAlarms' }, JSON.stringify(input)],
    ['query', {}, 'Action=DescribeAlarms&Version=2010-08-01&AlarmNames.member.1=a+b&AlarmNames.member.2=%C3%A4&MaxRecords=5'],
  ])('CloudWatch supports %s too', (protocol, headers, body) => {
    expect(readCall(signedRequest('monitoring', 'POST', '/', headers, body))).toMatchObject({ protocol, operation: 'DescribeAlarms', input });
  });

  test('the parameters of the query protocol may be in the URL', () => {
    const request = signedRequest('sts', 'GET', '/?Action=GetAccessKeyInfo&Version=2011-06-15&AccessKeyId=AKIDEXAMPLE%2B0123456');
    expect(read(request)).toEqual({ operation: 'GetAccessKeyInfo', input: { AccessKeyId: 'AKIDEXAMPLE+0123456' } });
  });

  test('empty values of the query protocol', () => {
    const parse = (parameters: string) =>
      read(signedRequest('cloudformation', 'POST', '/', {}, `Action=CreateStack&Version=2010-05-15&${parameters}`)).input;
    expect(parse('StackName=&Tags=&Parameters=')).toEqual({ StackName: '', Tags: [], Parameters: [] });
    expect(parse('Tags.member.10.Key=j&Tags.member.2.Key=b&Tags.member.2.Value=')).toEqual({ Tags: [{ Key: 'b', Value: '' }, { Key: 'j' }] });
  });

  test.each<[string, WireRequest]>([
    ['another target', signedRequest('dynamodb', 'POST', '/', { 'x-amz-target': 'DynamoDB_20111205.Scan' }, '{}')],
    ['another version', signedRequest('sts', 'POST', '/', {}, 'Action=GetCallerIdentity&Version=2010-05-08')],
    ['another service', signedRequest('monitoring', 'POST', '/service/Other/operation/ListMetrics', { 'smithy-protocol': 'rpc-v2-cbor' })],
    ['another path', signedRequest('lambda', 'GET', '/2015-03-31/other')],
    ['another method', signedRequest('s3', 'PATCH', '/bucket/key')],
    ['an unknown service', signedRequest('sqs', 'POST', '/')],
    ['no signature', { method: 'GET', url: '/bucket/key', headers: { host: 'localhost' }, body: Buffer.alloc(0) }],
  ])('%s: no operation matches', (_, request) => {
    expect(() => readCall(request)).toThrow();
  });

  test('integers keep their precision', () => {
    const body = '{"TableName":"t","Limit":9007199254740993,"Key":{"n":{"N":"12345678901234567890123456789012345678"}}}';
    const { input } = read(signedRequest('dynamodb', 'POST', '/', { 'x-amz-target': 'DynamoDB_20120810.Scan' }, body));
    expect(input).toMatchObject({ Limit: 9_007_199_254_740_993n, Key: { n: { N: '12345678901234567890123456789012345678' } } });
    const xml = '<CreateConnectionGroupRequest><Name>9007199254740993</Name></CreateConnectionGroupRequest>';
    expect(read(signedRequest('cloudfront', 'POST', '/2020-05-31/connection-group', {}, xml)).input).toEqual({ Name: '9007199254740993' });
  });

  test('digests of bodies are not read as members', async () => {
    const request = await clientOf('s3').request('DeleteObjects', {
      Bucket: 'my-bucket',
      Delete: { Objects: [{ Key: 'a' }] },
      ChecksumAlgorithm: 'SHA256',
    });
    expect(request.headers['x-amz-checksum-sha256']).toBe(createHash('sha256').update(request.body).digest('base64'));
    expect(read(request).input).toEqual({ Bucket: 'my-bucket', ChecksumAlgorithm: 'SHA256', Delete: { Objects: [{ Key: 'a' }] } });
  });
});
