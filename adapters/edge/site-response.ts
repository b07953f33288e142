// Responds with a file of a deployment: chooses the file, the range and the encoding (RFC 9110).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { contentEncoding, isFresh, requestedRange } from '../../core/http/negotiation.ts';
import { type ChosenFile, chooseFile } from '../../core/projects/choose-file.ts';
import type { SiteFile, SiteStore } from '../../core/projects/ports.ts';
import { contentTypeOf } from '../sites/content-type.ts';

/** Types worth compressing: text, formats based on text, and fonts that are not compressed already. */
const COMPRESSIBLE =
  /^(text\/|application\/(json|javascript|xml|rss\+xml|xhtml\+xml|manifest\+json|wasm|ld\+json|vnd\.ms-fontobject)|image\/svg\+xml|font\/(otf|ttf))/;
/** As CloudFront (Developer Guide, "Serve compressed files"). */
const MIN_COMPRESSED_BYTES = 1_000;
/** Browsers revalidate each time; a 304 is short. */
const REVALIDATE = 'public, max-age=0, must-revalidate';
/** Fast enough to run for every request; browsers revalidate their copies by ETag. */
const BROTLI_QUALITY = 4;
/**
 * Maximum number of concurrent compressions in this process, one megabyte each: a slow client occupies one until it has read everything. Beyond the
 * limit, files are sent uncompressed.
 */
const MAX_COMPRESSIONS = 64;
let compressions = 0;

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
  const chosen = await chooseFile(path, sites, deployment);
  if (chosen === undefined) return plain(response, 404, NO_SUCH_PAGE, { 'cache-control': REVALIDATE });
  return send(request, response, chosen);
}

async function send(request: IncomingMessage, response: ServerResponse, { status, name, file }: ChosenFile): Promise<void> {
  const type = contentTypeOf(name);
  const compressible = COMPRESSIBLE.test(type);
  // Only the files that were asked for have parts and validators, not the page for a missing one.
  const range = status === 200 ? requestedRange(request.headers, file.etag, file.bytes) : undefined;
  // Ranges are parts of the uncompressed file, as at CloudFront.
  const encoding =
    range === undefined && compressible && file.bytes >= MIN_COMPRESSED_BYTES
      ? contentEncoding(request.headers['accept-encoding']?.toString())
      : undefined;
  response.setHeader('cache-control', REVALIDATE);
  if (compressible) response.setHeader('vary', 'Accept-Encoding');
  // A compressed file is another representation and needs its own validator (RFC 9110, section 8.8.3.3).
  const etag = encoding === undefined ? file.etag : file.etag.replace(/"$/, `-${encoding}"`);
  if (status === 200) {
    response.setHeader('etag', etag);
    if (isFresh(request.headers['if-none-match'], etag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
  }
  if (range === 'unsatisfiable') return plain(response, 416, NO_SUCH_RANGE, { 'content-range': `bytes */${file.bytes}` });
  response.setHeader('content-type', type);
  response.statusCode = status;
  if (encoding !== undefined && (request.method === 'HEAD' || compressions < MAX_COMPRESSIONS)) {
    response.setHeader('content-encoding', encoding);
    if (request.method === 'HEAD') return void response.end();
    return sendCompressed(response, file, encoding);
  }
  if (status === 200) {
    response.setHeader('etag', file.etag);
    response.setHeader('accept-ranges', 'bytes');
  }
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

/** Sends a plain text response, which no cache stores unless a header says so. */
export function plain(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
  for (const name of ['etag', 'accept-ranges', 'vary']) response.removeHeader(name);
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers });
  response.end(`${text}\n`);
}

// The texts that both edges answer with if there is no file to send.

/** With status 404, if the project has no `404.html`. */
export const NO_SUCH_PAGE = 'no such page';
/** With status 416. */
export const NO_SUCH_RANGE = 'no such range';
/** With status 503, if storage fails. */
export const UNAVAILABLE = 'temporarily unavailable; try again';
