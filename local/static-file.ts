// Files served from memory, with an ETag, and in the encodings that clients accept.

import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type ContentEncoding, contentEncoding, isFresh } from '../core/http/negotiation.ts';

interface Representation {
  readonly content: Buffer;
  /** Each encoding is a separate representation with its own ETag (RFC 9110, section 8.8.3.3). */
  readonly etag: string;
}

export interface StaticFile {
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the file in an encoding, compressed on first use. */
  readonly in: (encoding: ContentEncoding | undefined) => Representation;
}

/** A compromise: files are sent often, but the first request has to wait for the compression. */
const BROTLI_QUALITY = 5;

/** Prepares a file. @param headers added to those of every file @param compressed the content compressed by the build. @default none */
export function staticFile(
  content: Buffer,
  contentType: string,
  headers: Readonly<Record<string, string>>,
  compressed: Readonly<Partial<Record<ContentEncoding, Buffer>>> = {},
): StaticFile {
  const made = new Map<ContentEncoding | undefined, Representation>();
  return {
    headers: { 'content-type': contentType, 'x-content-type-options': 'nosniff', vary: 'Accept-Encoding', ...headers },
    in: (encoding) => {
      const known = made.get(encoding);
      if (known !== undefined) return known;
      const encoded = (encoding && compressed[encoding]) ?? encode(content, encoding);
      const representation = { content: encoded, etag: `"${hash('sha256', encoded, 'base64url').slice(0, 27)}"` };
      made.set(encoding, representation);
      return representation;
    },
  };
}

/** Sends a file in an encoding that the client accepts, or 304 if the client's copy is current. */
export function sendStatic({ method, headers }: IncomingMessage, response: ServerResponse, file: StaticFile): void {
  const encoding = contentEncoding(headers['accept-encoding']?.toString());
  const { content, etag } = file.in(encoding);
  if (isFresh(headers['if-none-match'], etag)) {
    const { 'content-type': _, ...others } = file.headers;
    response.writeHead(304, { ...others, etag });
    response.end();
    return;
  }
  response.writeHead(200, {
    ...file.headers,
    etag,
    'content-length': content.byteLength,
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  });
  response.end(method === 'HEAD' ? undefined : content);
}

function encode(content: Buffer, encoding: ContentEncoding | undefined): Buffer {
  switch (encoding) {
    case 'br':
      return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
    case 'gzip':
      return gzipSync(content);
    case undefined:
      return content;
  }
}
