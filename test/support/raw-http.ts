// Sends requests as bytes that no HTTP library would send.

import { connect } from 'node:net';
import { expect } from 'vitest';

/** Sends bytes, with HERE replaced by the service's host, and returns everything received until the server closes the connection. */
export function sendRaw(bytes: string, url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes.replaceAll('Host: HERE', `Host: ${hostname}:${port}`)));
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(text) : reject(error)));
    socket.on('close', () => resolve(text));
  });
}

/** Expects an error in the API's shape. */
export function expectRefusal(answer: string, status: number, code: string): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id', 'content-type: application/json'])
    expect(head.toLowerCase()).toContain(name);
  expect(JSON.parse(body)).toEqual({ code, message: expect.any(String), status });
}
