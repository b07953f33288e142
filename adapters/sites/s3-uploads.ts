// Uploads to S3, by presigned requests: the client's own connection to S3 has no limit of API Gateway. A request is signed for one key, with the size and
// the digest of its content, which S3 checks. Manifests are in uploads/<project>/<deployment>.json.

import { DeleteObjectsCommand, GetObjectCommand, ListObjectsV2Command, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Manifest, ManifestFile } from '../../core/projects/manifest.ts';
import type { DeploymentName, UploadStore, UploadTarget } from '../../core/projects/ports.ts';
import { contentTypeOf } from './content-type.ts';
import { aliasesOf, CACHE_CONTROL, guarded } from './s3.ts';

/** Targets in a page: each is about 1 KB, and a Lambda function's response is at most 6 MB. */
const PAGE = 200;
/** How long a request stays valid, in seconds; those of an upload that takes longer are given again. */
const VALID_SECONDS = 3_600;
/** Objects in a list, and in a deletion (API reference). */
const BATCH = 1_000;

/** Creates the uploads to a bucket. */
export function createS3Uploads(client: S3Client, bucket: string): UploadStore {
  const manifestKey = ({ projectId, id }: DeploymentName) => `uploads/${projectId}/${id}.json`;

  async function targetOf(file: ManifestFile, Key: string): Promise<UploadTarget> {
    const headers = {
      'content-type': contentTypeOf(file.name),
      'cache-control': CACHE_CONTROL,
      'x-amz-checksum-sha256': Buffer.from(file.sha256, 'hex').toString('base64'),
    };
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key,
      ContentType: headers['content-type'],
      CacheControl: headers['cache-control'],
      ChecksumSHA256: headers['x-amz-checksum-sha256'],
      ContentLength: file.bytes,
    });
    const url = await getSignedUrl(client, command, {
      expiresIn: VALID_SECONDS,
      // What is not signed could be left out or changed.
      signableHeaders: new Set([...Object.keys(headers), 'content-length', 'host']),
      unhoistableHeaders: new Set(Object.keys(headers)),
    });
    return { name: file.name, url, headers };
  }

  /** The sizes of the objects below a prefix, by key, after one key up to another one. */
  async function sizes(Prefix: string, after: string | undefined, last: string): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (let StartAfter = after, isDone = false; !isDone; ) {
      const list = new ListObjectsV2Command({ Bucket: bucket, Prefix, StartAfter, MaxKeys: BATCH });
      const { Contents = [], IsTruncated = false } = await guarded('ListObjectsV2', client.send(list));
      for (const { Key = '', Size = 0 } of Contents) found.set(Key, Size);
      StartAfter = Contents.at(-1)?.Key;
      isDone = !IsTruncated || StartAfter === undefined || Buffer.compare(Buffer.from(StartAfter), Buffer.from(last)) >= 0;
    }
    return found;
  }

  /** @returns whether there are no more */
  async function removeAll(Prefix: string): Promise<boolean> {
    const list = new ListObjectsV2Command({ Bucket: bucket, Prefix, MaxKeys: BATCH });
    const { Contents = [], IsTruncated = false } = await guarded('ListObjectsV2', client.send(list));
    await removeObjects(Contents.map(({ Key }) => Key ?? ''));
    return !IsTruncated;
  }

  async function removeObjects(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true } });
    const { Errors: [problem] = [] } = await guarded('DeleteObjects', client.send(command));
    if (problem !== undefined) await guarded('DeleteObjects', Promise.reject(new Error(`${problem.Key}: ${problem.Code} ${problem.Message}`)));
  }

  return {
    targetsValidMs: VALID_SECONDS * 1_000,

    begin: async (deployment, files) => {
      const put = { Bucket: bucket, Key: manifestKey(deployment), Body: JSON.stringify(files), ContentType: 'application/json' };
      await guarded('PutObject', client.send(new PutObjectCommand(put)));
    },

    manifest: async (deployment) => {
      const get = client.send(new GetObjectCommand({ Bucket: bucket, Key: manifestKey(deployment) })).catch((error: unknown) => {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      });
      const text = await guarded(
        'GetObject',
        get.then((found) => found?.Body?.transformToString()),
      );
      return text === undefined ? undefined : (JSON.parse(text) as Manifest);
    },

    targets: async ({ projectId, id }, files, after) => {
      const folder = `${projectId}/${id}/`;
      const keyed = keysOf(files).map(({ key, file }) => ({ key: `${folder}${key}`, file }));
      const start = Number(after ?? 0);
      const page = keyed.slice(start, start + PAGE);
      const stored = await sizes(folder, keyed[start - 1]?.key, page.at(-1)?.key ?? '');
      const missing = page.filter(({ key, file }) => stored.get(key) !== file.bytes);
      return {
        items: await Promise.all(missing.map(({ key, file }) => targetOf(file, key))),
        next: start + PAGE < keyed.length ? String(start + PAGE) : undefined,
      };
    },

    missing: async ({ projectId, id }, files, limit) => {
      const folder = `${projectId}/${id}/`;
      const keyed = keysOf(files).map(({ key, file }) => ({ key: `${folder}${key}`, file }));
      const stored = await sizes(folder, undefined, keyed.at(-1)?.key ?? '');
      const names = new Set(keyed.filter(({ key, file }) => stored.get(key) !== file.bytes).map(({ file }) => file.name));
      return [...names].slice(0, limit);
    },

    end: (deployment) => removeObjects([manifestKey(deployment)]),

    remove: async ({ projectId, deploymentId }) => {
      // The manifest goes first: from then on no new targets are given.
      const isLast = await removeAll(deploymentId === undefined ? `uploads/${projectId}/` : manifestKey({ projectId, id: deploymentId }));
      return isLast && removeAll(deploymentId === undefined ? `${projectId}/` : `${projectId}/${deploymentId}/`);
    },
  };
}

/**
 * The keys below which a deployment's files are stored, in the order of S3's lists: their names, and a page's other addresses, unless a file has
 * exactly that name. The first of several pages with the same address has it.
 */
export function keysOf(files: Manifest): readonly { readonly key: string; readonly file: ManifestFile }[] {
  const keys = new Map(files.map((file) => [file.name, file]));
  for (const file of files) for (const alias of aliasesOf(file.name)) if (!keys.has(alias)) keys.set(alias, file);
  return [...keys]
    .map(([key, file]) => ({ key, file, bytes: Buffer.from(key) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ key, file }) => ({ key, file }));
}
