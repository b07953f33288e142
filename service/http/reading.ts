// GET responses: a strong ETag for the body, 304 for a client that already has it (RFC 9110, section 13), and HEAD, which is answered like GET but
// without the body (section 9.3.2).

import { hash } from 'node:crypto';
import { isFresh } from '../../core/http/negotiation.ts';
import type { Middleware, Response } from './call.ts';

/** 162 bits of the body's SHA-256 digest, quoted. */
export function entityTag(body: string): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

/** @param cacheControl default for GET responses; a handler may set another */
export function reading(cacheControl: string): Middleware {
  return {
    after: ({ event, response }) => {
      const { method } = event.requestContext.http;
      if (method !== 'GET' && method !== 'HEAD') return;
      if (response.statusCode === 200) {
        const tag = entityTag(response.body);
        response.headers.etag = tag;
        response.headers['cache-control'] ??= cacheControl;
        if (isFresh(event.headers['if-none-match'], tag)) notModified(response);
      }
      if (method === 'HEAD') stripBody(response);
    },
    onError: ({ event, response }) => {
      if (event.requestContext.http.method === 'HEAD') stripBody(response);
    },
  };
}

function notModified(response: Response): void {
  response.statusCode = 304;
  response.body = '';
  response.isBase64Encoded = false;
  delete response.headers['content-type'];
  delete response.headers['content-encoding'];
}

function stripBody(response: Response): void {
  const { body, isBase64Encoded = false, statusCode } = response;
  // In a 304, the length would have to match the response to an unconditional GET.
  if (statusCode !== 304) response.headers['content-length'] = String(Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8'));
  response.body = '';
  response.isBase64Encoded = false;
}
