// CloudFront's access logs in a bucket: files, compressed or not, of JSON lines with string values (Developer Guide, "Standard logging reference").

import { PassThrough, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DeleteObjectsCommand, GetObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import type { LoggedVisit, VisitLogs } from '../../core/projects/project.ts';
import { StoreFault } from '../../core/refusal.ts';
import { unlessNamed } from '../aws-errors.ts';
import { type LOGGED_FIELDS, LOGS_PREFIX } from './log-fields.ts';
import { guarded } from './s3.ts';

/** Number of files per page: few enough to be read in time, whatever their size. */
const PAGE = 10;
/** Maximum length of a line that is read, in characters; a URL has up to 8,192 bytes. */
const LONGEST_LINE = 65_536;
/** In characters, with a port. */
const LONGEST_HOST = 259;
/** The first bytes of gzip (RFC 1952, section 2.3.1). */
const GZIP = Buffer.from([0x1f, 0x8b]);

/** Creates access to the logs in a bucket. */
export function createCloudFrontLogs(client: S3Client, bucket: string): VisitLogs {
  return {
    list: async (after) => {
      const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: LOGS_PREFIX, MaxKeys: PAGE, StartAfter: after });
      const { Contents = [], IsTruncated = false } = await guarded('ListObjectsV2', client.send(command));
      const items = Contents.flatMap(({ Key }) => Key ?? []);
      return { items, next: IsTruncated ? items.at(-1) : undefined };
    },

    read: async function* (file) {
      const body = await bodyOf(file);
      if (body === undefined) return;
      try {
        let [lines, visits] = [0, 0];
        for await (const line of linesOf(body)) {
          if (line.trim() === '') continue;
          const visit = visitOf(line);
          lines += 1;
          if (visit === undefined) continue;
          visits += 1;
          yield visit;
        }
        if (lines > 0 && visits === 0) throw new Error('no line describes a visit');
      } catch (error) {
        throw new StoreFault('unavailable', `${file} can't be read`, { cause: error });
      } finally {
        body.destroy();
      }
    },

    remove: async (files) => {
      if (files.length === 0) return [];
      const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Quiet: true, Objects: files.map((Key) => ({ Key })) } });
      const { Errors = [] } = await guarded('DeleteObjects', client.send(command));
      return Errors.flatMap(({ Key }) => Key ?? []);
    },
  };

  async function bodyOf(Key: string): Promise<Readable | undefined> {
    const got = client.send(new GetObjectCommand({ Bucket: bucket, Key })).catch(unlessNamed('NoSuchKey'));
    return (await guarded('GetObject', got))?.Body as Readable | undefined;
  }
}

/** Yields the lines of content that may be compressed. Rejects if the content is truncated. */
async function* linesOf(body: Readable): AsyncIterable<string> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const { value: first, done } = await chunks.next();
  if (done) return;
  const content = first.subarray(0, GZIP.length).equals(GZIP) ? createGunzip() : new PassThrough();
  const all = Readable.from(
    (async function* () {
      yield first;
      yield* { [Symbol.asyncIterator]: () => chunks };
    })(),
  );
  // A fault in either stream ends the other stream, and so ends the loop.
  pipeline(all, content, () => undefined);
  let rest = '';
  for await (const text of content.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new Error(`a line has more than ${LONGEST_LINE} characters`);
    yield* lines;
  }
  yield rest;
}

type Fields = Partial<Record<(typeof LOGGED_FIELDS)[number], string>>;

/** @returns undefined if the line is not a visit */
function visitOf(line: string): LoggedVisit | undefined {
  const fields = parsed(line);
  const { 'x-host-header': host = '', 'cs-method': method = '', 'cs-uri-stem': path = '' } = fields;
  const at = Date.parse(`${fields.date}T${fields.time}Z`);
  const bytes = Number(fields['sc-bytes']);
  if (typeof host !== 'string' || host === '' || host.length > LONGEST_HOST || !Number.isSafeInteger(at) || !Number.isSafeInteger(bytes) || bytes < 0)
    return undefined;
  const [status, seconds] = [Number(fields['sc-status']), Number(fields['time-taken'])];
  return {
    // The host that visitors send may include the port.
    host: host.toLowerCase().replace(/:\d+$/, ''),
    at,
    bytes,
    method: String(method),
    path: decoded(String(path)),
    status: Number.isInteger(status) ? status : 0,
    durationMs: Number.isFinite(seconds) ? Math.round(1_000 * seconds) : 0,
  };
}

/** Decodes a path, because a secret in it would not be recognized in encoded form. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function parsed(line: string): Fields {
  try {
    return (JSON.parse(line) ?? {}) as Fields;
  } catch {
    return {};
  }
}
