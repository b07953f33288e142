// Deployed files in S3: <project>/<deployment>/<name>. CloudFront requests exactly one key, so a page is also stored under its addresses without
// `.html` and `index.html`.

import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { isSiteFile, type Manifest, type ManifestFile } from '../../core/projects/manifest.ts';
import type { DeploymentName, SiteStore, UploadStore, UploadTarget } from '../../core/projects/ports.ts';
import { StoreFault } from '../../core/refusal.ts';
import { unlessNamed } from '../aws-errors.ts';
import { contentTypeOf } from './content-type.ts';

/** Browsers revalidate each time. CloudFront need not do so, because the deployment is part of the key, and a key's content never changes. */
const CACHE_CONTROL = 'public, max-age=0, s-maxage=31536000, must-revalidate';

/** Creates the site store in an S3 bucket. */
export function createS3SiteStore(client: S3Client, bucket: string): SiteStore {
  const keyOf = (projectId: string, deploymentId: string, name: string) => {
    if (!isSiteFile(name)) throw new Error(`not a valid file name in a deployment: ${JSON.stringify(name)}`);
    return `${projectId}/${deploymentId}/${name}`;
  };

  return {
    put: async ({ projectId, id }, name, source, bytes) => {
      const key = keyOf(projectId, id, name);
      const content = await contentOf(source, bytes);
      const common = { Bucket: bucket, Body: content, ContentType: contentTypeOf(name), CacheControl: CACHE_CONTROL };
      await guarded('PutObject', client.send(new PutObjectCommand({ ...common, Key: key })));
      for (const alias of aliasesOf(name)) {
        const put = client.send(new PutObjectCommand({ ...common, Key: `${projectId}/${id}/${alias}`, IfNoneMatch: '*' }));
        // The key exists already: a file has exactly this name, or another page takes precedence.
        await guarded(
          'PutObject',
          put.catch((error: unknown) => {
            if (!(error instanceof S3ServiceException) || error.$metadata.httpStatusCode !== 412) throw error;
          }),
        );
      }
    },

    get: async ({ projectId, id }, name) => {
      const at = { Bucket: bucket, Key: keyOf(projectId, id, name) };
      const head = await guarded('HeadObject', client.send(new HeadObjectCommand(at)).catch(unlessNamed('NotFound')));
      if (head === undefined) return undefined;
      return {
        bytes: head.ContentLength ?? 0,
        etag: head.ETag ?? '',
        read: (range) => {
          const through = new PassThrough();
          const asked = client.send(new GetObjectCommand({ ...at, ...(range && { Range: `bytes=${range.start}-${range.end}` }) }));
          asked.then(({ Body }) => pipeline(Body as Readable, through)).catch((error) => through.destroy(error));
          return through;
        },
      };
    },
  };
}

/** Awaits a call, and turns any error into a StoreFault. */
export async function guarded<T>(operation: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new StoreFault('unavailable', `S3 ${operation}: ${reason}`, { cause: error });
  }
}

/** Returns a page's addresses other than its name. */
export function aliasesOf(name: string): readonly string[] {
  if (name === 'index.html') return ['', 'index'];
  if (name.endsWith('/index.html')) {
    const folder = name.slice(0, -'/index.html'.length);
    return [`${folder}/`, folder, `${folder}/index`];
  }
  return name.endsWith('.html') ? [name.slice(0, -'.html'.length)] : [];
}

/** Returns the sizes of objects, by key. @param after lists only keys after this one. @default all keys @param last the key at which to stop */
export async function objectSizes(
  client: S3Client,
  bucket: string,
  Prefix: string,
  { after, last }: { readonly after?: string | undefined; readonly last?: string | undefined } = {},
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (let StartAfter = after, isDone = false; !isDone; ) {
    const list = new ListObjectsV2Command({ Bucket: bucket, Prefix, StartAfter, MaxKeys: BATCH });
    const { Contents = [], IsTruncated = false } = await guarded('ListObjectsV2', client.send(list));
    for (const { Key = '', Size = 0 } of Contents) found.set(Key, Size);
    StartAfter = Contents.at(-1)?.Key;
    isDone = !IsTruncated || StartAfter === undefined || (last !== undefined && Buffer.compare(Buffer.from(StartAfter), Buffer.from(last)) >= 0);
  }
  return found;
}

