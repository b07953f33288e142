// The content of a request's body: decompressed, and reassembled from the chunks in which S3 clients send streams.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html

import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { WireRequest } from './request.ts';

const CHUNKED = 'aws-chunked';

/** A request whose body was sent in chunks, reassembled; its trailers become headers. @throws Error for chunks that S3 would refuse */
export function unchunked(request: WireRequest): WireRequest {
  const { headers, body } = request;
  const encodings = encodingsOf(headers);
  const isSigned = String(headers['x-amz-content-sha256'] ?? '').startsWith('STREAMING-');
  if (!encodings.includes(CHUNKED) && !isSigned) return request;
  const { 'content-encoding': _, ...others } = headers;
  const { content, trailers } = readChunks(body);
  const wanted = headers['x-amz-decoded-content-length'];
  if (wanted !== undefined && Number(wanted) !== content.length)
    throw new Error(`x-amz-decoded-content-length is ${wanted}, and the chunks have ${content.length} bytes`);
  const encoding = encodings.filter((each) => each !== CHUNKED).join(', ');
  return { ...request, headers: { ...others, ...trailers, ...(encoding !== '' && { 'content-encoding': encoding }) }, body: content };
}

/** The body for a service that accepts compressed requests. S3 does not: there, the encoding is a property of the object. */
export function uncompressed({ headers, body }: WireRequest): Buffer {
  return encodingsOf(headers).includes('gzip') ? gunzipSync(body) : body;
}

function encodingsOf(headers: IncomingHttpHeaders): readonly string[] {
  return (headers['content-encoding'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** Each chunk is its size in hexadecimal digits, an optional signature, and the bytes; the last one is empty, and trailers follow it. */
function readChunks(body: Buffer): { readonly content: Buffer; readonly trailers: Readonly<Record<string, string>> } {
  const chunks: Buffer[] = [];
  let at = 0;
  const line = () => {
    const end = body.indexOf('\r\n', at);
    if (end === -1) throw new Error(`${CHUNKED}: the body ends within a line`);
    const text = body.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  for (;;) {
    const [, digits] = /^([0-9a-f]+)(?:;.*)?$/i.exec(line()) ?? [];
    if (digits === undefined) throw new Error(`${CHUNKED}: a chunk has no size`);
    const size = Number.parseInt(digits, 16);
    if (size === 0) break;
    chunks.push(body.subarray(at, at + size));
    at += size;
    if (line() !== '') throw new Error(`${CHUNKED}: a chunk is longer than its size`);
  }
  const trailers: Record<string, string> = {};
  while (at < body.length) {
    const [name = '', ...value] = line().split(':');
    if (name !== '') trailers[name.toLowerCase()] = value.join(':').trim();
  }
  return { content: Buffer.concat(chunks), trailers };
}
