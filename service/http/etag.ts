// Validators for reads: a strong ETag of the body, and 304 for a client that has it already (RFC 9110, section 13).

import { hash } from 'node:crypto';
import { isFresh } from '../../core/http/negotiation.ts';
import type { Middleware } from './call.ts';

/** 162 bits of the SHA-256 of the body, quoted. */
export function entityTag(body: string): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

/** @param cacheControl of what is read, unless its handler says otherwise */
export function etag(cacheControl: string): Middleware {
  return {
    after: ({ event, response }) => {
      const { method } = event.requestContext.http;
      if (response.statusCode !== 200 || (method !== 'GET' && method !== 'HEAD')) return;
      const tag = entityTag(response.body);
      response.headers.etag = tag;
      response.headers['cache-control'] ??= cacheControl;
      if (!isFresh(event.headers['if-none-match'], tag)) return;
      response.statusCode = 304;
      response.body = '';
      response.isBase64Encoded = false;
      delete response.headers['content-type'];
      delete response.headers['content-encoding'];
    },
  };
}
