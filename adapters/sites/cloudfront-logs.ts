// CloudFront's access logs, as it delivers them to a bucket: files with a JSON object in each line, compressed or not, whose fields are named in the
// CloudFront Developer Guide, "Standard logging reference". All values are strings.

import { PassThrough, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DeleteObjectsCommand, GetObjectCommand, ListObjectsV2Command, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import type { LoggedVisit, VisitLogs } from '../../core/projects/traffic.ts';
import { StoreFault } from '../../core/store-fault.ts';
import { guarded } from './s3.ts';

/** The start of the names of files that CloudFront delivers (CloudFront Developer Guide, "Configure standard logging (v2)"). */
export const LOGS_PREFIX = 'AWSLogs/';

/** The fields that are delivered: none of them is about the visitor. */
export const LOGGED_FIELDS = ['date', 'time', 'x-host-header', 'cs-method', 'cs-uri-stem', 'sc-status', 'sc-bytes', 'time-taken'] as const;

/** Files in a page. */
const PAGE = 100;
/** What the function in front of the cache puts before the path, in case that is what was logged. */
const OWN_PREFIX = /^\/prj_[a-z]+\/dpl_[a-z]+(?=\/)/;

/** Creates the logs in a bucket. */
export function createCloudFrontLogs(client: S3Client, bucket: string): VisitLogs {
  return {
    list: async (after) => {
      const command = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: LOGS_PREFIX,
        MaxKeys: PAGE,
        ...(after !== undefined && { StartAfter: after }),
      });
      const { Contents = [], IsTruncated = false } = await guarded('ListObjectsV2', client.send(command));
      const items = Contents.flatMap(({ Key }) => Key ?? []);
      return { items, next: IsTruncated ? items.at(-1) : undefined };
    },

    read: async function* (file) {
      const body = await bodyOf(file);
      if (body === undefined) return;
      try {
        for await (const line of linesOf(body, file.endsWith('.gz'))) {
          const visit = visitOf(line);
          if (visit !== undefined) yield visit;
        }
      } catch (error) {
        throw new StoreFault('unavailable', `${file} can't be read`, { cause: error });
      } finally {
        body.destroy();
      }
    },

    remove: async (files) => {
      if (files.length === 0) return;
      const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Quiet: true, Objects: files.map((Key) => ({ Key })) } });
      const { Errors: [error] = [] } = await guarded('DeleteObjects', client.send(command));
      if (error !== undefined) throw new StoreFault('unavailable', `S3 DeleteObjects: ${error.Key}: ${error.Code}`);
    },
  };

  async function bodyOf(Key: string): Promise<Readable | undefined> {
    const got = client.send(new GetObjectCommand({ Bucket: bucket, Key })).catch((error: unknown) => {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    });
    return (await guarded('GetObject', got))?.Body as Readable | undefined;
  }
}

/** The lines of a text. Rejects if it was cut short. */
async function* linesOf(body: Readable, isCompressed: boolean): AsyncIterable<string> {
  const content = isCompressed ? createGunzip() : new PassThrough();
  // A fault of either ends the other, and so the loop.
  pipeline(body, content, () => undefined);
  let rest = '';
  for await (const text of content.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

type Fields = Partial<Record<(typeof LOGGED_FIELDS)[number], string>>;

/** @returns undefined if the line is no visit */
function visitOf(line: string): LoggedVisit | undefined {
  const fields = parsed(line);
  const { 'x-host-header': host = '', 'cs-method': method = '', 'cs-uri-stem': path = '' } = fields;
  const at = Date.parse(`${fields.date}T${fields.time}Z`);
  const bytes = Number(fields['sc-bytes']);
  if (host === '' || !Number.isSafeInteger(at) || !Number.isSafeInteger(bytes) || bytes < 0) return undefined;
  const [status, seconds] = [Number(fields['sc-status']), Number(fields['time-taken'])];
  return {
    // With its port, if the visitor sent one.
    host: host.toLowerCase().replace(/:\d+$/, ''),
    ...{ at, method, bytes },
    path: path.replace(OWN_PREFIX, ''),
    status: Number.isInteger(status) ? status : 0,
    durationMs: Number.isFinite(seconds) ? Math.round(1_000 * seconds) : 0,
  };
}

function parsed(line: string): Fields {
  try {
    return (JSON.parse(line) ?? {}) as Fields;
  } catch {
    return {};
  }
}
