// GET responses: a strong ETag for the body, 304 for a client that already has it, 412 for one that wants another (RFC 9110, section 13), and HEAD, which is answered like GET but
// without the body (section 9.3.2).

import { hash } from 'node:crypto';
import { isFresh, isMatch } from '../../core/http/negotiation.ts';
import { type Event, type Middleware, type Response, refuse } from './call.ts';

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
      if (response.statusCode === 200) validate(event, response, cacheControl);
      if (method === 'HEAD') stripBody(response);
    },
    onError: ({ event, response }) => {
      if (event.requestContext.http.method === 'HEAD') stripBody(response);
    },
  };
}

/** Adds the validator, and replaces the response if a condition is not met. */
function validate({ headers, call }: Event, response: Response, cacheControl: string): void {
  const tag = entityTag(response.body);
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined && !isMatch(match, tag)) {
    const message = `If-Match: got ${match}, but the ETag is ${tag} now`;
    Object.assign(response, { isBase64Encoded: false }, refuse(call, { code: 'precondition_failed', message }));
    return;
  }
  response.headers.etag = tag;
  response.headers['cache-control'] ??= cacheControl;
  if (isFresh(noneMatch, tag)) notModified(response);
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
