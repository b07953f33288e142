// Uploads to S3. What a presigned request is worth to S3 itself is tested on the emulator (test/deploy).

import { createHash } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { createS3SiteStore, createS3Uploads, keysOf } from '../../adapters/sites/s3.ts';
import { storeFaultContract } from '../../testing/store-faults.ts';
import { uploadStoreContract } from '../../testing/upload-store.ts';
import { memoryBucket, S3_CREDENTIALS, s3Failure } from '../support/memory-s3.ts';
import { mockedClient } from '../support/mocked-clients.ts';

const makeS3 = () => new S3Client({ region: 'us-east-1', credentials: S3_CREDENTIALS });

describe('with a bucket', () => {
  const s3 = makeS3();
  const bucket = memoryBucket(mockedClient(s3));
  const uploads = createS3Uploads(s3, 'sites');
  uploadStoreContract(
    test,
    async () => ({
      uploads,
      sites: createS3SiteStore(s3, 'sites'),
      send: async ({ url, headers }, content) => bucket.send(url, headers, content),
    }),
    { name: 'S3' },
  );

  test('nothing in a request can be changed', async () => {
    const manifest = [{ name: 'a.txt', bytes: 1, sha256: createHash('sha256').update('x').digest('hex') }];
    const { items } = await uploads.targets({ id: 'dpl_2', projectId: 'prj_1' }, manifest);
    const { url = '', headers = {} } = items[0] ?? {};
    const content = Buffer.from('x');
    const { 'cache-control': _, ...without } = headers;
    for (const [changedUrl, changedHeaders] of [
      [url.replace('dpl_2', 'dpl_3'), headers],
      [url.replace('X-Amz-Expires=3600', 'X-Amz-Expires=604800'), headers],
      [url, { ...headers, 'content-type': 'text/html' }],
      [url, { ...headers, 'x-amz-checksum-sha256': createHash('sha256').update('y').digest('base64') }],
      [url, without],
    ] as const)
      expect(bucket.send(changedUrl, changedHeaders, content)).toBe(false);
    expect(bucket.send(url, headers, Buffer.from('xy'))).toBe(false);
    expect(bucket.send(url, headers, content)).toBe(true);
  });

  test('requests are for one key each, for an hour, with the headers that the site store gives its files', async () => {
    const manifest = [{ name: 'docs/a b.html', bytes: 3, sha256: 'ab'.repeat(32) }];
    const { items } = await uploads.targets({ id: 'dpl_1', projectId: 'prj_1' }, manifest);
    expect(items.map(({ url }) => new URL(url).pathname).sort()).toEqual(['/prj_1/dpl_1/docs/a%20b', '/prj_1/dpl_1/docs/a%20b.html']);
    for (const { url, headers } of items) {
      expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('3600');
      expect(headers).toEqual({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, max-age=0, s-maxage=31536000, must-revalidate',
        'x-amz-checksum-sha256': Buffer.from('ab'.repeat(32), 'hex').toString('base64'),
      });
    }
  });
});

test('each address of a page is a key of its own; a file with that name has it, then the page that comes first', () => {
  const files = ['about', 'about.html', 'docs.html', 'docs/index.html', 'index.html'].map((name) => ({ name, bytes: 1, sha256: '' }));
  expect(keysOf(files).map(({ key, file }) => `${key} ← ${file.name}`)).toEqual([
    ' ← index.html',
    'about ← about',
    'about.html ← about.html',
    'docs ← docs.html',
    'docs.html ← docs.html',
    'docs/ ← docs/index.html',
    'docs/index ← docs/index.html',
    'docs/index.html ← docs/index.html',
    'index ← index.html',
    'index.html ← index.html',
  ]);
});

test('objects that S3 did not delete are a fault', async () => {
  const s3 = makeS3();
  const client = mockedClient(s3);
  client
    .onAnyCommand()
    .resolves({ Contents: [{ Key: 'prj_1/dpl_1/a' }], Errors: [{ Key: 'prj_1/dpl_1/a', Code: 'InternalError', Message: 'again' }] });
  await expect(createS3Uploads(s3, 'sites').remove({ projectId: 'prj_1', deploymentId: 'dpl_1' })).rejects.toThrow('InternalError');
  expect(client.commandCalls(PutObjectCommand)).toEqual([]);
});

storeFaultContract(
  test,
  async () => {
    const s3 = makeS3();
    mockedClient(s3).onAnyCommand().rejects(s3Failure(503));
    return { stores: { uploads: createS3Uploads(s3, 'sites') }, says: 'failure' };
  },
  { name: 'S3 uploads', ports: ['uploads'] },
);
