// What the edge reports about requests and handshakes.

import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { EdgeObserver } from '../../../adapters/edge/visits.ts';
import { startTestEdge, type TestEdge } from '../../support/edge.ts';

const HOST = 'www.edge-shop.test';
const PAGE = 'page '.repeat(20_000);

let server: TestEdge;
let reports: unknown[][];
let inProgress = 0;

const observer: EdgeObserver = {
  begun: () => {
    inProgress += 1;
    return 7;
  },
  ended: (...report) => {
    inProgress -= 1;
    reports.push(report);
  },
  handshake: (...report) => reports.push(report),
  handshakeFailed: (reason) => reports.push([reason]),
  connectionRefused: (limit) => reports.push([limit]),
};

beforeAll(async () => {
  server = await startTestEdge({ observer, handshakeTimeoutMs: 200, files: { 'index.html': PAGE, '404.html': 'none' } });
  await server.serve(HOST);
});

beforeEach(() => {
  reports = [];
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server.stop();
});

/** Sends a request. @returns the bytes of the response, as they were on the connection */
function ask(path: string, headers: Record<string, string> = {}, agent: Agent | false = false): Promise<number> {
  return new Promise((resolve, reject) => {
    request(
      { host: '127.0.0.1', port: server.httpsPort, servername: HOST, path, ca: server.ca, headers: { host: HOST, ...headers }, agent },
      (response) => {
        const { socket } = response;
        response.resume().on('end', () => resolve(socket.bytesRead));
      },
    )
      .once('error', reject)
      .end();
  });
}

test('a page, with all bytes of its response', async () => {
  const bytes = await ask('/');
  await vi.waitFor(() => expect(reports).toHaveLength(2));
  expect(reports).toEqual([
    ['TLSv1.3', false],
    [7, 'site', 200, bytes],
  ]);
  expect(bytes).toBeGreaterThan(PAGE.length);
  expect(inProgress).toBe(0);
});

test('each request on a connection, with its own bytes', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await ask('/', {}, agent);
  await ask('/missing', {}, agent);
  await ask('/', { 'if-none-match': '*' }, agent);
  await vi.waitFor(() => expect(reports).toHaveLength(4));
  agent.destroy();
  expect(reports.slice(1).map(([, outcome, status]) => [outcome, status])).toEqual([
    ['site', 200],
    ['site', 404],
    ['site', 304],
  ]);
  const [page, missing] = reports.slice(1).map(([, , , bytes]) => Number(bytes));
  expect(page).toBeGreaterThan(PAGE.length);
  expect(missing).toBeLessThan(1_000);
});

test('a request for another host than the connection is for, and one that is not valid', async () => {
  await ask('/', { host: 'other.example' });
  await ask('*');
  await vi.waitFor(() => expect(reports).toHaveLength(4));
  expect(reports.filter(([first]) => first === 7).map(([, outcome, status]) => [outcome, status])).toEqual([
    ['not_served', 421],
    ['invalid', 400],
  ]);
});

test('plain HTTP', async () => {
  for (const [host, outcome, status] of [
    [HOST, 'redirect', 301],
    ['other.example', 'not_served', 404],
  ] as const) {
    reports = [];
    const sent = plainRequest({ host: '127.0.0.1', port: server.httpPort, headers: { host }, agent: false }).end();
    const [response] = await once(sent, 'response');
    response.resume();
    await vi.waitFor(() => expect(reports.map(([, ...rest]) => rest.slice(0, 2))).toEqual([[outcome, status]]));
  }
});

test('a visitor who leaves in the middle is no fault', async () => {
  const socket = connect({ host: '127.0.0.1', port: server.httpsPort, servername: HOST, ca: server.ca });
  await once(socket, 'secureConnect');
  socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  await once(socket, 'readable');
  socket.destroy();
  await vi.waitFor(() => expect(reports.map(([first, outcome]) => [first, outcome])).toContainEqual([7, 'site']));
});

test.each([
  ['unknown_host', () => connect({ host: '127.0.0.1', port: server.httpsPort, servername: 'unknown.example', rejectUnauthorized: false })],
  ['protocol', () => connectTcp(server.httpsPort, '127.0.0.1').end('GET / HTTP/1.1\r\n\r\n')],
  ['timeout', () => connectTcp(server.httpsPort, '127.0.0.1')],
  ['disconnected', () => connectTcp(server.httpsPort, '127.0.0.1').end()],
] as const)('a handshake that fails: %s', async (reason, start) => {
  const socket = start().on('error', () => {});
  await vi.waitFor(() => expect(reports).toEqual([[reason]]), 3_000);
  socket.destroy();
});

test('handshakes by protocol, and whether a session was resumed', async () => {
  const visit = async (session?: Buffer) => {
    const socket = connect({ host: '127.0.0.1', port: server.httpsPort, servername: HOST, ca: server.ca, maxVersion: 'TLSv1.2', session });
    await once(socket, 'secureConnect');
    const kept = socket.getSession();
    socket.resume().end();
    await once(socket, 'close');
    return kept;
  };
  await visit(await visit());
  await vi.waitFor(() =>
    expect(reports).toEqual([
      ['TLSv1.2', false],
      ['TLSv1.2', true],
    ]),
  );
});
