// API clients that send many requests at once, and clients that do not read their answers.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Host, startHost } from '../../local/host.ts';

let host: Host;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await host.stop();
});

async function start(writeTimeoutMs?: number): Promise<readonly ServerResponse[]> {
  const asked: ServerResponse[] = [];
  host = await startHost({
    api: async () => Promise.reject(new Error('not asked')),
    pages: new Map([
      ['/healthz', (_request, response) => void response.end('ok')],
      ['/large', (_request, response) => void response.end(Buffer.alloc(40_000_000))],
    ]),
    clock: Date.now,
    onFault: () => {},
    onLimit: () => {},
    port: 0,
    host: '127.0.0.1',
    writeTimeoutMs,
  });
  host.mount([{ prefix: '/slow/', serve: (_request, response) => void asked.push(response) }]);
  return asked;
}

/** Sends the same request this many times, and reads nothing. */
async function send(path: string, times: number): Promise<Socket> {
  const { host: authority, hostname, port } = new URL(host.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`.repeat(times));
  return socket;
}

test('one request on a connection is processed at a time, and other connections are served meanwhile', async () => {
  const asked = await start();
  await send('/slow/x', 10);
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
  expect(asked.length).toBe(1);
  for (let n = 0; n < 10; n += 1) {
    await expect.poll(() => asked.length).toBe(n + 1);
    asked[n]?.end();
  }
});

test('thousands of pipelined requests close the connection', async () => {
  const asked = await start();
  const socket = await send('/slow/x', 5_000);
  socket.resume();
  await expect.poll(() => socket.closed).toBe(true);
  expect(asked.length).toBe(1);
});

test('a client that reads none of its answer is cut off', async () => {
  await start(200);
  const socket = await send('/large', 1);
  // The unread answer delays the close.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.byteLength;
  });
  await expect.poll(() => socket.closed, { timeout: 10_000 }).toBe(true);
  expect(bytes).toBeLessThan(40_000_000);
});

test('a client that stays after its CONNECT is refused is cut off', async () => {
  await start(200);
  const { hostname, port } = new URL(host.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.resume().write('CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n');
  await once(socket, 'end');
  // A write to a closed connection is answered by a reset.
  const timer = setInterval(() => socket.write('x'), 500);
  await expect.poll(() => socket.closed, { timeout: 5_000 }).toBe(true);
  clearInterval(timer);
});
