// The edge alone: browsers' requests for a page, hosts that are not served, certificates that change while in use.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFolderSiteStore } from '../../../adapters/sites/folder.ts';
import { DEPLOYMENT, startTestEdge, type TestEdge } from '../../support/edge.ts';

const HOST = 'www.edge-shop.test';
const TEXT = 'page '.repeat(2_000);

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

let server: TestEdge;

beforeAll(async () => {
  server = await startTestEdge({
    files: {
      'index.html': TEXT,
      'about.html': 'about',
      'docs/index.html': 'docs',
      'photo.png': randomBytes(5_000),
      'empty.txt': '',
      '404.html': 'not here',
      'naïve file.txt': 'ok',
    },
  });
  await server.serve(HOST);
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server.stop();
});

function ask(path: string, headers: Record<string, string> = {}, options: RequestOptions = {}, host = HOST): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(
      { host: '127.0.0.1', port: server.httpsPort, servername: host, path, ca: server.ca, headers: { host, ...headers }, agent: false, ...options },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
        response.once('error', reject);
      },
    )
      .once('error', reject)
      .end();
  });
}

describe('pages', () => {
  test.each([
    ['/', 200, TEXT],
    ['/index.html', 200, TEXT],
    ['/about', 200, 'about'],
    ['/docs', 200, 'docs'],
    ['/docs/', 200, 'docs'],
    ['/na%C3%AFve%20file.txt', 200, 'ok'],
    ['/?utm=1', 200, TEXT],
    ['/empty.txt', 200, ''],
    ['/missing', 404, 'not here'],
    ['/../development-ca.key', 404, 'not here'],
    ['/%2e%2e/%2e%2e/development-ca.key', 404, 'not here'],
    ['/..%2f..%2fdevelopment-ca.key', 404, 'not here'],
    ['/docs%5C..%5Cindex.html', 404, 'not here'],
    ['/%00', 404, 'not here'],
    ['/%ff', 404, 'not here'],
    ['//', 404, 'not here'],
  ])('%s answers %i', async (path, status, body) => {
    const answer = await ask(path);
    expect([answer.status, answer.body.toString()]).toEqual([status, body]);
  });

  test('have a content type, nosniff and HSTS', async () => {
    const { headers } = await ask('/about');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000',
      'cache-control': 'public, max-age=0, must-revalidate',
    });
    expect((await ask('/photo.png')).headers['content-type']).toBe('image/png');
  });

  test('are compressed for clients that accept it', async () => {
    const br = await ask('/', { 'accept-encoding': 'gzip, br' });
    expect([br.headers['content-encoding'], brotliDecompressSync(br.body).toString()]).toEqual(['br', TEXT]);
    const gzip = await ask('/', { 'accept-encoding': 'gzip;q=1.0, br;q=0' });
    expect([gzip.headers['content-encoding'], gunzipSync(gzip.body).toString()]).toEqual(['gzip', TEXT]);
    expect(br.headers.etag).not.toBe(gzip.headers.etag);
    for (const [path, encoding] of [
      ['/', 'identity'],
      ['/about', 'br'],
      ['/photo.png', 'br'],
    ] as const)
      expect((await ask(path, { 'accept-encoding': encoding })).headers['content-encoding']).toBeUndefined();
    expect(br.headers.vary).toBe('Accept-Encoding');
  });

  test('are not sent again if unchanged', async () => {
    const { etag } = (await ask('/', { 'accept-encoding': 'br' })).headers;
    const again = await ask('/', { 'accept-encoding': 'br', 'if-none-match': `W/${etag}` });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
    expect((await ask('/', { 'if-none-match': String(etag) })).status).toBe(200);
  });

  test('can be requested in ranges', async () => {
    const part = async (range: string, headers: Record<string, string> = {}) => {
      const { status, headers: seen, body } = await ask('/', { range, ...headers });
      return [status, seen['content-range'], body.toString().length];
    };
    expect(await part('bytes=0-3')).toEqual([206, 'bytes 0-3/10000', 4]);
    expect(await part('bytes=9990-')).toEqual([206, 'bytes 9990-9999/10000', 10]);
    expect(await part('bytes=-5')).toEqual([206, 'bytes 9995-9999/10000', 5]);
    expect(await part('bytes=9999-20000')).toEqual([206, 'bytes 9999-9999/10000', 1]);
    expect((await part('bytes=10000-')).slice(0, 2)).toEqual([416, 'bytes */10000']);
    for (const whole of ['bytes=5-2', 'bytes=-', 'items=0-1', 'bytes=0-1,5-6']) expect(await part(whole)).toEqual([200, undefined, 10_000]);
    expect(await part('bytes=0-3', { 'if-range': '"other"' })).toEqual([200, undefined, 10_000]);
  });

  test('answer HEAD without a body, and no other method', async () => {
    for (const ranges of [{}, { range: 'bytes=0-3' }]) {
      const head = await ask('/', ranges, { method: 'HEAD' });
      expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '10000', 0]);
    }
    // Nothing is compressed for it.
    const br = await ask('/', { 'accept-encoding': 'br' }, { method: 'HEAD' });
    expect([br.headers['content-encoding'], br.headers['content-length']]).toEqual(['br', undefined]);
    const post = await ask('/', {}, { method: 'POST' });
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('hosts', () => {
  test('without a served domain get no handshake', async () => {
    await expect(ask('/', {}, {}, 'www.nobody.test')).rejects.toThrow();
    await expect(ask('/', {}, { servername: '' })).rejects.toThrow();
  });

  test('are served only on a connection whose handshake named them', async () => {
    await server.serve('other.edge-shop.test');
    expect((await ask('/', { host: 'other.edge-shop.test' })).status).toBe(421);
    expect((await ask('/', { host: `${HOST}:${server.httpsPort}` })).status).toBe(200);
  });

  test('of a project without a deployment are not found', async () => {
    const host = 'empty.edge-shop.test';
    const empty = { ...server.project, id: 'prj_empty', token: 'e' };
    await server.stores.projects.createProject(empty);
    await server.serve(host, undefined, empty);
    expect((await ask('/', {}, {}, host)).status).toBe(404);
  });

  test('are refused from the next request on once they are removed, even on an open connection', async () => {
    const host = 'removed.edge-shop.test';
    await server.serve(host);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await ask('/', {}, { agent }, host)).status).toBe(200);
    await server.edge.publish({ id: 'prj_other' }, async () => undefined, [host]);
    expect((await ask('/', {}, { agent }, host)).status).toBe(200);
    await server.edge.publish({ id: 'prj_1' }, async () => undefined, [host]);
    await server.edge.publish({ id: 'prj_1' }, async () => undefined, [host]);
    expect((await ask('/', {}, { agent }, host)).status).toBe(421);
    agent.destroy();
    await expect(ask('/', {}, {}, host)).rejects.toThrow();
    expect(await server.edge.isServing({ id: `dom_${host}`, host }, `development:dom_${host}`)).toBe(false);
    expect(await server.edge.isServing({ id: `dom_${HOST}`, host: HOST }, `development:dom_${HOST}`)).toBe(true);
    // With another certificate, it is not served as it should be.
    expect(await server.edge.isServing({ id: `dom_${HOST}`, host: HOST }, `development:dom_${host}`)).toBe(false);
  });

  test('refuse old TLS versions', async () => {
    const handshake = (maxVersion: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
      new Promise<string>((resolve) => {
        const socket = connect(
          {
            host: '127.0.0.1',
            port: server.httpsPort,
            servername: HOST,
            ca: server.ca,
            minVersion: 'TLSv1',
            maxVersion,
            ciphers: 'DEFAULT@SECLEVEL=0',
          },
          () => {
            resolve(socket.getProtocol() ?? '');
            socket.destroy();
          },
        );
        socket.once('error', () => resolve('refused'));
      });
    expect([await handshake('TLSv1.1'), await handshake('TLSv1.2'), await handshake('TLSv1.3')]).toEqual(['refused', 'TLSv1.2', 'TLSv1.3']);
  });
});

