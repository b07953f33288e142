// The edge behind a proxy that passes connections through with the PROXY protocol: whose address a visit has, and which connections are closed.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createDevelopmentAuthority } from '../../../adapters/certificates/development.ts';
import { DEPLOYMENT, startTestEdge, type TestEdge } from '../../support/edge.ts';

const HOST = 'proxied.edge-shop.test';
const HEADER = 'PROXY TCP4 192.0.2.7 198.51.100.1 49153 443\r\n';
const REQUEST = `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`;

let edge: TestEdge;
let certificate: string;
let now = Date.now();
let proxies = ['127.0.0.1'];
let refused: string[] = [];
let visitors: unknown[] = [];

beforeAll(async () => {
  edge = await startTestEdge({
    isProxy: (address) => proxies.includes(address),
    onLimit: (message) => refused.push(message),
    logVisit: ({ sourceIp }) => visitors.push(sourceIp),
    clock: () => now,
  });
  certificate = await (await createDevelopmentAuthority(edge.folder, edge.vault, Date.now)).request(HOST, `dom_${HOST}`);
  await edge.stores.projects.putConfiguration(edge.project.id, { domains: { redirects: [] }, logs: { access: true } });
  await edge.serve(HOST, certificate);
});

afterAll(async () => {
  expect(edge.faults).toEqual([]);
  await edge.stop();
});

beforeEach(() => {
  // The last report is more than a minute ago.
  now += 120_000;
  proxies = ['127.0.0.1'];
  refused = [];
  visitors = [];
});

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** @returns what the socket receives until it is closed */
async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  await once(socket, 'close');
  return text;
}

test.each([
  ['the one that the header names', [HEADER], '192.0.2.7'],
  ['the one that the header names, however slowly', [...HEADER], '192.0.2.7'],
  [
    'the one that a header of version 2 names',
    [`\r\n\r\n\0\r\nQUIT\n\x21\x21\0\x24\x20\x01\r\xb8${'\0'.repeat(11)}\x07${'\0'.repeat(16)}\x12\x34\x01\xbb`],
    '2001:db8::7',
  ],
  ["the proxy's, for a connection of its own", ['PROXY UNKNOWN\r\n'], '127.0.0.1'],
])('the address of a visit is %s', async (_, header, visitor) => {
  const socket = await open(edge.httpsPort);
  for (const part of header) {
    socket.write(part, 'latin1');
    await new Promise((resolve) => setImmediate(resolve));
  }
  const secure = connectTls({ socket, servername: HOST, ca: edge.ca });
  secure.write(REQUEST);
  expect(await received(secure)).toMatch(/^HTTP\/1\.1 200 /);
  await expect.poll(() => visitors).toEqual([visitor]);
  expect(refused).toEqual([]);
});

test('what arrives together with the header is read', async () => {
  const socket = await open(edge.httpPort);
  socket.write(HEADER + REQUEST);
  expect(await received(socket)).toMatch(/^HTTP\/1\.1 301 /);
});

test("the edge's own request, which asks whether a domain is served, needs no header", async () => {
  const domain = { id: `dom_${HOST}`, host: HOST, projectId: DEPLOYMENT.projectId };
  expect(await edge.edge.isServing(domain, certificate)).toBe(true);
});

describe('a connection is closed without an answer', () => {
  test.each([
    ['without a header', REQUEST, 'no header'],
    ['with an address that is none', 'PROXY TCP4 300.0.2.7 198.51.100.1 1 443\r\n', 'no address'],
  ])('%s', async (_, sent, reason) => {
    const socket = await open(edge.httpPort);
    socket.write(sent);
    expect(await received(socket)).toBe('');
    expect([visitors, refused]).toEqual([[], [`PROXY protocol: a connection from 127.0.0.1 has ${reason}; closed`]]);
  });

  test('if it is silent', async () => {
    // The others have more time, however busy the machine is.
    const impatient = await startTestEdge({ isProxy: () => true, onLimit: (message) => refused.push(message), handshakeTimeoutMs: 100 });
    onTestFinished(impatient.stop);
    const socket = await open(impatient.httpsPort);
    socket.write(HEADER.slice(0, 20));
    expect(await received(socket)).toBe('');
    expect(refused).toEqual(['PROXY protocol: a connection from 127.0.0.1 has no header after 100 ms; closed']);
  });

  test('if its peer is not a trusted proxy; that is reported once a minute', async () => {
    proxies = [];
    for (let count = 0; count < 3; count += 1) {
      const socket = await open(edge.httpPort);
      socket.write(HEADER + REQUEST);
      expect(await received(socket)).toBe('');
      now += 25_000;
    }
    expect(refused).toEqual(['PROXY protocol: a connection from 127.0.0.1 has an address that is not in PETSTORE_TRUSTED_PROXIES; closed']);
    expect(visitors).toEqual([]);
  });

  test('if it is reset before the header; the others go on', async () => {
    const gone = await open(edge.httpPort);
    gone.write(HEADER.slice(0, 20));
    gone.resetAndDestroy();
    const socket = await open(edge.httpPort);
    socket.write(HEADER + REQUEST);
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 301 /);
    expect(refused).toEqual([]);
  });
});
