// Clients that send requests without waiting for responses, or do not read the responses.

import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { serveInTurn } from '../../../adapters/connections/in-turn.ts';

let server: Server;

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function start(serve: RequestListener, writeTimeoutMs?: number): Promise<void> {
  server = createServer();
  serveInTurn(server, serve, writeTimeoutMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

interface Client {
  readonly socket: Socket;
  readonly text: () => string;
}

/** @param reads false for a client that reads nothing that is sent to it */
async function client(reads = true): Promise<Client> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('error', () => {});
  const keep = (chunk: Buffer) => {
    text += chunk.toString();
  };
  if (reads) socket.on('data', keep);
  await once(socket, 'connect');
  return { socket, text: () => text };
}

const get = (path: string | number, headers = '') => `GET /${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const many = (count: number, headers = '') => Array.from({ length: count }, (_, n) => get(n, headers)).join('');
const paths = (text: string) => [...text.matchAll(/<(\d+)>/g)].map(([, path]) => Number(path));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Lets the test decide when to answer. */
function byHand() {
  const asked: { readonly path: string; readonly response: ServerResponse }[] = [];
  const serve: RequestListener = ({ url = '' }, response) => void asked.push({ path: url.slice(1), response });
  return { asked, serve, answer: (n: number) => asked[n]?.response.end(`<${asked[n]?.path}>`) };
}

test('one request on a connection is processed at a time, the others wait, and each gets its answer', async () => {
  const { asked, serve, answer } = byHand();
  await start(serve);
  const { socket, text } = await client();
  socket.write(many(5));
  for (const n of upTo(5)) {
    await expect.poll(() => asked.length).toBe(n + 1);
    // Any other answers would have arrived with this one.
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked.map(({ path }) => path)).toEqual(upTo(n + 1).map(String));
    answer(n);
  }
  await expect.poll(() => paths(text())).toEqual(upTo(5));
  // The server reads from the connection again.
  socket.write(get(5));
  await expect.poll(() => asked.length).toBe(6);
  socket.destroy();
});

test('other connections do not wait', async () => {
  const { asked, serve } = byHand();
  await start(serve);
  const [first, second] = [await client(), await client()];
  first.socket.write(many(2));
  second.socket.write(get('other'));
  await expect.poll(() => asked.map(({ path }) => path).sort()).toEqual(['0', 'other']);
});

test('a connection may have 64 waiting requests; one more closes it', async () => {
  const { asked, serve, answer } = byHand();
  await start(serve);
  const [patient, greedy] = [await client(), await client()];
  patient.socket.write(many(65));
  greedy.socket.write(many(5_000));
  await expect.poll(() => greedy.socket.closed).toBe(true);
  await expect.poll(() => asked.length).toBe(2);
  answer(0);
  answer(1);
  await expect.poll(() => asked.length).toBe(3);
  expect([paths(patient.text()), patient.socket.closed]).toEqual([[0], false]);
});

test('nothing more is read while requests wait, so that large requests queue at the client', async () => {
  const gate = Promise.withResolvers<void>();
  await start(async ({ url = '' }, response) => {
    await gate.promise;
    response.end(`<${url.slice(1)}>`);
  });
  const connected = once(server, 'connection');
  const { socket, text } = await client();
  const [connection] = (await connected) as [Socket];
  socket.write(many(200, `X-Filling: ${'x'.repeat(8_000)}\r\n`));
  await expect.poll(() => connection.bytesRead).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(connection.bytesRead).toBeLessThan(200_000);
  gate.resolve();
  await expect.poll(() => paths(text()), { timeout: 10_000 }).toEqual(upTo(200));
});

test('bodies of waiting requests are read in turn', async () => {
  await start(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end(`<${body.length}>`);
  });
  const { socket, text } = await client();
  const sizes = [1, 300_000, 0, 200_000, 5];
  for (const size of sizes) socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`);
  await expect.poll(() => paths(text())).toEqual(sizes);
});

test('a waiting request does not run in the async context of the previous one', async () => {
  const context = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  await start(({ url = '' }, response) => {
    seen.push(context.getStore());
    context.run(url, () => setImmediate(() => response.end()));
  });
  const { socket } = await client();
  socket.write(many(3));
  await expect.poll(() => seen).toEqual([undefined, undefined, undefined]);
});

/** More than the buffers at both ends of a connection hold. */
const LARGE = Buffer.alloc(40_000_000, 'x');

test('a client that reads none of its answer is cut off', async () => {
  await start((_request, response) => response.end(LARGE), 200);
  const connected = once(server, 'connection');
  const { socket } = await client(false);
  const [connection] = (await connected) as [Socket];
  socket.write(get(''));
  await expect.poll(() => connection.destroyed).toBe(true);
});

test('a client that reads slowly is not cut off', async () => {
  await start((_request, response) => response.end(LARGE), 4_000);
  const { socket } = await client(false);
  socket.write(get(''));
  let bytes = 0;
  const began = performance.now();
  // Reading takes at least 6 s in total, longer than the server waits for a client that reads nothing.
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes < ((performance.now() - began) / 6_000) * LARGE.byteLength) return;
    socket.pause();
    setTimeout(() => socket.resume(), 20);
  });
  await expect.poll(() => bytes).toBeGreaterThan(LARGE.byteLength);
  expect(performance.now() - began).toBeGreaterThan(4_000);
});

test('slow work is not cut off, and does not shorten the idle time of connections', async () => {
  const { asked, serve, answer } = byHand();
  await start(serve, 100);
  const { socket, text } = await client();
  socket.write(get(0));
  await expect.poll(() => asked.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 500));
  answer(0);
  await expect.poll(() => paths(text())).toEqual([0]);
  await new Promise((resolve) => setTimeout(resolve, 500));
  socket.write(get(1));
  await expect.poll(() => asked.length).toBe(2);
  answer(1);
  await expect.poll(() => paths(text())).toEqual([0, 1]);
});
