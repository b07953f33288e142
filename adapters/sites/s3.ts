// Published files in S3: <project>/<deployment>/<name>. CloudFront asks for one key and no other, so the addresses without `.html` and
// `index.html` are keys too, under which the page is stored once more.

import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, HeadObjectCommand, NotFound, PutObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { SiteStore } from '../../core/projects/ports.ts';
import { isSiteFile } from '../../core/projects/site-path.ts';
import { StoreFault } from '../../core/store-fault.ts';
import { contentTypeOf } from './content-type.ts';

/** Browsers ask each time whether it has changed. CloudFront need not: the deployment is a part of the key, so what a key holds never changes. */
const CACHE_CONTROL = 'public, max-age=0, s-maxage=31536000, must-revalidate';

export function createS3SiteStore(client: S3Client, bucket: string): SiteStore {
  const keyOf = (projectId: string, deploymentId: string, name: string) => {
    if (!isSiteFile(name)) throw new Error(`not the name of a file of a deployment: ${JSON.stringify(name)}`);
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
        // A file of that very name, or a page that comes before this one, has the address already.
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

/** Awaits a call; whatever it throws becomes a StoreFault. */
async function guarded<T>(operation: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new StoreFault('unavailable', `S3 ${operation}: ${reason}`, { cause: error });
  }
}

/** The addresses that lead to a page, beside its name. */
export function aliasesOf(name: string): readonly string[] {
  if (name === 'index.html') return [''];
  if (name.endsWith('/index.html')) {
    const folder = name.slice(0, -'/index.html'.length);
    return [`${folder}/`, folder];
  }
  return name.endsWith('.html') ? [name.slice(0, -'.html'.length)] : [];
}

/** The whole file: S3 takes it once for each of its keys, and a deployment's files are small. */
async function contentOf(source: Readable, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk));
  const content = Buffer.concat(chunks);
  if (content.byteLength !== bytes) throw new Error(`the file changed while it was read: ${content.byteLength} bytes, not ${bytes}`);
  return content;
}