/** Reads the whole file into memory: it is uploaded once for each of its keys, and a deployment's files are small. */
async function contentOf(source: Readable, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk));
  const content = Buffer.concat(chunks);
  if (content.byteLength !== bytes) throw new Error(`the file changed while it was read: ${content.byteLength} bytes instead of ${bytes}`);
  return content;
}

// Uploads to S3 with presigned requests, because a direct connection to S3 is not subject to API Gateway's limits. A request is signed for one key,
// with the size and the digest of its content, which S3 checks. Manifests are in uploads/<project>/<deployment>.json.

/** Number of targets per page. Each has about 1 KB, and a Lambda function's response is at most 6 MB. */
const PAGE = 200;
/** How long a request stays valid, in seconds; an upload that takes longer gets new requests. */
const VALID_SECONDS = 3_600;
/** Maximum number of objects per list, and per deletion (API reference). */
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
      // The client could leave out or change headers that are not signed.
      signableHeaders: new Set([...Object.keys(headers), 'content-length', 'host']),
      unhoistableHeaders: new Set(Object.keys(headers)),
    });
    return { name: file.name, url, headers };
  }

  /** @returns whether all objects are removed */
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
      const get = client.send(new GetObjectCommand({ Bucket: bucket, Key: manifestKey(deployment) })).catch(unlessNamed('NoSuchKey'));
      const text = await guarded(
        'GetObject',
        get.then((found) => found?.Body?.transformToString()),
      );
      return text === undefined ? undefined : (JSON.parse(text) as Manifest);
    },

    targets: async ({ projectId, id }, files, after) => {
      const folder = `${projectId}/${id}/`;
      const keyed = keyedIn(folder, files);
      const start = Number(after ?? 0);
      const page = keyed.slice(start, start + PAGE);
      const stored = await objectSizes(client, bucket, folder, { after: keyed[start - 1]?.key, last: page.at(-1)?.key });
      const missing = page.filter(({ key, file }) => stored.get(key) !== file.bytes);
      return {
        items: await Promise.all(missing.map(({ key, file }) => targetOf(file, key))),
        next: start + PAGE < keyed.length ? String(start + PAGE) : undefined,
      };
    },

    missing: async ({ projectId, id }, files, limit) => {
      const folder = `${projectId}/${id}/`;
      const keyed = keyedIn(folder, files);
      const stored = await objectSizes(client, bucket, folder, { last: keyed.at(-1)?.key });
      const names = new Set(keyed.filter(({ key, file }) => stored.get(key) !== file.bytes).map(({ file }) => file.name));
      return [...names].slice(0, limit);
    },

    end: (deployment) => removeObjects([manifestKey(deployment)]),

    remove: async ({ projectId, deploymentId }) => {
      // The manifest is removed first, so that no new targets are returned.
      const isLast = await removeAll(deploymentId === undefined ? `uploads/${projectId}/` : manifestKey({ projectId, id: deploymentId }));
      return isLast && removeAll(deploymentId === undefined ? `${projectId}/` : `${projectId}/${deploymentId}/`);
    },
  };
}

const keyedIn = (folder: string, files: Manifest) => keysOf(files).map(({ key, file }) => ({ key: `${folder}${key}`, file }));

/** Returns a deployment's keys in S3's order: its files' names, and pages' other addresses unless a file has that name or an earlier page has it. */
export function keysOf(files: Manifest): readonly { readonly key: string; readonly file: ManifestFile }[] {
  const keys = new Map(files.map((file) => [file.name, file]));
  for (const file of files) for (const alias of aliasesOf(file.name)) if (!keys.has(alias)) keys.set(alias, file);
  return [...keys]
    .map(([key, file]) => ({ key, file, bytes: Buffer.from(key) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ key, file }) => ({ key, file }));
}
