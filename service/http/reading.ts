// Conditions (RFC 9110, section 13). GET responses have a strong ETag, and become 304 if the client has that version, or 412 if it requires another.
// Changes can have conditions as well, so that no one overwrites what they have not seen. HEAD is GET without the body (section 9.3.2).

import { hash } from 'node:crypto';
import { isFresh, isMatch, isNoneMatch } from '../../core/http/negotiation.ts';
import { type Event, type Middleware, type Response, refuse } from './call.ts';
import type { Refusal } from './errors.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Returns 162 bits of the body's SHA-256 digest, quoted. */
export function entityTag(body: string): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

/** @param cacheControl the default for GET responses; a handler may set another value */
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
    Object.assign(response, { isBase64Encoded: false }, refuse(call, unmet('If-Match', match, `the ETag is ${tag} now`)));
    return;
  }
  response.headers.etag = tag;
  response.headers['cache-control'] ??= cacheControl;
  if (isFresh(noneMatch, tag)) notModified(response);
}

/** Whether a request has a condition. */
export function isConditional(headers: Headers): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
}

/** Returns the refusal for a change whose condition is not met. @param representation what a GET of the same path returns; undefined without a GET */
export function preconditionRefusal(headers: Headers, representation: string | undefined): Refusal | undefined {
  const etag = representation === undefined ? undefined : entityTag(representation);
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined && !isMatch(match, etag)) {
    const there = `the ETag is ${etag} now; read the resource again, and repeat your change`;
    return unmet('If-Match', match, etag === undefined ? 'this path has no GET, and so no ETag; leave the header out' : there);
  }
  if (noneMatch === undefined || isNoneMatch(noneMatch, etag)) return undefined;
  return unmet('If-None-Match', noneMatch, `the resource already exists, with the ETag ${etag}`);
}

function unmet(name: string, got: string, why: string): Refusal {
  return { code: 'precondition_failed', message: `${name}: got ${got === '' ? 'nothing' : got}; ${why}` };
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
  // In a 304, the length would have to be that of the response to an unconditional GET.
  if (statusCode !== 304) response.headers['content-length'] = String(Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8'));
  response.body = '';
  response.isBase64Encoded = false;
}
