// Reads the parts of a request besides its path: the JSON body, the query, and the Idempotency-Key.

import { MIMEType } from 'node:util';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { parseJson } from '../../core/json.ts';
import { joinFaults } from '../../core/text.ts';
import { quoted } from '../../core/validate.ts';
import type { Refusal } from './errors.ts';

export const MAX_BODY_BYTES = 64 * 1024;

const NOT_UTF8: Refusal = { code: 'invalid_request', message: 'body: not valid UTF-8' };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export type Body = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly refusal: Refusal };

/** Reads the JSON body of a request. @param numbers see parseJson in core/json.ts */
export function readJson(event: APIGatewayProxyEventV2, numbers: 'exact' | 'plain', maxBytes = MAX_BODY_BYTES): Body {
  const text = readText(event, maxBytes);
  if (typeof text !== 'string') return { ok: false, refusal: text };
  const parsed = parseJson(text, numbers);
  if (parsed.ok) return parsed;
  return { ok: false, refusal: { code: 'invalid_request', message: `body: JSON not accepted: ${parsed.problem}` } };
}

/** Returns the refusal for a body if the headers already show that it is not accepted. */
export function announcedRefusal({ headers }: Pick<APIGatewayProxyEventV2, 'headers'>, maxBytes = MAX_BODY_BYTES): Refusal | undefined {
  if (Number(headers['content-length'] ?? 0) > maxBytes) return tooLarge(maxBytes);
  const media = unsupported(headers['content-type'], headers['content-encoding']);
  return media === undefined ? undefined : { code: 'unsupported_media_type', message: media };
}

function tooLarge(maxBytes: number): Refusal {
  return { code: 'payload_too_large', message: `body: larger than allowed; allowed: at most ${maxBytes} bytes` };
}

/** Returns the body as text, or a refusal. */
function readText({ headers, body = '', isBase64Encoded }: APIGatewayProxyEventV2, maxBytes: number): string | Refusal {
  // The host stops reading at the limit, but the event keeps the client's Content-Length.
  const announced = Number(headers['content-length'] ?? 0);
  const bytes = isBase64Encoded ? Buffer.from(body, 'base64') : undefined;
  if ((bytes?.byteLength ?? Buffer.byteLength(body)) > maxBytes) return tooLarge(maxBytes);
  const refusal = announcedRefusal({ headers }, maxBytes);
  if (refusal !== undefined) return refusal;
  if (bytes === undefined) {
    // API Gateway replaces invalid UTF-8 with U+FFFD. The length then differs from Content-Length, unless the client itself sent U+FFFD.
    const replaced = body.includes('\uFFFD') && announced > 0 && announced !== Buffer.byteLength(body);
    return replaced ? NOT_UTF8 : body;
  }
  try {
    return decoder.decode(bytes);
  } catch {
    return NOT_UTF8;
  }
}

function unsupported(contentType: string | undefined, contentEncoding: string | undefined): string | undefined {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    return `content-encoding: got ${JSON.stringify(contentEncoding.slice(0, 60))}; allowed: none, send the body uncompressed`;
  }
  if (contentType !== undefined && isJson(contentType)) return undefined;
  const given = contentType === undefined ? 'nothing' : JSON.stringify(contentType.slice(0, 60));
  return `content-type: got ${given}; allowed: application/json, in UTF-8`;
}

/** Whether the media type is JSON. Parameters do not matter (RFC 8259, section 11), except for a charset other than UTF-8. */
function isJson(contentType: string): boolean {
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}

// Unknown query parameters are always refused; otherwise, a misspelled parameter would be ignored.

/** Checks the query of an operation that has no parameters. */
export function queryRefusal(parameters: Readonly<Record<string, string | undefined>> | undefined): Refusal | undefined {
  const names = Object.keys(parameters ?? {});
  if (names.length === 0) return undefined;
  return { code: 'invalid_request', message: joinFaults(names.map((name) => `query parameter ${quoted(name)}: not known; allowed: none`)) };
}

// The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header-07).

export type IdempotencyKeyResult = { readonly ok: true; readonly value: string | undefined } | { readonly ok: false; readonly message: string };

/** Parses the header: a quoted string, as in the draft, or an unquoted one, which Stripe accepts. Returns undefined if there is no such header. */
export function parseIdempotencyKey(header: string | undefined): IdempotencyKeyResult {
  if (header === undefined) return { ok: true, value: undefined };
  const value = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (/^[\x21-\x7e]{1,255}$/.test(value)) return { ok: true, value };
  return {
    ok: false,
    message: `header Idempotency-Key: got ${JSON.stringify(header.slice(0, 60))}${header.length > 60 ? `… (${header.length} characters)` : ''}; allowed: 1 to 255 visible ASCII characters without spaces`,
  };
}