test('visitors with more cookies than a request may have are told so, and rid of them', async () => {
  const answer = await ask('/', { cookie: 'x'.repeat(150_000) });
  expect([answer.status, answer.headers['clear-site-data'], answer.body.toString()]).toEqual([
    431,
    '"cookies"',
    'request line and headers: too large; allowed: at most 16 KiB\n',
  ]);
});

test('what is not HTTP is refused', async () => {
  const socket = connect({ port: server.httpsPort, servername: HOST, ca: server.ca });
  socket.write('nonsense\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\nthe request is not valid HTTP\/1\.1\n$/);
});

test('what is not HTTP does not take the answer of the request before it', async () => {
  const socket = connect({ port: server.httpsPort, servername: HOST, ca: server.ca });
  socket.write(`GET /about HTTP/1.1\r\nHost: ${HOST}\r\n\r\nnonsense\r\n\r\n`);
  const answers = await text(socket);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(answers).toMatch(/\r\n\r\nabout$/);
});

describe('published files', () => {
  test('cannot be read outside their folder, whatever their names', async () => {
    const sites = createFolderSiteStore(server.folder);
    for (const name of ['../x', '/etc/passwd', 'a/../../x', 'a//b', '.', '', 'a\\b', 'a\0b']) {
      await expect(sites.put(DEPLOYMENT, name, Readable.from(['x']), 1)).rejects.toThrow('not a valid file name');
      await expect(sites.get(DEPLOYMENT, name)).rejects.toThrow('not a valid file name');
    }
    mkdirSync(join(server.folder, 'sites/prj_1/dpl_1/folder'));
    writeFileSync(join(server.folder, 'sites/prj_1/dpl_1/folder/x'), 'x');
    expect(await sites.get(DEPLOYMENT, 'folder')).toBeUndefined();
  });
});
