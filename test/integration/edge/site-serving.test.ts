// A project's files as visitors get them: one suite for both hosts. What differs is listed in docs/reference/hosts.md.

import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Asked, type AwsWorld, HOST, OLD_HOST, type SiteWorld, startAws, startMachine } from '../../support/site-worlds.ts';

const LONG = 'page '.repeat(2_000);
const MISSING = `<h1>Not here</h1>${' '.repeat(1_000)}`;
const FILES = {
  '404.html': MISSING,
  'about.html': 'about',
  'assets/site.css': 'a {}\n'.repeat(400),
  'c++.txt': 'plus',
  'docs.html': 'page of docs',
  'docs/index.html': 'folder of docs',
  'empty.txt': '',
  'index.html': LONG,
  'just-999.txt': 'x'.repeat(999),
  'just-1000.txt': 'x'.repeat(1_000),
  'naïve & 100%.txt': 'odd name',
  'photo.png': randomBytes(5_000),
  'shop/index.html': 'shop',
};
const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

const HOSTS: readonly (readonly [string, () => Promise<SiteWorld>])[] = [
  ['one machine', startMachine],
  ['AWS', startAws],
];

/** No answer contains internal ids or S3's errors. */
async function askIn(world: SiteWorld, path: string, asked?: Asked): Promise<Answer> {
  const answer = await world.ask(path, asked);
  const seen = JSON.stringify(answer.headers) + answer.body.toString('latin1');
  for (const secret of world.secrets) expect(seen).not.toContain(secret);
  expect(seen).not.toContain('<Error>');
  return answer;
}

