// S3's answers to plain GET and HEAD requests for objects that the real adapter has stored (S3 API Reference, "GetObject" and "Error responses").

import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, NotFound, PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { mockedClient } from './mocked-clients.ts';

/** Maximum length of a key in bytes (User Guide, "Naming Amazon S3 objects"). */
const MAX_KEY = 1_024;

interface StoredObject {
  readonly content: Buffer;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OriginRequest {
  readonly method: string;
  /** As sent: percent-encoded, without query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface OriginResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface S3Objects {
  /** The status with which every request fails. @default none */
  failure: number | undefined;
  /** Answers a request that CloudFront has signed. */
  request(request: OriginRequest): OriginResponse;
}

/** Replaces all S3 clients of the test. */
export function s3Objects(): S3Objects {
  const objects = new Map<string, StoredObject>();
  const bucket: S3Objects = { failure: undefined, request: (request) => answer(objects, bucket.failure, request) };
  const client = mockedClient(S3Client);
  const failure = (httpStatusCode: number) =>
    new S3ServiceException({ name: 'Failure', $fault: 'server', message: 'failure', $metadata: { httpStatusCode } });
  const object = (key: string | undefined): StoredObject | undefined => {
    if (bucket.failure !== undefined) throw failure(bucket.failure);
    return objects.get(String(key));
  };
  client.on(PutObjectCommand).callsFake(async ({ Key, Body, ContentType, CacheControl, IfNoneMatch }) => {
    if (IfNoneMatch === '*' && objects.has(Key)) throw failure(412);
    objects.set(Key, {
      content: Buffer.from(Body),
      etag: `"${hash('md5', Body)}"`,
      headers: { 'content-type': ContentType, 'cache-control': CacheControl },
    });
  });
  client.on(HeadObjectCommand).callsFake(async ({ Key }) => {
    const found = object(Key);
    if (found === undefined) throw new NotFound({ message: 'no', $metadata: {} });
    return { ContentLength: found.content.length, ETag: found.etag };
  });
  client.on(GetObjectCommand).callsFake(async ({ Key }) => ({ Body: Readable.from([object(Key)?.content]) }));
  return bucket;
}

function answer(objects: ReadonlyMap<string, StoredObject>, failure: number | undefined, { method, path, headers }: OriginRequest): OriginResponse {
  if (failure !== undefined) return xml(failure, 'InternalError', '');
  let key: string;
  try {
    // S3 reads a plus sign in a path as a space.
    key = decodeURIComponent(path.slice(1).replaceAll('+', ' '));
  } catch {
    return xml(400, 'InvalidURI', `<URI>${path}</URI>`);
  }
  if (Buffer.byteLength(key) > MAX_KEY) return xml(400, 'KeyTooLongError', `<Size>${Buffer.byteLength(key)}</Size>`);
  const found = objects.get(key);
  if (found === undefined) return xml(404, 'NoSuchKey', `<Key>${key}</Key>`);
  const { content, etag } = found;
  if (headers['if-none-match']?.includes(etag)) return { status: 304, headers: { etag }, body: Buffer.alloc(0) };
  const common = { ...found.headers, etag, 'accept-ranges': 'bytes', server: 'AmazonS3' };
  const range = rangeIn(headers.range, content.length);
  if (range === undefined || (headers['if-range'] ?? etag) !== etag)
    return { status: 200, headers: { ...common, 'content-length': String(content.length) }, body: method === 'HEAD' ? Buffer.alloc(0) : content };
  const [start, end] = range;
  if (start > end || start >= content.length) return xml(416, 'InvalidRange', `<ActualObjectSize>${content.length}</ActualObjectSize>`);
  const body = content.subarray(start, end + 1);
  const length = { 'content-length': String(body.length), 'content-range': `bytes ${start}-${end}/${content.length}` };
  return { status: 206, headers: { ...common, ...length }, body: method === 'HEAD' ? Buffer.alloc(0) : body };
}

/** A single range; S3 does not support several in one request. */
function rangeIn(header: string | undefined, size: number): readonly [start: number, end: number] | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return last === '0' ? [size, 0] : [Math.max(0, size - Number(last)), size - 1];
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
}

function xml(status: number, code: string, detail: string): OriginResponse {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code>${detail}<RequestId>1</RequestId></Error>`;
  return { status, headers: { 'content-type': 'application/xml', server: 'AmazonS3' }, body: Buffer.from(text) };
}
