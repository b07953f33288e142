// The edge's limits for slow clients, and for many clients.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import type { SiteStore } from '../../../core/projects/ports.ts';
import { NOON } from '../../../testing/samples.ts';
import { startTestEdge, type TestEdge } from '../../support/edge.ts';
import { startTestHost } from '../../support/host.ts';

const HOST = 'www.bounded-shop.test';

let edge: TestEdge;

afterEach(() => edge.stop());

async function start(options: Parameters<typeof startTestEdge>[0]): Promise<void> {
  edge = await startTestEdge(options);
  await edge.serve(HOST);
}

/** Connects from a loopback address; resolves once connected. */
async function open(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Returns everything received until the server closes the connection. */
async function answerOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  if (!socket.destroyed) await once(socket, 'close');
  return text;
}

async function secure(): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port: edge.httpsPort, servername: HOST, ca: edge.ca });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** Whether a request on this connection is answered. */
async function isServed(socket: Socket): Promise<boolean> {
  socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
  return (await answerOf(socket)).startsWith('HTTP/1.1 ');
}

describe('the edge closes a connection that does not send in time', () => {
  test.each([
    ['no bytes', ''],
    ['half of a ClientHello', '\x16\x03\x01\x02\x00\x01\x00\x01'],
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
  test('are limited per address, other addresses are served, and the log gets one line a minute', async () => {
    const clock = { now: NOON };
    const reports: string[] = [];
    await start({ connections: { total: 10, perAddress: 3 }, clock: () => clock.now, onLimit: (message) => reports.push(message) });
    const kept = [await open(edge.httpPort), await open(edge.httpsPort), await open(edge.httpPort)];
    for (const port of [edge.httpPort, edge.httpsPort]) expect(await answerOf(await open(port))).toBe('');
    expect(await isServed(await open(edge.httpPort, '127.0.0.2'))).toBe(true);
    expect(reports).toEqual([expect.stringMatching(/^127\.0\.0\.1 has 3 connections, the maximum per address/)]);
    clock.now += 60_000;
    await answerOf(await open(edge.httpPort));
    expect(reports).toHaveLength(2);

    // A freed slot can be used again.
    kept[0]?.destroy();
    await expect.poll(async () => isServed(await open(edge.httpPort))).toBe(true);
    for (const socket of kept) socket.destroy();
  });

  test('are limited in total, and the API stays reachable', async () => {
    const host = await startTestHost();
    const reports: string[] = [];
    await start({ connections: { total: 4, perAddress: 2 }, onLimit: (message) => reports.push(message) });
    const kept = [];
    for (const address of ['127.0.0.1', '127.0.0.2']) for (const port of [edge.httpPort, edge.httpsPort]) kept.push(await open(port, address));
    expect(await isServed(await open(edge.httpPort, '127.0.0.3'))).toBe(false);
    expect(reports).toEqual([expect.stringMatching(/^all 4 connections are in use/)]);
    expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
    for (const socket of kept) socket.destroy();
    await host.stop();
  });
});

function* randomText(bytes: number): Generator<string> {
  for (let left = bytes; left > 0; left -= 40_000) yield randomBytes(20_000).toString('hex');
}

/** Sites whose start page exceeds the buffers of the client and the kernel, even when compressed. */
function largeSite() {
  const counts = { opened: 0, open: 0 };
  const bytes = 40_000_000;
  const sites: SiteStore = {
    put: async () => {},
    get: async (_deployment, name) => {
      if (name !== 'index.html') return undefined;
      const read = () => {
        counts.opened += 1;
        counts.open += 1;
        return Readable.from(randomText(bytes)).once('close', () => {
          counts.open -= 1;
        });
      };
      return { bytes, etag: '"x"', read };
    },
  };
  return { counts, sites };
}

const page = (encoding: string) => `GET / HTTP/1.1\r\nHost: ${HOST}\r\nAccept-Encoding: ${encoding}\r\n\r\n`;

/** The headers of the next answer. */
async function headOf(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return chunk.toString('latin1').split('\r\n\r\n')[0] ?? '';
}

describe('a client that sends requests and reads no answers', () => {
  test('has at most one file open', async () => {
    const { counts, sites } = largeSite();
    await start({ sites });
    const socket = await secure();
    socket.write(page('identity').repeat(50));
    await expect.poll(() => counts.opened).toBeGreaterThan(0);
    const other = await secure();
    other.write(page('identity'));
    expect(await headOf(other)).toContain('200 OK');
    expect(counts.opened).toBe(2);
    socket.destroy();
    other.destroy();
    await expect.poll(() => counts.open).toBe(0);
  });

  test('is disconnected after too many requests, over HTTP and over HTTPS', async () => {
    const { sites } = largeSite();
    await start({ sites });
    for (const socket of [await secure(), await open(edge.httpPort)]) {
      socket.resume().write(page('br').repeat(5_000));
      await expect.poll(() => socket.closed).toBe(true);
    }
  });

  test('is eventually cut off, and its file is closed', async () => {
    const { counts, sites } = largeSite();
    await start({ sites, writeTimeoutMs: 200 });
    const socket = await secure();
    socket.write(page('identity'));
    await expect.poll(() => counts.opened).toBe(1);
    await expect.poll(() => counts.open, { timeout: 10_000 }).toBe(0);
  });

  test('costs one compression, however many there are, and takes it away from no one', async () => {
    const { counts, sites } = largeSite();
    await start({ sites });
    const stalled = await Promise.all(Array.from({ length: 64 }, secure));
    for (const socket of stalled) socket.write(page('br').repeat(3));
    for (const socket of stalled) expect(await headOf(socket)).toContain('content-encoding: br');
    const socket = await secure();
    socket.write(page('br'));
    expect(await headOf(socket)).toMatch(/^content-length: \d+$/m);
    expect([counts.opened, counts.open]).toEqual([1, 0]);
    for (const each of [...stalled, socket]) each.destroy();
  });
});

describe('clients that read nothing of a file that is held in memory', () => {
  const bytes = 1_000_000;
  const file = `GET /photo.jpg HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;

  /** A site with a file, and how often it was read from storage. */
  function site(ready: Promise<unknown> = Promise.resolve()) {
    const counts = { reads: 0 };
    const read = () => {
      counts.reads += 1;
      return Readable.from([Buffer.alloc(bytes)]);
    };
    const sites: SiteStore = {
      put: async () => {},
      get: async (_deployment, name) => {
        await ready;
        return name === 'photo.jpg' ? { bytes, etag: '"x"', read } : undefined;
      },
    };
    return { counts, sites };
  }

  async function readOnce(): Promise<void> {
    const socket = await secure();
    socket.write(file.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect((await answerOf(socket)).length).toBeGreaterThan(bytes);
  }

  test('keep a limited number of bytes from being freed', async () => {
    const { counts, sites } = site();
    await start({ sites });
    await readOnce();
    expect(counts.reads).toBe(1);
    const stalled = await Promise.all(Array.from({ length: 75 }, secure));
    // The first ones fit into the buffers of the system.
    for (const socket of stalled) socket.pause().write(file.repeat(30));
    await expect.poll(() => counts.reads).toBeGreaterThan(1);
    for (const socket of stalled) socket.destroy();
    await expect
      .poll(async () => {
        const before = counts.reads;
        await readOnce();
        return counts.reads - before;
      })
      .toBe(0);
  });

  test('leave nothing behind if they are gone before the answer', async () => {
    let begin = () => {};
    const { counts, sites } = site(
      new Promise<void>((resolve) => {
        begin = resolve;
      }),
    );
    const visits = { begun: 0, ended: 0 };
    const begun = () => {
      visits.begun += 1;
      return 0;
    };
    const ended = () => {
      visits.ended += 1;
    };
    await start({ sites, observer: { begun, ended, handshake: () => {}, handshakeFailed: () => {}, connectionRefused: () => {} } });
    const gone = await Promise.all(Array.from({ length: 75 }, secure));
    for (const socket of gone) socket.write(file);
    await expect.poll(() => visits.begun).toBe(75);
    for (const socket of gone) socket.destroy();
    await expect.poll(() => visits.ended).toBe(75);
    begin();
    await readOnce();
    const { reads } = counts;
    await readOnce();
    expect(counts.reads).toBe(reads);
  });
});

test('a client that reads a file slowly gets the whole file', async () => {
  const { sites } = largeSite();
  await start({ sites, writeTimeoutMs: 1_000 });
  const socket = await secure();
  socket.write(page('identity').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  const began = performance.now();
  let bytes = 0;
  // Reading takes at least 3 s in total.
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes < ((performance.now() - began) / 3_000) * 40_000_000) return;
    socket.pause();
    setTimeout(() => socket.resume(), 20);
  });
  await once(socket, 'close');
  expect(bytes).toBeGreaterThan(40_000_000);
});
