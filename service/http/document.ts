// Serves one of the service's documents, which does not change during the lifetime of the process, in the encodings that clients accept.

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type ContentEncoding, contentEncoding } from '../../core/http/negotiation.ts';
import { addVary, type Handler, jsonResponse } from './call.ts';

/** Creates a handler for a document that is generated on first use. @param text returns its JSON */
export function documentHandler(text: () => string): Handler {
  const made = new Map<ContentEncoding, string>();

  function compressed(encoding: ContentEncoding): string {
    const known = made.get(encoding);
    if (known !== undefined) return known;
    const bytes = encoding === 'br' ? brotliCompressSync(text()) : gzipSync(text());
    const base64 = bytes.toString('base64');
    made.set(encoding, base64);
    return base64;
  }

  return ({ headers }) => {
    const encoding = contentEncoding(headers['accept-encoding']);
    const response = jsonResponse(200, encoding === undefined ? text() : compressed(encoding), { 'cache-control': 'no-cache' });
    addVary(response.headers, 'Accept-Encoding');
    if (encoding === undefined) return response;
    response.headers['content-encoding'] = encoding;
    return { ...response, isBase64Encoded: true };
  };
}
