// A site over HTTPS as visitors get it: requests per second of the server's CPU time, compared with bare node:https, Caddy and nginx.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { alternate, bar, cpuMs, type Result, ratio, report, sized } from './measure.ts';
import { HOST, type SiteServer, startSiteServers } from './servers/sites.ts';

const CONNECTIONS = 32;
const ROUND_MS = sized(2_000, 100);
const NEW_CONNECTIONS = sized(400, 2);
/** New connections at the same time. */
const AT_ONCE = 8;

const FILES = {
  'page.html': Buffer.from('<p>page</p>\n'.repeat(80).slice(0, 949)),
  'site.css': Buffer.from('a { color: blue; }\n'.repeat(1_200).slice(0, 21_000)),
  'photo.jpg': randomBytes(375_000),
};

/** Minimum ratio to each peer. */
const BARS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'page.html': { Caddy: 1, 'bare node:https': 0.5 },
  'site.css': { Caddy: 1 },
  'photo.jpg': { Caddy: 0.8 },
  'a new connection for each': { Caddy: 0.6, 'bare node:https': 0.8 },
};

/** Measures all servers, each in its own process, and prints the results. */
export async function benchSites(rounds: number): Promise<void> {
  const { servers, missing, stop } = await startSiteServers(FILES);
  for (const name of missing) console.log(`\nmissing: ${name} is not installed, so it is not compared`);
  try {
    for (const [name, content] of Object.entries(FILES)) {
      for (const server of servers) await checkAnswer(server, name, content);
      await compare(`${name}, ${content.length} bytes`, name, servers, (server) => keepAlive(server, name, content.length), rounds);
    }
    const fresh = async (server: SiteServer) => {
      const before = cpuMs(server.pid);
      const one = async () => {
        for (let n = 0; n < NEW_CONNECTIONS / AT_ONCE; n += 1) await requestOnce(server, 'page.html');
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
      return (AT_ONCE * Math.ceil(NEW_CONNECTIONS / AT_ONCE)) / ((cpuMs(server.pid) - before) / 1_000);
    };
    await compare('page.html, a new connection for each request', 'a new connection for each', servers, fresh, rounds);
  } finally {
    await stop();
  }
}

/** @param load runs a round, and returns its requests per second of the server's CPU time */
async function compare(title: string, key: string, servers: readonly SiteServer[], load: (server: SiteServer) => Promise<number>, rounds: number) {
  for (const server of servers) await load(server);
  const candidates = servers.map((server) => ({ name: server.name, run: () => load(server) }));
  const results = await alternate(candidates, rounds);
  report(title, 'requests per CPU second', results);
  const named = (name: string): Result | undefined => results.find((result) => result.name === name);
  for (const [peer, least] of Object.entries(BARS[key] ?? {}))
    if (named(peer) !== undefined) bar(`${title}, compared with ${peer}`, ratio(named('ours'), named(peer)), 'at least', least);
}

/**
 * Requests a file repeatedly on connections that are already open. It only counts bytes, because a client that parses large responses takes longer
 * than a server does; the server would be idle, and the handshakes would be a large share of its work.
 */
async function keepAlive(server: SiteServer, file: string, contentBytes: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(server)));
  const before = cpuMs(server.pid);
  const until = performance.now() + ROUND_MS;
  const counts = await Promise.all(sockets.map((socket) => requestUntil(until, socket, file, contentBytes)));
  const cpuSeconds = (cpuMs(server.pid) - before) / 1_000;
  for (const socket of sockets) socket.destroy();
  return counts.reduce((sum, count) => sum + count, 0) / cpuSeconds;
}

async function openConnection({ port }: SiteServer): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername: HOST, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

/** @returns the number of answers */
function requestUntil(until: number, socket: TLSSocket, file: string, contentBytes: number): Promise<number> {
  const request = `GET /${file} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    let answers = 0;
    /** Bytes of the content that have not arrived; undefined before an answer. */
    let left: number | undefined;
    socket.once('error', reject).once('close', () => reject(new Error('a connection was closed')));
    socket.on('data', (chunk: Buffer) => {
      if (left === undefined) {
        assert.ok(chunk.toString('latin1', 0, 12) === 'HTTP/1.1 200', 'an answer other than 200');
        left = contentBytes + chunk.indexOf('\r\n\r\n') + 4;
      }
      left -= chunk.length;
      if (left > 0) return;
      answers += 1;
      left = undefined;
      if (performance.now() < until) socket.write(request);
      else resolve(answers);
    });
    socket.write(request);
  });
}

/** All servers must give the same answer before they are timed. */
async function checkAnswer(server: SiteServer, file: string, content: Buffer): Promise<void> {
  const answer = await requestOnce(server, file);
  const end = answer.indexOf('\r\n\r\n');
  const head = answer.subarray(0, end).toString('latin1').toLowerCase();
  assert.match(head, /^http\/1\.1 200 /, server.name);
  assert.match(head, /\r\ncontent-type: /, server.name);
  assert.match(head, new RegExp(`\r\ncontent-length: ${content.length}(\r\n|$)`), server.name);
  assert.ok(answer.subarray(end + 4).equals(content), `${server.name} answers differently`);
}

/** Requests a file on a new connection. @returns the answer as received */
function requestOnce({ port }: SiteServer, file: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port, servername: HOST, rejectUnauthorized: false }, () =>
      socket.write(`GET /${file} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('end', () => {
      socket.destroy();
      resolve(Buffer.concat(chunks));
    });
    socket.once('error', reject);
  });
}
