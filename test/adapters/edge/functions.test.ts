// The functions that CloudFront runs in front of its caches, as they are deployed, each case in Node and in CloudFront's own dialect.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { njsInstalled, RUNTIMES, type Runtime, runEdgeFunction } from '../../support/edge-runtimes.ts';
import { testFolder } from '../../support/folders.ts';

const FOLDER = join(import.meta.dirname, '../../../adapters/edge');
const HOST = 'www.shop.dev';
const MAP = {
  [HOST]: 'prj_1',
  'gone.shop.dev': 'prj_1 301 www.gone.dev',
  'lost.shop.dev': 'prj_1 301 new.shop.dev',
  'old.shop.dev': `prj_1 308 ${HOST}`,
  'new.shop.dev': 'prj_2',
  prj_1: 'dpl_1',
};

/** What is asked for, and what of the answer is expected. */
type Case = readonly [name: string, request: { readonly host?: string; readonly uri: string; readonly query?: object }, expected: object];

const refused = (statusCode: number) => ({ statusCode, headers: { 'cache-control': { value: 'no-store' } } });

const VIEWER_REQUEST: readonly Case[] = [
  ['the start page', { host: HOST, uri: '/' }, { uri: '/prj_1/dpl_1/' }],
  ['a host in capitals', { host: HOST.toUpperCase(), uri: '/' }, { uri: '/prj_1/dpl_1/' }],
  ['a folder', { host: HOST, uri: '/docs/' }, { uri: '/prj_1/dpl_1/docs/' }],
  ['an encoded name', { host: HOST, uri: '/a%20b.txt' }, { uri: '/prj_1/dpl_1/a%20b.txt' }],
  ['three dots, which are a name', { host: HOST, uri: '/...' }, { uri: '/prj_1/dpl_1/...' }],
  ...['/../prj_2/dpl_2/', '/a/%2e%2E/b', '/./a', '/.%2e/a'].map((uri): Case => [`${uri}, which leads nowhere`, { host: HOST, uri }, refused(404)]),
  [
    'a redirect, which keeps path and query',
    {
      host: 'old.shop.dev',
      uri: '/docs',
      query: { a: { value: '1', multiValue: [{ value: '1' }, { value: '%20' }] }, flag: { value: '' }, b: { value: '2' } },
    },
    { statusCode: 308, headers: { location: { value: `https://${HOST}/docs?a=1&a=%20&flag&b=2` } } },
  ],
  [
    'a redirect without a query',
    { host: 'old.shop.dev', uri: '/' },
    { statusCode: 308, headers: { location: { value: `https://${HOST}/` } }, body: `moved to ${HOST}\n` },
  ],
  ['a redirect to a host that is not served', { host: 'gone.shop.dev', uri: '/a' }, { uri: '/prj_1/dpl_1/a' }],
  ["a redirect to a host that is another project's by now", { host: 'lost.shop.dev', uri: '/' }, { uri: '/prj_1/dpl_1/' }],
  ['a host that is not in the map', { host: 'www.nobody.dev', uri: '/' }, refused(421)],
  ['no host', { uri: '/' }, refused(421)],
  ['a project that has published nothing', { host: 'new.shop.dev', uri: '/' }, refused(404)],
];

const ONE_PAGE: readonly Case[] = [
  ['the start page', { uri: '/' }, { uri: '/index.html' }],
  ['an address within the application', { uri: '/projects/prj_1/domains' }, { uri: '/index.html' }],
  ['an address with a dot in a folder', { uri: '/domains/www.shop.dev/history' }, { uri: '/index.html' }],
  ['a file', { uri: '/assets/index-0a1b.js' }, { uri: '/assets/index-0a1b.js' }],
];

const FUNCTIONS = [
  ['viewer-request.js', VIEWER_REQUEST],
  ['one-page.js', ONE_PAGE],
] as const;

test('each function of the folder is tried here', () => {
  expect(globSync('*.js', { cwd: FOLDER }).sort()).toEqual(FUNCTIONS.map(([file]) => file).sort());
});

describe.each(RUNTIMES)('in %s', (runtime: Runtime) => {
  describe.skipIf(runtime === 'njs' && !njsInstalled).each(FUNCTIONS)('%s answers', (file, cases) => {
    let answers: readonly unknown[] = [];
    beforeAll(async () => {
      const events = cases.map(([, { host, uri, query = {} }]) => ({
        request: { uri, querystring: query, headers: host === undefined ? {} : { host: { value: host } } },
      }));
      answers = await runEdgeFunction(runtime, join(FOLDER, file), events, MAP);
    });

    test.each(cases.map(([name, , expected], index) => [name, index, expected] as const))('%s', (_name, index, expected) => {
      expect(answers[index]).toMatchObject(expected);
    });
  });
});

// A newer njs may speak more than CloudFront does: then it is no judge of the dialect any longer.
test.skipIf(!njsInstalled).each([
  ['destructuring', 'const [uri] = [event.request.uri]; return uri;'],
  ['for…of', 'for (const part of [event.request.uri]) return part;'],
  ['catch without a binding', 'try { return event.request.uri; } catch { return ""; }'],
  ['optional chaining', 'return event.request?.uri;'],
])('njs takes no %s', async (_feature, body) => {
  const file = join(testFolder(), 'function.js');
  writeFileSync(file, `function handler(event) { ${body} }`);
  const event = { request: { uri: '/' } };
  expect(await runEdgeFunction('node', file, [event])).toEqual(['/']);
  await expect(runEdgeFunction('njs', file, [event])).rejects.toThrow(/SyntaxError/);
});

describe.each(FUNCTIONS)('%s', (file) => {
  const source = readFileSync(join(FOLDER, file), 'utf8');

  // CloudFront Developer Guide, "Restrictions on CloudFront Functions" and "JavaScript runtime 2.0 features".
  test('is as CloudFront wants functions', () => {
    expect(Buffer.byteLength(source)).toBeLessThan(10_240);
    expect(source).toMatch(/^[\x20-\x7e\n]*$/);
    expect([...source.matchAll(/\bfrom '([^']+)'|\brequire\(|\bimport\(/g)].filter(([, from]) => from !== 'cloudfront')).toEqual([]);
    expect(source).not.toMatch(/\beval\(|\bnew Function\b|\bset(?:Timeout|Interval|Immediate)\(|\bfetch\(|\bXMLHttpRequest\b|\bprocess\./);
    expect(source).toMatch(/^(?:async )?function handler\(event\) \{$/m);
  });
});
