// Responds with a file of a deployment: chooses the file, the range and the encoding (RFC 9110).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { contentEncoding, isFresh } from '../../core/http/negotiation.ts';
import type { SiteFile, SiteStore } from '../../core/projects/ports.ts';
import { siteFilesFor } from '../../core/projects/site-path.ts';
import { contentTypeOf } from '../sites/content-type.ts';

/** Types worth compressing: text, and formats based on text. */
const COMPRESSIBLE = /^(text\/|application\/(json|javascript|xml|manifest\+json|wasm|ld\+json)|image\/svg\+xml)/;
const MIN_COMPRESSED_BYTES = 1_024;
/** Fast enough to run for every request; browsers revalidate their copies by ETag. */
const BROTLI_QUALITY = 4;
/**
 * Maximum number of concurrent compressions in this process, one megabyte each: a slow client occupies one until it has read everything. Beyond the
 * limit, files are sent uncompressed.
 */
const MAX_COMPRESSIONS = 64;
let compressions = 0;

interface Found {
  readonly name: string;
  readonly file: SiteFile;
}

/**
 * Serves a request from a deployment.
 *
 * @param target path and query of the request
 * @param deployment undefined if the project has none
 */
export async function respondWithSite(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  sites: SiteStore,
  deployment: { readonly id: string; readonly projectId: string } | undefined,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return plain(response, 405, 'method not allowed here; allowed: GET, HEAD', { allow: 'GET, HEAD' });
  if (deployment === undefined) return plain(response, 404, 'nothing is published here yet');
  const path = target.split('?')[0] ?? '/';
  const found = await firstOf(siteFilesFor(path), sites, deployment);
  if (found !== undefined) return send(request, response, found, 200);
  const missing = await firstOf(['404.html'], sites, deployment);
  return missing === undefined ? plain(response, 404, 'no such page') : send(request, response, missing, 404);
}

async function firstOf(names: readonly string[], sites: SiteStore, deployment: { id: string; projectId: string }): Promise<Found | undefined> {
  for (const name of names) {
    const file = await sites.get(deployment, name);
    if (file !== undefined) return { name, file };
  }
  return undefined;
}

async function send(request: IncomingMessage, response: ServerResponse, { name, file }: Found, status: number): Promise<void> {
  const type = contentTypeOf(name);
  const encoding =
    COMPRESSIBLE.test(type) && file.bytes >= MIN_COMPRESSED_BYTES ? contentEncoding(request.headers['accept-encoding']?.toString()) : undefined;
  response.setHeader('content-type', type);
  // Browsers revalidate each time; a 304 is short.
  response.setHeader('cache-control', 'public, max-age=0, must-revalidate');
  if (COMPRESSIBLE.test(type)) response.setHeader('vary', 'Accept-Encoding');
  // A compressed file is another representation and needs its own validator (RFC 9110, section 8.8.3.3).
  const etag = encoding === undefined ? file.etag : file.etag.replace(/"$/, `-${encoding}"`);
  response.setHeader('etag', etag);
  if (status === 200 && isFresh(request.headers['if-none-match'], etag)) {
    response.statusCode = 304;
    response.removeHeader('content-type');
    response.end();
    return;
  }
  response.statusCode = status;
  if (encoding !== undefined && (request.method === 'HEAD' || compressions < MAX_COMPRESSIONS)) {
    response.setHeader('content-encoding', encoding);
    if (request.method === 'HEAD') return void response.end();
    return sendCompressed(response, file, encoding);
  }
  response.setHeader('etag', file.etag);
  response.setHeader('accept-ranges', 'bytes');
  const range = status === 200 ? rangeOf(request, file.etag, file.bytes) : undefined;
  if (range === 'unsatisfiable') return plain(response, 416, 'no such range', { 'content-range': `bytes */${file.bytes}` });
  if (range !== undefined) {
    response.statusCode = 206;
    response.setHeader('content-range', `bytes ${range.start}-${range.end}/${file.bytes}`);
  }
  response.setHeader('content-length', range === undefined ? file.bytes : range.end - range.start + 1);
  if (request.method === 'HEAD' || file.bytes === 0) return void response.end();
  await pipeline(file.read(range), response);
}

async function sendCompressed(response: ServerResponse, file: SiteFile, encoding: 'br' | 'gzip'): Promise<void> {
  compressions += 1;
  try {
    const compress = encoding === 'br' ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }) : createGzip();
    await pipeline(file.read(), compress, response);
  } finally {
    compressions -= 1;
  }
}

/** Sends a plain text response, without the headers of a file. */
export function plain(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
  for (const name of ['etag', 'cache-control', 'accept-ranges', 'vary']) response.removeHeader(name);
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  response.end(`${text}\n`);
}

/** Parses a single byte range; a request for several gets the whole file, as the RFC permits (section 14.2). */
function rangeOf(request: IncomingMessage, etag: string, bytes: number): { start: number; end: number } | 'unsatisfiable' | undefined {
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== etag) return undefined;
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return undefined;
  const [, first = '', last = ''] = match;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return start > end || start >= bytes ? 'unsatisfiable' : { start, end };
}
