// Refusals of the host itself: of requests that no API ever sees.

import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { addressQuota } from '../core/limits/address.ts';
import { addRateLimitHeaders } from '../core/limits/headers.ts';
import { errorBody, type Refusal, statusOf } from '../service/http/errors.ts';

export const MAX_HEADER_BYTES = 16 * 1024;

export const CONNECT_REFUSAL: Refusal = {
  code: 'method_not_allowed',
  message: 'method CONNECT: not allowed here; this is no proxy',
  headers: { allow: 'GET, HEAD, POST, OPTIONS' },
};

export function refusalOf(error: NodeJS.ErrnoException, timeoutMs: number): Refusal {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request_timeout', message: `the request did not arrive within ${timeoutMs / 1000} s` };
    case 'HPE_HEADER_OVERFLOW':
      return {
        code: 'headers_too_large',
        message: `request line and headers: too large or too many; allowed: at most ${MAX_HEADER_BYTES} bytes and fewer than 1000 lines`,
      };
    default:
      return { code: 'invalid_request', message: 'the request is not valid HTTP/1.1' };
  }
}

/** Answers on the socket of a request that Node could not make a request of. */
export function refuseRaw(socket: Socket, refusal: Refusal, now: number): void {
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const { body, headers } = refusalAnswer(refusal, now);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = statusOf(refusal.code);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date(now).toUTCString()}\r\n${lines.join('')}\r\n${body}`);
}

/** Answers a request that is none of this service's, and closes the connection: its body is not read. */
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

export function foreignHost(given: string | undefined, url: string): string {
  return `header Host: got ${JSON.stringify(given ?? '')}; this service is at ${url}`;
}
