// Forms of requests at the edge, sent as bytes because no HTTP library would send them.

import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestEdge, type TestEdge } from '../../support/edge.ts';

const HOST = 'www.form-shop.test';
const MOVED = 'moved.form-shop.test';
let edge: TestEdge;

beforeAll(async () => {
  edge = await startTestEdge();
  await edge.stores.projects.putConfiguration(edge.project.id, { domains: { redirects: [{ from: MOVED, to: HOST, status: 308 }] } });
  for (const host of [HOST, MOVED]) await edge.serve(host);
});

afterAll(async () => {
  expect(edge.faults).toEqual([]);
  await edge.stop();
});

/** The status and Location of the answer, over HTTP or HTTPS. */
async function raw(scheme: 'http' | 'https', bytes: string, servername = HOST): Promise<readonly [number, string | undefined]> {
  const socket =
    scheme === 'http' ? connect(edge.httpPort, '127.0.0.1') : connectTls({ host: '127.0.0.1', port: edge.httpsPort, servername, ca: edge.ca });
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.once(scheme === 'http' ? 'connect' : 'secureConnect', () => socket.write(bytes));
  await once(socket, 'close');
  return [Number(text.split(' ')[1]), /^location: (.*)\r$/im.exec(text)?.[1]];
}
const get = (target: string, host = HOST) => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

test.each([
  ['/x?a=1', '/x?a=1'],
  ['http://evil.com/x?a=1', '/x?a=1'],
  ['HTTPS://evil.com', '/'],
  ['http://evil.com?a=/b', '/?a=/b'],
  ['//evil.com/x', '//evil.com/x'],
])('%s redirects to the same path and query on the requested host', async (target, path) => {
  expect(await raw('http', get(target))).toEqual([301, `https://${HOST}:${edge.httpsPort}${path}`]);
  expect(await raw('https', get(target, MOVED), MOVED)).toEqual([308, `https://${HOST}:${edge.httpsPort}${path}`]);
});

test('an absolute-form target is served by its path', async () => {
  expect(await raw('https', get(`https://${HOST}/index.html?a`))).toEqual([200, undefined]);
});

test.each([
  ['two hosts', `GET / HTTP/1.1\r\nHost: ${HOST}\r\nHost: evil.com\r\nConnection: close\r\n\r\n`],
  ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['HTTP/0.9', 'GET /\r\n\r\n'],
  ['chunks in HTTP/1.0', `GET / HTTP/1.0\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a target that is not a path', `OPTIONS * HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`],
  ['a target with another scheme', get('ftp://evil.com/x')],
])('%s is refused, over HTTP and over HTTPS', async (_name, bytes) => {
  expect([await raw('http', bytes), await raw('https', bytes)]).toEqual(Array(2).fill([400, undefined]));
});
