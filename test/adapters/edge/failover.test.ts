// What CloudFront's failover function answers, apart from what visitors see in test/integration/edge/site-serving.test.ts.

import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFailover } from '../../../adapters/edge/failover.ts';
import { siteFilesFor } from '../../../core/projects/manifest.ts';
import { StoreFault } from '../../../core/refusal.ts';
import { failoverSettings, parseEnvironment } from '../../../platforms/aws/function-settings.ts';
import { sourceOf } from '../../support/edge-function-cases.ts';
import { runEdgeFunction } from '../../support/edge-runtimes.ts';

const LARGE = 4_500_001;
let files: Record<string, number>;
let read: string[];
let faults: unknown[];

beforeEach(() => {
  files = { '404.html': 9, 'docs/index.html': 4, 'film.mp4': LARGE };
  read = [];
  faults = [];
});

const answer = createFailover(
  {
    get: async ({ projectId, id }, name) => {
      if (projectId === 'prj_faulty') throw new StoreFault('unavailable', 'S3 is away');
      const bytes = files[name];
      if (bytes === undefined || id !== 'dpl_1') return undefined;
      const open = () => {
        read.push(name);
        return Readable.from([Buffer.alloc(bytes, 'x')]);
      };
      return { bytes, etag: '"e"', read: open };
    },
  },
  (error) => faults.push(error),
);
const get = (path: string, method = 'GET') => answer({ method, path, headers: {} });

describe('the failover function', () => {
  test('sends a file that exists, as S3 has failed, or the deployment has no short address for it', async () => {
    expect(await get('/prj_1/dpl_1/docs/index')).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': expect.stringContaining('s-maxage=31536000'), etag: '"e"' },
      body: Buffer.from('xxxx').toString('base64'),
      isBase64Encoded: true,
    });
  });

  test('asks to try again for a file that is too large for a response of Lambda, and replaces such a 404.html', async () => {
    expect(await get('/prj_1/dpl_1/film.mp4')).toMatchObject({ statusCode: 503, headers: { 'retry-after': '1', 'cache-control': 'no-store' } });
    files['404.html'] = LARGE;
    expect(await get('/prj_1/dpl_1/missing')).toMatchObject({ statusCode: 404, body: 'no such page\n' });
    expect(read).toEqual([]);
  });

  test('reads no file for HEAD', async () => {
    expect(await get('/prj_1/dpl_1/missing', 'HEAD')).toMatchObject({ statusCode: 404, body: '' });
    expect(read).toEqual([]);
  });

  test.each(['/', '/prj_1', '/prj_1/dpl_1', '//dpl_1/x', ''])('%j is in no deployment', async (path) => {
    expect(await get(path)).toMatchObject({ statusCode: 404, body: 'no such page\n', headers: { 'cache-control': 'no-store' } });
  });

  test('reports faults of the store, and answers them', async () => {
    expect(await get('/prj_faulty/dpl_1/x')).toMatchObject({ statusCode: 503, body: 'temporarily unavailable; try again\n' });
    expect(String(faults[0])).toContain('S3 is away');
  });

  test('has no default settings', () => {
    expect(() => parseEnvironment(failoverSettings, {})).toThrow(/SITES_BUCKET[\s\S]*SERVICE_NAME/);
  });
});

test('the function in front of the cache lets through exactly the paths that can have a file', async () => {
  const segment = fc.oneof(
    fc.constantFrom('', '.', '..', '%2e', '%2E%2e', '%2f', '%5c', '%', '%ff', '%00', '+', 'a%20b', 'é', '%C3%A9', 'index.html', 'a'.repeat(500)),
    fc.string({ maxLength: 6 }),
    fc.string({ maxLength: 6 }).map(encodeURIComponent),
  );
  const paths = fc.sample(
    fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/').replace(/[?#]/g, '')}`),
    500,
  );
  const map = { 'www.shop.dev': 'prj_1', prj_1: 'dpl_1' };
  const events = paths.map((uri) => ({ request: { uri, querystring: {}, headers: { host: { value: 'www.shop.dev' } } } }));
  const results = (await runEdgeFunction('node', sourceOf('viewer-request.js'), events, map)) as { uri: string }[];
  for (const [index, path] of paths.entries()) {
    const sent = results[index]?.uri.replace('/prj_1/dpl_1', '') ?? '';
    expect([path, sent === '//'], path).toEqual([path, siteFilesFor(path).length === 0]);
    if (sent === '//') continue;
    // S3 finds the same file as one machine: it decodes the path, and a plus sign as a space.
    expect(siteFilesFor(sent)).toEqual(siteFilesFor(path));
    expect(sent).not.toContain('+');
  }
});
