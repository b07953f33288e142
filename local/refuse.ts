// The host's own refusals, for requests that never reach an API.

import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { refuseUnread } from '../adapters/connections/in-turn.ts';
import { addressQuota } from '../core/limits/address.ts';
import { addRateLimitHeaders } from '../core/limits/headers.ts';
import { errorBody, type Refusal, statusOf } from '../service/http/errors.ts';

export const MAX_HEADER_BYTES = 16 * 1024;

export const CONNECT_REFUSAL: Refusal = {
  code: 'method_not_allowed',
  message: 'method CONNECT: not allowed; this is not a proxy',
  headers: { allow: 'GET, HEAD, POST, OPTIONS' },
};

/** An error of Node's HTTP parser. */
export interface ParserError extends Pick<NodeJS.ErrnoException, 'code'> {
  /** What was read last. */
  readonly rawPacket?: Buffer;
  /** How many bytes of the packet were parsed. */
  readonly bytesParsed?: number;
}

/** A request line (RFC 9112, section 3). */
const REQUEST_LINE = /^(?<method>[!#$%&'*+.^_`|~\w-]{1,40}) \S+ HTTP\/1\.[01]\r?$/m;

/** Returns the refusal for an error from Node's HTTP parser. */
export function refusalOf(error: ParserError, timeoutMs: number): Refusal {
  switch (error.code) {
    case 'HPE_INVALID_METHOD': {
      const { rawPacket = Buffer.alloc(0), bytesParsed = 0 } = error;
      // Earlier requests may be in the same packet.
      const before = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1;
      const { method } = REQUEST_LINE.exec(rawPacket.subarray(before, before + MAX_HEADER_BYTES).toString('latin1'))?.groups ?? {};
      return method === undefined ? NOT_HTTP : { code: 'not_implemented', message: `method ${method}: not known here; methods are case-sensitive` };
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request_timeout', message: `the request did not arrive within ${timeoutMs / 1000} s` };
    case 'HPE_HEADER_OVERFLOW':
      return {
        code: 'headers_too_large',
        message: `request line and headers: too large or too many; allowed: at most ${MAX_HEADER_BYTES} bytes and fewer than 1000 lines`,
        // A page on a sibling domain may have set too many cookies. Once they are cleared, the next request succeeds (W3C, Clear Site Data).
        headers: { 'clear-site-data': '"cookies"' },
      };
    default:
      return NOT_HTTP;
  }
}

const NOT_HTTP: Refusal = { code: 'invalid_request', message: 'the request is not valid HTTP/1.1' };

/** Responds directly on the socket if Node could not parse the request. @returns whether it was refused: see `refuseUnread` */
export function refuseRaw(socket: Socket, refusal: Refusal, now: number): boolean {
  const answer = () => {
    const { body, headers } = refusalAnswer(refusal, now);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const status = statusOf(refusal.code);
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date(now).toUTCString()}\r\n${lines.join('')}\r\n${body}`;
  };
  return refuseUnread(socket, answer);
}

/** Refuses a request that is not for this service and closes the connection without reading the body. */
export function refuse(response: ServerResponse, refusal: Refusal, now: number): void {
  const { body, headers } = refusalAnswer(refusal, now);
  response.writeHead(statusOf(refusal.code), headers);
  response.end(body);
}

function refusalAnswer(refusal: Refusal, now: number): { readonly body: string; readonly headers: Record<string, string> } {
  const body = errorBody(refusal);
  const headers: Record<string, string> = {
    'x-request-id': randomUUID(),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...refusal.headers,
  };
  addRateLimitHeaders(headers, addressQuota(0, now));
  return { body, headers };
}

/** Returns the message for a Host header that is not this service's. */
export function foreignHostMessage(given: string | undefined, url: string): string {
  return `header Host: got ${JSON.stringify(given ?? '')}; this service is at ${url}`;
}