describe.each(HOSTS)('a site on %s', (_name, start) => {
  let world: SiteWorld;

  beforeAll(async () => {
    world = await start();
    await world.deploy(FILES);
  });

  afterAll(() => world.stop());

  const ask = (path: string, asked?: Asked) => askIn(world, path, asked);
  const strong = (etag: string | undefined) => etag?.replace('W/', '');
  const withHeaders = (headers: Readonly<Record<string, string>>) => ({ headers });

  test.each([
    ['/', LONG, HTML],
    ['/index.html', LONG, HTML],
    ['/index', LONG, HTML],
    ['/about.html', 'about', HTML],
    ['/about', 'about', HTML],
    ['/docs', 'page of docs', HTML],
    ['/docs/', 'folder of docs', HTML],
    ['/docs/index', 'folder of docs', HTML],
    ['/shop', 'shop', HTML],
    ['/shop/', 'shop', HTML],
    ['/shop/index.html', 'shop', HTML],
    ['/empty.txt', '', TEXT],
    ['/c++.txt', 'plus', TEXT],
    ['/c%2b%2b.txt', 'plus', TEXT],
    ['/na%C3%AFve%20%26%20100%25.txt', 'odd name', TEXT],
    ['/na%c3%afve%20&%20100%25.txt', 'odd name', TEXT],
    ['/shop%2Findex.html', 'shop', HTML],
    ['/%61bout', 'about', HTML],
  ])('%s is a page', async (path, body, type) => {
    const answer = await ask(path);
    expect([answer.status, answer.body.toString(), answer.headers['content-type']]).toEqual([200, body, type]);
    expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'strict-transport-security': 'max-age=31536000' });
    expect(answer.headers['cache-control']).toMatch(/^public, max-age=0, (s-maxage=\d+, )?must-revalidate$/);
    const head = await ask(path, { method: 'HEAD' });
    expect([head.status, head.headers['content-type'], head.headers['content-length'], head.body.length]).toEqual([
      ...[200, type, String(Buffer.byteLength(body)), 0],
    ]);
  });

  test.each(
    [
      '/missing',
      '/shop/missing/deeper',
      '/about/',
      '/index.html/',
      '/docs/index.html/x',
      '//',
      '/shop//index.html',
      '//index.html',
      '/../development-ca.key',
      '/shop/../about',
      '/./about',
      '/%2e%2e/%2e%2e/about',
      '/..%2f..%2fabout',
      '/shop%2f..%2fabout',
      '/shop%5Cindex.html',
      '/%00',
      '/a%0Ab',
      '/%ff',
      '/%',
      '/100%.txt',
      '/%zz',
      `/${'a'.repeat(994)}`,
      `/${'a'.repeat(2_000)}`,
      `/${'%C3%A9'.repeat(1_000)}`,
    ].map((path) => [path.slice(0, 30), path] as const),
  )("%s is missing, and answered with the project's page", async (_start, path) => {
    const answer = await ask(path);
    expect([answer.status, answer.body.toString(), answer.headers['content-type']]).toEqual([404, MISSING, HTML]);
    expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'strict-transport-security': 'max-age=31536000' });
    expect(answer.headers['cache-control']).toMatch(/^public, max-age=0, (s-maxage=\d+, )?must-revalidate$/);
    const head = await ask(path, { method: 'HEAD' });
    expect([head.status, head.headers['content-type'], head.body.length]).toEqual([404, HTML, 0]);
  });

  test('the page for missing files is whole, whatever is requested of it', async () => {
    for (const headers of [{ range: 'bytes=0-3' }, { range: 'bytes=90000-' }, { 'if-none-match': '*' }, { 'if-none-match': '"any"' }]) {
      const answer = await ask('/missing', withHeaders(headers));
      expect([answer.status, answer.body.toString(), answer.headers.etag]).toEqual([404, MISSING, undefined]);
    }
    const { status, headers, body } = await ask('/missing', withHeaders({ 'accept-encoding': 'br' }));
    expect([status, headers['content-encoding'], brotliDecompressSync(body).toString()]).toEqual([404, 'br', MISSING]);
    expect(await ask('/404.html')).toMatchObject({ status: 200, body: Buffer.from(MISSING) });
    expect(await ask('/404')).toMatchObject({ status: 200, body: Buffer.from(MISSING) });
  });

  test.each([
    ['/', 'gzip, deflate, br', 'br'],
    ['/', 'gzip', 'gzip'],
    ['/', 'identity', undefined],
    ['/', 'deflate', undefined],
    ['/assets/site.css', 'br', 'br'],
    ['/just-1000.txt', 'br', 'br'],
    ['/just-999.txt', 'br', undefined],
    ['/about', 'br', undefined],
    ['/photo.png', 'br', undefined],
  ])('%s for %s is compressed with %s', async (path, accepted, encoding) => {
    const plain = await ask(path);
    const { headers, body } = await ask(path, withHeaders({ 'accept-encoding': accepted }));
    expect(headers['content-encoding']).toBe(encoding);
    const content = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;
    expect(content).toEqual(plain.body);
    if (encoding !== undefined) {
      expect(headers.vary).toBe('Accept-Encoding');
      // Not the same bytes, so not the same strong validator.
      expect(headers.etag).not.toBe(plain.headers.etag);
    }
  });

  test.each(['', 'br', 'gzip'])('an unchanged page is not sent again: Accept-Encoding %j', async (accepted) => {
    const encoding = accepted === '' ? {} : { 'accept-encoding': accepted };
    const { headers } = await ask('/', withHeaders(encoding));
    expect(headers.etag).toMatch(/^(W\/)?"[^"]+"$/);
    for (const validator of [String(headers.etag), `"other", ${headers.etag}`]) {
      const again = await ask('/', withHeaders({ ...encoding, 'if-none-match': validator }));
      // CloudFront's validators are weak or strong, depending on what it has in its cache.
      expect([again.status, again.body.length, strong(again.headers.etag)]).toEqual([304, 0, strong(headers.etag)]);
    }
    const changed = await ask('/', withHeaders({ ...encoding, 'if-none-match': '"other"' }));
    expect(changed.status).toBe(200);
  });

  test.each([
    ['bytes=0-3', 206, 'bytes 0-3/10000', 4],
    ['bytes=9990-', 206, 'bytes 9990-9999/10000', 10],
    ['bytes=9999-20000', 206, 'bytes 9999-9999/10000', 1],
    ['bytes=-5', 206, 'bytes 9995-9999/10000', 5],
    ['bytes=-20000', 206, 'bytes 0-9999/10000', 10_000],
    ['bytes=5-2', 200, undefined, 10_000],
    ['bytes=-', 200, undefined, 10_000],
    ['items=0-1', 200, undefined, 10_000],
  ])('the range %s', async (range, status, content, length) => {
    for (const accepted of ['identity', 'br']) {
      if (status === 200 && accepted === 'br') continue;
      const answer = await ask('/', withHeaders({ range, 'accept-encoding': accepted }));
      expect([answer.status, answer.headers['content-range'], answer.body.length]).toEqual([status, content, length]);
      expect(answer.headers['content-encoding']).toBeUndefined();
    }
  });

  test.each([
    ['/', 'bytes=10000-', 'bytes */10000'],
    ['/', 'bytes=10000-10001', 'bytes */10000'],
    ['/', 'bytes=-0', 'bytes */10000'],
    ['/empty.txt', 'bytes=0-', 'bytes */0'],
  ])('%s has no range %s', async (path, range, content) => {
    const answer = await ask(path, withHeaders({ range }));
    expect([answer.status, answer.headers['content-range'], answer.body.toString()]).toEqual([416, content, 'no such range\n']);
    expect(answer.headers).toMatchObject({ 'content-type': TEXT, 'cache-control': 'no-store' });
  });

  test('If-Range: a part only of the file that the client knows', async () => {
    const { etag = '' } = (await ask('/')).headers;
    const part = async (condition: string, range = 'bytes=0-3') => {
      const { status, body } = await ask('/', withHeaders({ range, 'if-range': condition }));
      return [status, body.length];
    };
    expect(await part(etag)).toEqual([206, 4]);
    expect(await part('"other"')).toEqual([200, 10_000]);
    // A weak validator does not identify bytes (RFC 9110, section 13.1.5).
    expect(await part(`W/${etag}`)).toEqual([200, 10_000]);
    expect(await part('"other"', 'bytes=90000-')).toEqual([200, 10_000]);
  });
});

