// A bucket in memory: it answers mocked clients, and takes presigned requests as S3 does.

import { createHash, createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { mockedClient } from './mocked-clients.ts';

type MockedS3 = ReturnType<typeof mockedClient>;

export interface MemoryBucket {
  readonly objects: ReadonlyMap<string, Buffer>;
  /** A presigned PUT. @returns whether it was stored */
  send(url: string, headers: Readonly<Record<string, string>>, content: Buffer): boolean;
}

/** A failure with an HTTP status. */
export function s3Failure(httpStatusCode: number): S3ServiceException {
  return new S3ServiceException({ name: 'Failure', $fault: 'server', message: 'failure', $metadata: { httpStatusCode } });
}

/** Answers a mocked client's calls from an empty bucket. */
export function memoryBucket(client: MockedS3): MemoryBucket {
  client.reset();
  const objects = new Map<string, Buffer>();
  client.on(PutObjectCommand).callsFake(async ({ Key, Body, IfNoneMatch }) => {
    if (IfNoneMatch === '*' && objects.has(Key)) throw s3Failure(412);
    objects.set(Key, Buffer.from(Body));
  });
  client.on(HeadObjectCommand).callsFake(async ({ Key }) => {
    const found = objects.get(Key);
    if (found === undefined) throw new NotFound({ message: 'no', $metadata: {} });
    return { ContentLength: found.byteLength, ETag: '"e"' };
  });
  client.on(GetObjectCommand).callsFake(async ({ Key, Range }) => {
    const found = objects.get(Key);
    if (found === undefined) throw new NoSuchKey({ message: 'no', $metadata: {} });
    const [first, last] = /^bytes=(\d+)-(\d+)$/
      .exec(Range ?? '')
      ?.slice(1)
      .map(Number) ?? [0, Number.POSITIVE_INFINITY];
    const part = found.subarray(first, Number(last) + 1);
    return { Body: Object.assign(Readable.from([part]), { transformToString: async () => part.toString() }) };
  });
  client.on(ListObjectsV2Command).callsFake(async ({ Prefix = '', StartAfter, MaxKeys = 1_000 }) => {
    const bytes = (key: string) => Buffer.from(key);
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(Prefix) && (StartAfter === undefined || Buffer.compare(bytes(key), bytes(StartAfter)) > 0))
      .sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
    const page = keys.slice(0, MaxKeys);
    return { Contents: page.map((Key) => ({ Key, Size: objects.get(Key)?.byteLength })), IsTruncated: keys.length > page.length };
  });
  client.on(DeleteObjectsCommand).callsFake(async ({ Delete: { Objects } }) => {
    for (const { Key } of Objects) objects.delete(Key);
    return {};
  });
  return {
    objects,
    send: (url, headers, content) => {
      const { pathname, host, searchParams } = new URL(url);
      if (searchParams.get('X-Amz-Signature') !== signatureOf(url, { ...headers, host, 'content-length': String(content.byteLength) })) return false;
      // A header that is not signed could be replaced: then any content of any size would be stored.
      const signed = searchParams.get('X-Amz-SignedHeaders')?.split(';') ?? [];
      for (const header of ['content-length', ...Object.keys(headers)])
        if (!signed.includes(header)) throw new Error(`${header} is not signed: ${signed}`);
      if (createHash('sha256').update(content).digest('base64') !== headers['x-amz-checksum-sha256']) return false;
      objects.set(decodeURIComponent(pathname.slice(1)), content);
      return true;
    },
  };
}

/** The credentials of requests that a bucket accepts. */
export const S3_CREDENTIALS = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' };

/** The signature of a presigned PUT that is sent with these headers (S3 API Reference, "Authenticating Requests: Using Query Parameters"). */
function signatureOf(url: string, headers: Readonly<Record<string, string>>): string {
  const { pathname, searchParams } = new URL(url);
  const part = (name: string) => searchParams.get(`X-Amz-${name}`) ?? '';
  const encoded = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort();
  const signed = part('SignedHeaders').split(';');
  const canonical = [
    'PUT',
    pathname,
    query.join('&'),
    ...signed.map((name) => `${name}:${headers[name] ?? ''}`),
    '',
    signed.join(';'),
    part('Content-Sha256') || 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const [, ...scope] = part('Credential').split('/');
  const toSign = ['AWS4-HMAC-SHA256', part('Date'), scope.join('/'), createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = scope.reduce<string | Buffer>(
    (secret, each) => createHmac('sha256', secret).update(each).digest(),
    `AWS4${S3_CREDENTIALS.secretAccessKey}`,
  );
  return createHmac('sha256', key).update(toSign).digest('hex');
}
