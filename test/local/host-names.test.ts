// Which host names the host accepts in requests, and which HTTP versions.

import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { startTestHost, type TestHost } from '../support/host.ts';
import { expectRefusal, sendRaw } from '../support/raw-http.ts';
import { petBody } from '../support/samples.ts';

let host: TestHost;

beforeAll(async () => {
  host = await startTestHost();
});

afterAll(() => host.stop());

const raw = (bytes: string, url = host.url) => sendRaw(bytes, url);

describe('HTTP versions', () => {
  test.each([
    'GET /v1/openapi.json\r\n\r\n',
    'GET /v1/openapi.json HTTP/0.9\r\nHost: HERE\r\n\r\n',
    'GET /v1/openapi.json HTTP/2.0\r\nHost: HERE\r\n\r\n',
  ])('other than 1.0 and 1.1 are refused: %j', async (bytes) => {
    expectRefusal(await raw(bytes), 400, 'invalid_request');
  });

  test('include HTTP/1.0, which gets no chunks', async () => {
    expect(await raw('GET /v1/openapi.json HTTP/1.0\r\nHost: HERE\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    expectRefusal(await raw('POST /v1/pets HTTP/1.0\r\nHost: HERE\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'), 400, 'invalid_request');
  });
});

describe('Host header', () => {
  const ask = (hostLines: string, version = '1.1', url = host.url) =>
    raw(`GET /v1/openapi.json HTTP/${version}\r\n${hostLines}Connection: close\r\n\r\n`, url);

  test('must name the service on a loopback listener', async () => {
    const { port } = new URL(host.url);
    for (const name of [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`, `[::1]:${port}`])
      expect(await ask(`Host: ${name}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    for (const name of [
      `rebound.example:${port}`,
      'rebound.example',
      '127.0.0.1',
      `127.0.0.1:${port}0`,
      `127.0.0.1.example:${port}`,
      `a@127.0.0.1:${port}`,
      '',
    ]) {
      const answer = await ask(`Host: ${name}\r\n`);
      expectRefusal(answer, 400, 'invalid_request');
      expect(answer).toContain(`this service is at ${host.url}`);
    }
    expectRefusal(await raw('GET / HTTP/1.0\r\n\r\n'), 400, 'invalid_request');
  });

  test("is checked for every path, not only for the API's", async () => {
    for (const path of ['/', '/docs', '/v1/nothing', '/favicon.ico', '/livez/x'])
      expect(await raw(`GET ${path} HTTP/1.1\r\nHost: rebound.example\r\n\r\n`), path).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw('POST /livez HTTP/1.1\r\nHost: rebound.example\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });

  describe('is of no matter to health checks', () => {
    /** A kubelet sends the pod's address, a load balancer the target's, HAProxy's `option httpchk` HTTP/1.0 without the header. */
    const ASKED = [
      'HTTP/1.1\r\nHost: 10.0.0.7:8080',
      'HTTP/1.1\r\nHost: [fd00::7]',
      'HTTP/1.1\r\nHost: other.example',
      'HTTP/1.1\r\nHost:',
      'HTTP/1.0',
    ];

    test.each(['/livez', '/readyz', '/healthz'])('%s', async (path) => {
      const named = await startTestHost({ publicUrl: 'https://pets.example.com' });
      for (const { url } of [host, named])
        for (const method of ['GET', 'HEAD'])
          for (const asked of ASKED) {
            const answer = await raw(`${method} ${path} ${asked}\r\nConnection: close\r\n\r\n`, url);
            expect(answer, `${method} ${asked}`).toMatch(/^HTTP\/1\.1 200 /);
          }
      // RFC 9112, section 3.2.
      expectRefusal(await raw(`GET ${path} HTTP/1.1\r\n\r\n`, named.url), 400, 'invalid_request');
      await named.stop();
    });
  });

  test('must be the public name on connections that the edge passes on, whatever the listener has', async () => {
    const named = await startTestHost({ publicUrl: 'https://pets.example.com' });
    const { port } = new URL(named.url);
    const ask = async (name: string) => {
      const [visitor, edge] = duplexPair();
      named.adopt(edge);
      visitor.write(`GET /v1/openapi.json HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`);
      return text(visitor);
    };
    for (const name of ['pets.example.com', 'Pets.example.com:443']) expect(await ask(name)).toMatch(/^HTTP\/1\.1 200 /);
    for (const name of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost', 'pets.example.com:8443', '']) {
      const answer = await ask(name);
      expectRefusal(answer, 400, 'invalid_request');
      expect(answer).toContain('this service is at https://pets.example.com');
    }
    // This machine's operator still reaches the listener.
    expect(await raw(`GET /v1/openapi.json HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`, named.url)).toMatch(/^HTTP\/1\.1 200 /);
    await named.stop();
  });

  test('must occur exactly once', async () => {
    expectRefusal(await ask('Host: HERE\r\nHost: HERE\r\n'), 400, 'invalid_request');
    expectRefusal(await ask('Host: HERE\r\nhOST: rebound.example\r\n'), 400, 'invalid_request');
    expectRefusal(await ask(''), 400, 'invalid_request');
  });

  test('may have any name behind a trusted proxy', async () => {
    const proxied = await startTestHost({ trustedProxies: ['127.0.0.1'] });
    expect(await ask('Host: pets.example.com\r\n', '1.1', proxied.url)).toMatch(/^HTTP\/1\.1 200 /);
    await proxied.stop();
  });

  test('may have any name on other listeners, but links do not contain it', async () => {
    const open = await startTestHost({ host: '0.0.0.0' });
    const { key: own } = await open.makeKey();
    const url = open.url.replace('0.0.0.0', '127.0.0.1');
    const authorized = { authorization: `Bearer ${own}`, 'content-type': 'application/json' };
    for (const name of ['One', 'Two']) await fetch(`${url}/v1/pets`, { method: 'POST', headers: authorized, body: petBody({ name, categoryId: 1 }) });
    const list = (name: string) =>
      raw(`GET /v1/pets?limit=1 HTTP/1.1\r\nHost: ${name}\r\nAuthorization: Bearer ${own}\r\nConnection: close\r\n\r\n`, url);
    const foreign = await list('pets.example.com');
    expect(foreign).toMatch(/^HTTP\/1\.1 200 /);
    expect(foreign).toMatch(/^link: <\/v1\/pets\?/m);
    expect(await list('HERE')).toMatch(/^link: <http:\/\/127\.0\.0\.1:\d+\/v1\/pets\?/m);
    await open.stop();
  });

  test('is ignored by the OpenID provider', async () => {
    const folder = makeFolder();
    const service = await startControlHost(folder.path, 0, { PETSTORE_HOST: '0.0.0.0' });
    const url = service.url.replace('0.0.0.0', '127.0.0.1');
    const forwarded = 'X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\n';
    const answer = await sendRaw(
      `GET /oidc/.well-known/openid-configuration HTTP/1.1\r\nHost: evil.example\r\n${forwarded}Connection: close\r\n\r\n`,
      url,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain(`"token_endpoint":"${service.url}/oidc/token"`);
    expect(answer).not.toContain('evil.example');
    expect(answer).not.toContain('https:');
    await service.stop();
    folder.remove();
  });
});