describe.each(HOSTS)('a site that changes on %s', (_name, start) => {
  let world: SiteWorld;

  beforeEach(async () => {
    world = await start();
    await world.deploy(FILES);
  });

  afterEach(() => world.stop());

  const ask = (path: string, asked?: Asked) => askIn(world, path, asked);

  test('a redirect keeps the address, and is not stored', async () => {
    await world.redirect({ from: OLD_HOST, to: HOST, status: 308 });
    for (const path of ['/', '/docs/a%20b', '/..%2f']) {
      const answer = await ask(path, { host: OLD_HOST });
      expect([answer.status, answer.headers.location, answer.body.toString()]).toEqual([308, `https://${HOST}${path}`, `moved to ${HOST}\n`]);
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'strict-transport-security': 'max-age=31536000' });
    }
    const head = await ask('/', { host: OLD_HOST, method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([308, 0]);
  });

  test('a failure of the storage is neither a missing page nor an internal message', async () => {
    world.failStorage(true);
    for (const path of ['/', '/missing']) {
      const answer = await ask(path);
      expect([answer.status, answer.body.toString()]).toEqual([503, 'temporarily unavailable; try again\n']);
      expect(answer.headers).toMatchObject({ 'content-type': TEXT, 'cache-control': 'no-store', 'retry-after': '1' });
    }
    world.failStorage(false);
  });

  test('without a 404.html there is a short text, and a new deployment is visible at once', async () => {
    await world.deploy({ 'index.html': 'new' });
    expect((await ask('/')).body.toString()).toBe('new');
    const answer = await ask('/missing');
    expect([answer.status, answer.body.toString(), answer.headers['content-type']]).toEqual([404, 'no such page\n', TEXT]);
    expect(answer.headers['cache-control']).toMatch(/^public, max-age=0, (s-maxage=\d+, )?must-revalidate$/);
    expect((await ask('/missing', { method: 'HEAD' })).status).toBe(404);
    await world.deploy({ 'index.html': 'newer', '404.html': 'gone' });
    expect((await ask('/missing')).body.toString()).toBe('gone');
  });
});

describe('on AWS', () => {
  let world: AwsWorld;

  beforeAll(async () => {
    world = await startAws();
    await world.deploy(FILES);
  });

  afterAll(() => world.stop());

  test('a missing page costs one call a day, a fault is forgotten after a second', async () => {
    for (const _ of ['first', 'second']) expect((await world.ask('/missing')).status).toBe(404);
    expect(world.failovers()).toBe(1);
    world.wait(86_400);
    await world.ask('/missing');
    expect(world.failovers()).toBe(2);
    world.failStorage(true);
    expect((await world.ask('/about')).status).toBe(503);
    world.failStorage(false);
    expect((await world.ask('/about')).status).toBe(503);
    world.wait(1);
    expect((await world.ask('/about')).status).toBe(200);
  });
});
