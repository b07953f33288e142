// Deployed files in S3: <project>/<deployment>/<name>. CloudFront requests exactly one key, so a page is also stored under its addresses without
// `.html` and `index.html`.

import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, HeadObjectCommand, NotFound, PutObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { isSiteFile } from '../../core/projects/manifest.ts';
import type { SiteStore } from '../../core/projects/ports.ts';
import { StoreFault } from '../../core/refusal.ts';
import { contentTypeOf } from './content-type.ts';

/** Browsers revalidate each time. CloudFront need not do so: the deployment is part of the key, so a key's content never changes. */
export const CACHE_CONTROL = 'public, max-age=0, s-maxage=31536000, must-revalidate';

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
      const found = client.send(new HeadObjectCommand(at)).catch((error: unknown) => {
        if (error instanceof NotFound) return undefined;
        throw error;
      });
      const head = await guarded('HeadObject', found);
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

/** Awaits a call and turns any error into a StoreFault. */
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

/** Reads the whole file into memory: it is uploaded once for each of its keys, and a deployment's files are small. */
async function contentOf(source: Readable, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk));
  const content = Buffer.concat(chunks);
  if (content.byteLength !== bytes) throw new Error(`the file changed while it was read: ${content.byteLength} bytes instead of ${bytes}`);
  return content;
}
