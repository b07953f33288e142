// Validators for reads: a strong ETag of the body, and 304 for a client that has it already (RFC 9110, section 13).

import { hash } from 'node:crypto';
import type { ApiMiddleware } from './call.ts';

/** 162 bits of the SHA-256 of the body, quoted. */
export function entityTag(body: string): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

export function etag(): ApiMiddleware {
  return {
    after: ({ event, response }) => {
      const { method } = event.requestContext.http;
      if (response.statusCode !== 200 || (method !== 'GET' && method !== 'HEAD')) return;
      const tag = entityTag(response.body);
      response.headers.etag = tag;
      response.headers['cache-control'] = 'private, no-cache';
      const known = event.headers['if-none-match'];
      if (known === undefined || !matches(known, tag)) return;
      response.statusCode = 304;
      response.body = '';
      delete response.headers['content-type'];
    },
  };
}

/** Does an If-None-Match name this tag? The comparison is weak, so a `W/` before it does not matter. */
function matches(header: string, tag: string): boolean {
  return header.split(',').some((part) => {
    const candidate = part.trim();
    return candidate === '*' || candidate === tag || candidate === `W/${tag}`;
  });
}
