// Responds with a file of a deployment: chooses the range and the encoding (RFC 9110).

import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { contentEncoding, isFresh, requestedRange } from '../../core/http/negotiation.ts';
import type { DeploymentName } from '../../core/projects/ports.ts';
import { type HeldFiles, KEPT_FROM_BYTES, type SiteAnswer } from './held-files.ts';

/** Minimum size to compress, as in CloudFront (Developer Guide, "Serve compressed files"). */
const MIN_COMPRESSED_BYTES = 1_000;
/** Browsers revalidate each time; a 304 is short. */
const REVALIDATE = { 'cache-control': 'public, max-age=0, must-revalidate' };
/** Maximum number of bytes written at once. Larger content is sent in pieces; each piece waits until the client has taken the previous one. */
const PIECE_BYTES = KEPT_FROM_BYTES;
/** Content being sent in pieces takes up memory, even if it is no longer held. Beyond this total, content is read from storage. */
const MAX_SENDING_BYTES = 64 * 2 ** 20;
let sendingBytes = 0;

type Headers = Readonly<Record<string, string | number>>;

/** Serves a request. @param target its path and query @param deployment undefined if there is none @param headers for each answer */
export async function respondWithSite(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  files: HeldFiles,
  deployment: DeploymentName | undefined,
  headers: Headers,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return plain(response, 405, 'method not allowed here; allowed: GET, HEAD', { ...headers, allow: 'GET, HEAD' });
  if (deployment === undefined) return plain(response, 404, 'nothing is published here yet', headers);
  const query = target.indexOf('?');
  const found = files.find(deployment, query === -1 ? target : target.slice(0, query));
  const answer = found instanceof Promise ? await found : found;
  if (answer === undefined) return plain(response, 404, NO_SUCH_PAGE, { ...headers, ...REVALIDATE });
  return send(request, response, answer, files, headers);
}

async function send(request: IncomingMessage, response: ServerResponse, answer: SiteAnswer, files: HeldFiles, common: Headers): Promise<void> {
  const { status, file, type, isCompressible } = answer;
  const content = file.bytes <= PIECE_BYTES || sendingBytes < MAX_SENDING_BYTES ? answer.content : undefined;
  const isHead = request.method === 'HEAD';
  // Only requested files have ranges and validators, not the page for a missing file. GET alone has ranges (RFC 9110, section 14.2).
  const range = status === 200 && !isHead ? requestedRange(request.headers, file.etag, file.bytes) : undefined;
  // Ranges refer to the uncompressed file, as in CloudFront.
  const encoding =
    range === undefined && isCompressible && file.bytes >= MIN_COMPRESSED_BYTES
      ? contentEncoding(request.headers['accept-encoding']?.toString())
      : undefined;
  const headers: Record<string, string | number> = { ...common, ...REVALIDATE };
  if (isCompressible) headers.vary = 'Accept-Encoding';
  if (status === 200) {
    // A compressed file is another representation and needs its own validator (RFC 9110, section 8.8.3.3).
    const etag = encoding === undefined ? file.etag : file.etag.replace(/"$/, `-${encoding}"`);
    headers.etag = etag;
    if (isFresh(request.headers['if-none-match'], etag)) return void response.writeHead(304, headers).end();
  }
  if (range === 'unsatisfiable') return plain(response, 416, NO_SUCH_RANGE, { ...common, 'content-range': `bytes */${file.bytes}` });
  headers['content-type'] = type;
  const form = encoding === undefined || isHead ? undefined : await files.form(answer, encoding, content !== undefined);
  if (encoding !== undefined && (form !== undefined || isHead)) {
    headers['content-encoding'] = encoding;
    if (Buffer.isBuffer(form)) return write(response, status, headers, form);
    if (form !== undefined) headers['content-length'] = form.bytes;
    response.writeHead(status, headers);
    if (form === undefined) return void response.end();
    return pipeline(form.read(), response);
  }
  if (status === 200) {
    headers.etag = file.etag;
    headers['accept-ranges'] = 'bytes';
  }
  if (range !== undefined) headers['content-range'] = `bytes ${range.start}-${range.end}/${file.bytes}`;
  const sent = range === undefined ? status : 206;
  // A slice would keep the whole buffer in memory until it is sent.
  if (content !== undefined && !isHead)
    return write(response, sent, headers, range === undefined ? content : Buffer.from(content.subarray(range.start, range.end + 1)));
  headers['content-length'] = range === undefined ? file.bytes : range.end - range.start + 1;
  if (isHead || file.bytes === 0) return void response.writeHead(sent, headers).end();
  const source = file.read(range);
  // A file that can't be opened must give a 503, not a truncated response.
  await once(source, 'readable');
  response.writeHead(sent, headers);
  await pipeline(source, response);
}

/** Sends content that is in memory. */
function write(response: ServerResponse, status: number, headers: Record<string, string | number>, content: Buffer): void {
  headers['content-length'] = content.length;
  response.writeHead(status, headers);
  if (content.length <= PIECE_BYTES || response.destroyed) return void response.end(content);
  sendingBytes += content.length;
  response.once('close', () => {
    sendingBytes -= content.length;
  });
  let at = 0;
  const next = () => {
    while (at + PIECE_BYTES < content.length) {
      const piece = content.subarray(at, at + PIECE_BYTES);
      at += PIECE_BYTES;
      if (!response.write(piece)) return void response.once('drain', next);
    }
    response.end(content.subarray(at));
  };
  next();
}

/** Sends a plain text response, which no cache stores unless a header says so. */
export function plain(response: ServerResponse, status: number, text: string, headers: Headers = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers });
  response.end(`${text}\n`);
}

/** Returns the bytes of the answer to a request that Node could not parse; `code` is the parser's error code. */
export function unparsedAnswer(code: string | undefined): string {
  const [status, text, headers] = UNPARSED[code ?? ''] ?? [400, 'the request is not valid HTTP/1.1', ''];
  const body = `${text}\n`;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\nCache-Control: no-store\r\n${headers}Connection: close\r\n\r\n${body}`;
}

const UNPARSED: Readonly<Record<string, readonly [status: number, text: string, headers: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time', ''],
  // A page at a sibling name may have set too many cookies. Once they are cleared, the next request succeeds (W3C, Clear Site Data).
  HPE_HEADER_OVERFLOW: [431, 'request line and headers: too large; allowed: at most 16 KiB', 'Clear-Site-Data: "cookies"\r\n'],
};

// The texts that both edges send if there is no file.

/** Sent with status 404 if the project has no `404.html`. */
export const NO_SUCH_PAGE = 'no such page';
/** With status 416. */
export const NO_SUCH_RANGE = 'no such range';
/** Sent with status 503 if storage fails. */
export const UNAVAILABLE = 'temporarily unavailable; try again';
