// HTTP's requirements for responses (RFC 9110), checked byte by byte.

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestHost, type TestHost } from '../support/host.ts';
import { sendRaw } from '../support/raw-http.ts';

let host: TestHost;
let key: string;

beforeAll(async () => {
  host = await startTestHost();
  ({ key } = await host.makeKey());
});

afterAll(() => host.stop());

const ask = (line: string, ...headers: readonly string[]) =>
  sendRaw(`${[`${line} HTTP/1.1`, 'Host: HERE', `Authorization: Bearer ${key}`, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`, host.url);
const headOf = (answer: string) => answer.slice(0, answer.indexOf('\r\n\r\n')).toLowerCase();

describe('HEAD', () => {
  test('has the Content-Length that GET would have, and none with 304', async () => {
    const [get, head] = [await ask('GET /v1/pets'), await ask('HEAD /v1/pets')];
    const length = /content-length: (\d+)/.exec(headOf(get))?.[1];
    expect([/content-length: (\d+)/.exec(headOf(head))?.[1], head.endsWith('\r\n\r\n')]).toEqual([length, true]);
    const tag = /\r\netag: (.*)\r\n/i.exec(get)?.[1];
    for (const method of ['HEAD', 'GET']) {
      const unchanged = await ask(`${method} /v1/pets`, `If-None-Match: ${tag}`);
      expect(unchanged).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n/);
      expect(headOf(unchanged)).not.toContain('content-length');
    }
  });
});

describe('a path', () => {
  test.each([
    ['/v1/%70ets', 200],
    ['/%76%31/pets/', 200],
    ['/v1/p%65t%73?limit=1', 200],
    // A slash is not an unreserved character, and nothing is decoded twice.
    ['/v1%2Fpets', 404],
    ['/v1/%2570ets', 404],
    ['/%64ocs', 200],
  ])('%s is answered with %i', async (path, status) => {
    expect(await ask(`GET ${path}`)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

describe('a document', () => {
  const encodingOf = async (path: string, accepted: string) => {
    const { headers } = await fetch(`${host.url}${path}`, { headers: { 'accept-encoding': accepted } });
    expect(headers.get('vary')).toContain('Accept-Encoding');
    return headers.get('content-encoding');
  };

  test.each(['/v1/openapi.json', '/docs'])('%s is sent in an encoding that the client accepts', async (path) => {
    expect(await encodingOf(path, 'gzip, deflate, br')).toBe('br');
    expect(await encodingOf(path, 'gzip')).toBe('gzip');
    expect(await encodingOf(path, 'br;q=0, gzip;q=0.5')).toBe('gzip');
    expect(await encodingOf(path, 'br;q=0')).toBe(null);
    expect(await encodingOf(path, 'identity, br;q=0.1')).toBe(null);
    expect(await encodingOf(path, '*')).toBe('br');
  });

  test('is the same in each encoding, with a separate ETag', async () => {
    const tags = new Set<string | null>();
    const texts = new Set<string>();
    for (const [accepted, decode] of [
      ['identity', (bytes: Buffer) => bytes],
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const answer = await sendBytes(accepted);
      texts.add(decode(answer.body).toString());
      tags.add(answer.etag);
    }
    expect([texts.size, tags.size]).toEqual([1, 3]);
  });

  async function sendBytes(accepted: string) {
    const { request } = await import('node:http');
    return new Promise<{ body: Buffer; etag: string }>((resolve, reject) => {
      request(`${host.url}/v1/openapi.json`, { headers: { 'accept-encoding': accepted } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ body: Buffer.concat(chunks), etag: String(response.headers.etag) }));
      })
        .once('error', reject)
        .end();
    });
  }
});

describe('a request', () => {
  test.each([
    ['two keys', [`Authorization: Bearer other`], 'header Authorization: got 2 of them; allowed: one'],
    ['a compressed body', ['Transfer-Encoding: gzip, chunked'], 'header Transfer-Encoding: got \\"gzip, chunked\\"; allowed: chunked'],
  ])('with %s is refused', async (_what, headers, message) => {
    const answer = await ask('GET /v1/pets', ...headers);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain(message);
  });

  test('in absolute form is served by its path', async () => {
    expect(await ask(`GET ${host.url}/docs`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('with an access token instead of a key is refused, with a hint', async () => {
    const answer = await fetch(`${host.url}/v1/pets`, { headers: { authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln' } });
    expect([answer.status, await answer.json()]).toEqual([
      401,
      expect.objectContaining({ message: expect.stringContaining('this is an access token') }),
    ]);
  });

  test('with many errors gets only the first few of them reported', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `p${n}=1`).join('&');
    const answer = await ask(`GET /v1/openapi.json?${many}`);
    expect(answer).toContain('. Also: 280 more');
    expect(answer.length).toBeLessThan(3_000);
  });
});

describe('an answer', () => {
  test('varies by Origin', async () => {
    for (const origin of [[], ['Origin: https://shop.example']]) expect(headOf(await ask('GET /v1/pets', ...origin))).toContain('\r\nvary: origin');
  });

  test('to a malformed request has a reason phrase and a date', async () => {
    const answer = await sendRaw('nonsense\r\n\r\n', host.url);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
    const long = await sendRaw(`GET /v1/pets HTTP/1.1\r\nHost: HERE\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, host.url);
    expect(long).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
  });

  test('reports a parameter that its operation does not know, for every operation', async () => {
    for (const path of ['/v1/pets?page=2', '/v1/pets/7?x=1', '/v1/openapi.json?x=1'])
      expect(await ask(`GET ${path}`)).toMatch(/^HTTP\/1\.1 400 [\s\S]*not known; allowed: /);
  });
});
