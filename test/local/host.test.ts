// The host and clients whose behavior HTTP libraries do not imitate, on raw sockets.

import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { refusalOf } from '../../local/refuse.ts';
import { startTestHost, type TestHost } from '../support/host.ts';
import { expectRefusal, sendRaw } from '../support/raw-http.ts';
import { petBody } from '../support/samples.ts';

let host: TestHost;
let key: string;

beforeAll(async () => {
  host = await startTestHost({ requestTimeoutMs: 400 });
  ({ key } = await host.makeKey());
});

afterAll(() => host.stop());

const raw = (bytes: string, url = host.url) => sendRaw(bytes, url);
const authorization = () => `Authorization: Bearer ${key}\r\n`;

describe('malformed HTTP', () => {
  test.each([
    'nonsense\r\n\r\n',
    'GET /v1/pets HTTP/1.1\r\nHost: HERE\r\nBad Header: 1\r\n\r\n',
    'GET /v1/pets HTTP/9.9\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01',
  ])("%j is refused with an error in the API's shape", async (bytes) => {
    expectRefusal(await raw(bytes), 400, 'invalid_request');
  });

  test.each(['FOO', 'get', 'Post', 'GETT', 'M-SEARCHX'])('the method %s is named as one that is not known', async (method) => {
    const answer = await raw(`${method} /v1/pets HTTP/1.1\r\nHost: HERE\r\n\r\n`);
    expectRefusal(answer, 501, 'not_implemented');
    expect(answer).toContain(`method ${method}: not known here`);
  });

  test('an unknown method after other requests in a packet is named, too', () => {
    const first = 'OPTIONS /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n';
    const error = { code: 'HPE_INVALID_METHOD', rawPacket: Buffer.from(`${first}FOO / HTTP/1.1\r\n\r\n`), bytesParsed: first.length + 2 };
    expect(refusalOf(error, 1_000).message).toBe('method FOO: not known here; methods are case-sensitive');
  });

  test('what came before an unknown method is answered, and it alone', async () => {
    const answers = await raw(`GET /v1/pets?limit=1 HTTP/1.1\r\nHost: HERE\r\n${authorization()}\r\nget /v1/pets HTTP/1.1\r\nHost: HERE\r\n\r\n`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(answers).toMatch(/\r\n\r\n\[.*\]$/);
  });

  test('a request with two lengths is refused', async () => {
    expectRefusal(
      await raw('POST /v1/pets HTTP/1.1\r\nHost: HERE\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      400,
      'invalid_request',
    );
  });

  test('headers of more than 16 KiB are refused', async () => {
    expectRefusal(await raw(`GET /v1/pets HTTP/1.1\r\nHost: HERE\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`), 431, 'headers_too_large');
    expectRefusal(await raw(`GET /v1/pets?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: HERE\r\n\r\n`), 431, 'headers_too_large');
  });

  test('a client that still sends what is refused gets its answer, not a reset', async () => {
    const { hostname, port } = new URL(host.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const answer = text(socket);
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: HERE\r\nCookie: ${'x'.repeat(20_000)}`);
    for (let part = 0; part < 10; part += 1) {
      await delay(10);
      socket.write('x'.repeat(20_000));
    }
    socket.end('\r\n\r\n');
    expectRefusal(await answer, 431, 'headers_too_large');
  });

  test('a client that never stops is cut off', async () => {
    const { hostname, port } = new URL(host.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    let answer = '';
    socket.on('data', (part) => {
      answer += part;
    });
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: HERE\r\nCookie: ${'x'.repeat(20_000)}`);
    const sending = setInterval(() => socket.write('x'), 50);
    onTestFinished(() => clearInterval(sending));
    await closed;
    expectRefusal(answer, 431, 'headers_too_large');
  });

  test('CONNECT is refused', async () => {
    expectRefusal(await raw('CONNECT example.com:443 HTTP/1.1\r\nHost: HERE\r\n\r\n'), 405, 'method_not_allowed');
  });
});

describe('slow and large requests', () => {
  test('headers that do not arrive are refused in time', async () => {
    expectRefusal(await raw('GET /v1/pets HTTP/1.1\r\nHost: HERE\r\n'), 408, 'request_timeout');
  });

  test('a body that does not arrive is refused in time', async () => {
    const answer = await raw(
      `POST /v1/pets HTTP/1.1\r\nHost: HERE\r\n${authorization()}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"name"`,
    );
    expectRefusal(answer, 408, 'request_timeout');
  });

  test('a body whose announced length is too large is refused before it is sent', async () => {
    const answer = await raw(
      `POST /v1/pets HTTP/1.1\r\nHost: HERE\r\n${authorization()}Content-Type: application/json\r\nContent-Length: 10000000\r\n\r\n`,
    );
    expectRefusal(answer, 413, 'payload_too_large');
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  test('a body that grows too large is refused as soon as it does', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const answer = await raw(
      `POST /v1/pets HTTP/1.1\r\nHost: HERE\r\n${authorization()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`,
    );
    expectRefusal(answer, 413, 'payload_too_large');
  });

  test('a client that sends a 10 MB body anyway still gets its answer', async () => {
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(`${host.url}/v1/pets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': 10_000_000 },
      });
      request.on('response', (response) => resolve(response.statusCode));
      request.on('error', reject);
      request.write(Buffer.alloc(100_000));
    });
    expect(status).toBe(413);
  });

  test('a client that disconnects in the middle of its body does no harm', async () => {
    const { hostname, port } = new URL(host.url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`POST /v1/pets HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: 50\r\n\r\n{`);
        setTimeout(() => socket.destroy(), 20);
        socket.on('close', () => resolve());
      });
    });
    expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
  });
});

describe('request forms', () => {
  test('a request target may be in absolute form', async () => {
    const answer = await raw(`GET http://x/v1/openapi.json HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('OPTIONS * and unknown expectations are answered', async () => {
    expect(await raw(`OPTIONS * HTTP/1.1\r\nHost: HERE\r\n${authorization()}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 404 /);
    expect(await raw(`GET /v1/openapi.json HTTP/1.1\r\nHost: HERE\r\nExpect: wonders\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a repeated query parameter is refused', async () => {
    const response = await fetch(`${host.url}/v1/pets?limit=5&limit=6`, { headers: { authorization: `Bearer ${key}` } });
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      400,
      'query parameter limit: got "5,6"; allowed: an integer from 1 to 100',
    ]);
  });

  test('requests may be pipelined', async () => {
    const one = `GET /v1/openapi.json HTTP/1.1\r\nHost: HERE\r\n\r\n`;
    expect((await raw(`${one}${one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`)).match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });
});

describe('Expect: 100-continue', () => {
  /** Sends the head of a request, and its body only if it is asked for. @returns whether it was, and the final status */
  async function ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    url = host.url,
  ): Promise<[boolean, number]> {
    const length = String(headers['content-length'] ?? Buffer.byteLength(body));
    const request = httpRequest(`${url}${path}`, { method, headers: { expect: '100-continue', ...headers, 'content-length': length } });
    let asked = false;
    request.on('continue', () => {
      asked = true;
      request.end(body);
    });
    request.on('error', () => {});
    request.flushHeaders();
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
    request.destroy();
    return [asked, response.statusCode];
  }
  const pet = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

  test('the body is asked for if the request is accepted', async () => {
    expect(await ask('POST', '/v1/pets', pet(), petBody())).toEqual([true, 201]);
    expect(await ask('POST', '/v1/pets', pet(), '{}')).toEqual([true, 400]);
  });

  test.each([
    ['without a key', 'POST', '/v1/pets', { authorization: '' }, 401],
    ['with a body that is too large', 'POST', '/v1/pets', { 'content-length': '70000' }, 413],
    ['with a body that is no JSON', 'POST', '/v1/pets', { 'content-type': 'text/plain' }, 415],
    ['to an unknown path', 'POST', '/v1/nothing', {}, 404],
    ['with another method', 'PUT', '/v1/pets', {}, 405],
    ['for another host', 'POST', '/v1/pets', { host: 'elsewhere.example' }, 400],
    ['that reads', 'GET', '/v1/pets', {}, 200],
  ])('a request %s is answered before its body is sent', async (_, method, path, headers, status) => {
    expect(await ask(method, path, { ...pet(), ...headers }, petBody())).toEqual([false, status]);
  });

  test('a connection goes on after a body that was asked for, and ends after one that was not', async () => {
    const head = (more: string) =>
      `POST /v1/pets HTTP/1.1\r\nHost: HERE\r\n${more}Content-Type: application/json\r\nContent-Length: ${petBody().length}\r\n`;
    const twice = `${head(`${authorization()}Expect: 100-continue\r\n`)}\r\n${petBody()}${head(`${authorization()}Connection: close\r\n`)}\r\n${petBody()}`;
    expect((await raw(twice)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 201', 'HTTP/1.1 201']);
    const refused = await raw(`${head('Expect: 100-continue\r\n')}\r\n`);
    expect(refused).toMatch(/^HTTP\/1\.1 401 [\s\S]*\r\nConnection: close\r\n/i);
  });
});

describe('proxies', () => {
  /** Uses up the requests that an address may make without a key, and sends one more. */
  async function exhaust(url: string, headers: Record<string, string>): Promise<number> {
    let status = 0;
    for (let times = 0; times < 61; times += 1) ({ status } = await fetch(`${url}/v1/pets`, { headers }));
    return status;
  }
  const statusOf = async (url: string, headers: Record<string, string>) => (await fetch(`${url}/v1/pets`, { headers })).status;

  /** The scheme of the link to the next page. */
  async function linkOf({ url, makeKey }: TestHost, headers: Record<string, string>): Promise<string | undefined> {
    const { key: own } = await makeKey();
    const authorized = { ...headers, authorization: `Bearer ${own}` };
    for (const name of ['One', 'Two'])
      await fetch(`${url}/v1/pets`, {
        method: 'POST',
        headers: { ...authorized, 'content-type': 'application/json' },
        body: petBody({ name, categoryId: 1 }),
      });
    const response = await fetch(`${url}/v1/pets?limit=1`, { headers: authorized });
    return /^<(\w+):/.exec(response.headers.get('link') ?? '')?.[1];
  }

  test('the forwarded scheme is ignored if the peer is not trusted', async () => {
    expect(await linkOf(host, { 'x-forwarded-proto': 'https' })).toBe('http');
    expect(await linkOf(host, { 'x-forwarded-proto': 'ftp' })).toBe('http');
    expect(await linkOf(host, { forwarded: 'for=192.0.2.1;proto=https' })).toBe('http');
    expect(await linkOf(host, {})).toBe('http');
  });

  test('the forwarded address is ignored if the peer is not trusted', async () => {
    const own = await startTestHost();
    expect(await exhaust(own.url, { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' })).toBe(429);
    expect(await statusOf(own.url, { 'x-forwarded-for': '192.0.2.2' })).toBe(429);
    expect(await statusOf(own.url, { forwarded: 'for=192.0.2.2' })).toBe(429);
    await own.stop();
  });

  test('each client behind a trusted proxy has a separate limit, IPv6 by its /64', async () => {
    const proxied = await startTestHost({ trustedProxies: ['127.0.0.0/8', '10.0.0.1'] });
    const from = (forwardedFor: string) => ({ 'x-forwarded-for': forwardedFor });
    expect(await exhaust(proxied.url, from('192.0.2.1'))).toBe(429);
    expect(await statusOf(proxied.url, from('192.0.2.2'))).toBe(401);
    expect(await statusOf(proxied.url, from('192.0.2.9, 192.0.2.1:443, 10.0.0.1'))).toBe(429);
    expect(await statusOf(proxied.url, from('::ffff:c000:201'))).toBe(429);
    expect(await statusOf(proxied.url, { forwarded: 'for="192.0.2.1:80"' })).toBe(429);
    expect(await statusOf(proxied.url, {})).toBe(401);
    expect(await exhaust(proxied.url, from('2001:db8:1:2::1'))).toBe(429);
    expect(await statusOf(proxied.url, from('[2001:DB8:1:2:ffff::2]:443'))).toBe(429);
    expect(await statusOf(proxied.url, from('2001:db8:1:3::1'))).toBe(401);
    expect(await linkOf(proxied, { 'x-forwarded-proto': 'https' })).toBe('https');
    expect(await linkOf(proxied, { 'x-forwarded-proto': 'https, http' })).toBe('http');
    await proxied.stop();
  });

  test('repeated client headers are joined into one list', async () => {
    const proxied = await startTestHost({ trustedProxies: ['127.0.0.1'] });
    expect(await exhaust(proxied.url, { 'x-forwarded-for': '192.0.2.1' })).toBe(429);
    const answer = await raw(
      'GET /v1/pets HTTP/1.1\r\nHost: HERE\r\nX-Forwarded-For: 192.0.2.2\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n\r\n',
      proxied.url,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    await proxied.stop();
  });
});

describe('connections', () => {
  const get = 'GET /v1/openapi.json HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\n\r\n';

  /** Opens connections that send nothing. */
  async function hold(url: string, count: number): Promise<Socket[]> {
    const { hostname, port } = new URL(url);
    const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return sockets;
  }

  test('from one address are limited, which is logged once', async () => {
    const own = await startTestHost({ connections: { total: 10, perAddress: 3 } });
    const held = await hold(own.url, 3);
    expect([await raw(get, own.url), await raw(get, own.url)]).toEqual(['', '']);
    expect(own.limits).toEqual([expect.stringMatching(/^127\.0\.0\.1 has 3 connections/)]);
    for (const socket of held) socket.destroy();
    await expect.poll(() => raw(get, own.url)).toMatch(/^HTTP\/1\.1 200 /);
    await own.stop();
  });

  test('from a trusted proxy are limited only in total', async () => {
    const proxied = await startTestHost({ connections: { total: 5, perAddress: 1 }, trustedProxies: ['127.0.0.1'] });
    const held = await hold(proxied.url, 4);
    expect(await raw(get, proxied.url)).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of held) socket.destroy();
    await proxied.stop();
  });
});

describe('pages', () => {
  test("the reference page loads everything from the service's own host", async () => {
    const page = await fetch(`${host.url}/docs/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    const scripts = [...html.matchAll(/src="([^"]+)"/g)].map(([, source]) => source);
    const styles = [...html.matchAll(/<link rel="stylesheet"[^>]* href="([^"]+)"/g)].map(([, source]) => source);
    expect([scripts, styles]).toEqual([[expect.stringMatching(/^\/docs\/assets\/.*\.js$/)], [expect.stringMatching(/^\/docs\/assets\/.*\.css$/)]]);
    // But for the namespace of the mark.
    expect(html.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/<style|<script(?! [^>]*src=)|\sstyle=|https?:/);
    for (const source of [...scripts, ...styles]) {
      const script = await fetch(`${host.url}${source}`);
      expect([script.status, script.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/(javascript|css); charset=utf-8$/)]);
      expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect((await fetch(`${host.url}${source}`, { headers: { 'if-none-match': script.headers.get('etag') ?? '' } })).status).toBe(304);
    }
    const [, notices = ''] = /<link rel="license" href="([^"]+)"/.exec(html) ?? [];
    expect(await (await fetch(`${host.url}${notices}`)).text()).toContain('Copyright (c) Meta Platforms');
    expect((await fetch(host.url, { redirect: 'manual' })).headers.get('location')).toBe('/docs');
    expect((await fetch(`${host.url}/favicon.ico`)).status).toBe(204);
  });

  test('the health check includes storage', async () => {
    const response = await fetch(`${host.url}/healthz`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
    const broken = await startTestHost();
    broken.stores.isResponding = () => {
      throw new Error('gone');
    };
    expect((await fetch(`${broken.url}/healthz`)).status).toBe(503);
    await broken.stop();
  });
});
