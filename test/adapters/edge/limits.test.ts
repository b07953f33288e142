// Bounds of the edge: clients that are slow, and clients that are many.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestEdge, type TestEdge } from '../../support/edge.ts';
import { startTestHost } from '../../support/host.ts';
import { NOON } from '../../support/samples.ts';

const HOST = 'www.bounded-shop.test';

let edge: TestEdge;

afterEach(() => edge.stop());

async function start(options: Parameters<typeof startTestEdge>[0]): Promise<void> {
  edge = await startTestEdge(options);
  await edge.serve(HOST);
}

/** From an address of the loopback network; resolves when the connection is made. */
async function open(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** What comes back until the server closes. */
async function answerOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  if (!socket.destroyed) await once(socket, 'close');
  return text;
}

async function secure(): Promise<Socket> {
  const socket = connectTls({ host: '127.0.0.1', port: edge.httpsPort, servername: HOST, ca: edge.ca });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** Is a request on this connection answered? */
async function isServed(socket: Socket): Promise<boolean> {
  socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
  return (await answerOf(socket)).startsWith('HTTP/1.1 ');
}

describe('what does not come in time is given up', () => {
  test.each([
    ['nothing', ''],
    ['half of a greeting', '\x16\x03\x01\x02\x00\x01\x00\x01'],
  ])('a handshake: %s', async (_name, bytes) => {
    await start({ handshakeTimeoutMs: 300 });
    const socket = await open(edge.httpsPort);
    socket.write(bytes, 'latin1');
    expect(await answerOf(socket)).not.toContain('HTTP');
  });

  test.each([
    ['headers', `GET / HTTP/1.1\r\nHost: ${HOST}\r\n`],
    ['a body', `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 5\r\n\r\nab`],
  ])('%s of a request', async (_name, bytes) => {
    await start({ requestTimeoutMs: 300 });
    const sockets = [await secure(), await open(edge.httpPort)];
    for (const socket of sockets) {
      socket.write(bytes);
      await answerOf(socket);
    }
  });
});

describe('connections', () => {
  test('of one address have a limit, those of others are served, and the log has one line a minute', async () => {
    const clock = { now: NOON };
    const reports: string[] = [];
    await start({ connections: { total: 10, perAddress: 3 }, clock: () => clock.now, onLimit: (message) => reports.push(message) });
    const kept = [await open(edge.httpPort), await open(edge.httpsPort), await open(edge.httpPort)];
    for (const port of [edge.httpPort, edge.httpsPort]) expect(await answerOf(await open(port))).toBe('');
    expect(await isServed(await open(edge.httpPort, '127.0.0.2'))).toBe(true);
    expect(reports).toEqual([expect.stringMatching(/^127\.0\.0\.1 has 3 connections, the most of one address/)]);
    clock.now += 60_000;
    await answerOf(await open(edge.httpPort));
    expect(reports).toHaveLength(2);

    // A place that is given up is free again.
    kept[0]?.destroy();
    await expect.poll(async () => isServed(await open(edge.httpPort))).toBe(true);
    for (const socket of kept) socket.destroy();
  });

  test('in all have a limit, and the API is reachable meanwhile', async () => {
    const host = await startTestHost();
    const reports: string[] = [];
    await start({ connections: { total: 4, perAddress: 2 }, onLimit: (message) => reports.push(message) });
    const kept = [];
    for (const address of ['127.0.0.1', '127.0.0.2']) for (const port of [edge.httpPort, edge.httpsPort]) kept.push(await open(port, address));
    expect(await isServed(await open(edge.httpPort, '127.0.0.3'))).toBe(false);
    expect(reports).toEqual([expect.stringMatching(/^all 4 connections are taken/)]);
    expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
    for (const socket of kept) socket.destroy();
    await host.stop();
  });
});
