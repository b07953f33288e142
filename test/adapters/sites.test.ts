// Faults in the S3 site store, which the emulator can't produce. The store's other behavior is tested on the emulator (test/deploy).

import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, NotFound, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, expect, test } from 'vitest';
import { aliasesOf, createS3SiteStore } from '../../adapters/sites/s3.ts';
import { siteStoreContract } from '../../testing/site-store.ts';
import { storeFaultContract } from '../../testing/store-faults.ts';
import { memoryBucket, s3Failure } from '../support/memory-s3.ts';
import { mockedClient } from '../support/mocked-clients.ts';

const client = mockedClient(S3Client);
const sites = createS3SiteStore(new S3Client({ region: 'us-east-1' }), 'sites');
const DEPLOYMENT = { id: 'dpl_1', projectId: 'prj_1' };
const put = (name: string, content = 'x', bytes = content.length) => sites.put(DEPLOYMENT, name, Readable.from([Buffer.from(content)]), bytes);
beforeEach(() => void client.reset());

siteStoreContract(
  test,
  () => {
    memoryBucket(client);
    return sites;
  },
  { name: 'S3' },
);

storeFaultContract(
  test,
  async () => {
    client.onAnyCommand().rejects(s3Failure(503));
    return { stores: { sites }, says: 'failure' };
  },
  { name: 'S3', ports: ['sites'] },
);

test.each([
  ['index.html', ['', 'index']],
  ['docs/index.html', ['docs/', 'docs', 'docs/index']],
  ['about.html', ['about']],
  ['photo.png', []],
])('%s is also found at %j', (name, aliases) => {
  expect(aliasesOf(name)).toEqual(aliases);
});

test('a short address is left unchanged if it exists; any other failure is a fault', async () => {
  client.on(PutObjectCommand).resolvesOnce({}).rejectsOnce(s3Failure(412)).resolves({});
  await put('about.html');
  expect(client.commandCalls(PutObjectCommand).map(({ args: [{ input }] }) => [input.Key, input.IfNoneMatch, input.ContentType])).toEqual([
    ['prj_1/dpl_1/about.html', undefined, 'text/html; charset=utf-8'],
    ['prj_1/dpl_1/about', '*', 'text/html; charset=utf-8'],
  ]);
  client.reset();
  client.on(PutObjectCommand).resolvesOnce({}).rejects(s3Failure(503));
  await expect(put('about.html')).rejects.toThrow('failure');
});

test('a file that changes while it is read is not stored', async () => {
  await expect(put('a.txt', 'abc', 2)).rejects.toThrow('changed while it was read: 3 bytes instead of 2');
  await expect(put('../a.txt')).rejects.toThrow('not a valid file name');
  expect(client.calls()).toHaveLength(0);
});

test('a missing file reads as undefined, an unreadable one is a fault', async () => {
  client
    .on(HeadObjectCommand)
    .rejectsOnce(new NotFound({ message: 'no', $metadata: {} }))
    .rejectsOnce(s3Failure(503))
    .resolves({ ContentLength: 3, ETag: '"e"' });
  expect(await sites.get(DEPLOYMENT, 'a.txt')).toBeUndefined();
  await expect(sites.get(DEPLOYMENT, 'a.txt')).rejects.toThrow('failure');
  client
    .on(GetObjectCommand)
    .resolvesOnce({ Body: Readable.from([Buffer.from('bc')]) as never })
    .rejects(s3Failure(500));
  const file = await sites.get(DEPLOYMENT, 'photo.unknown');
  expect([file?.bytes, file?.etag]).toEqual([3, '"e"']);
  const chunks: Buffer[] = [];
  for await (const chunk of file?.read({ start: 1, end: 2 }) ?? []) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('bc');
  expect(client.commandCalls(GetObjectCommand)[0]?.args[0].input.Range).toBe('bytes=1-2');
  await expect(async () => {
    for await (const _ of file?.read() ?? []);
  }).rejects.toThrow('failure');
});
