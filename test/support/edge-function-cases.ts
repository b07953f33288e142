// Test cases for the functions that CloudFront runs in front of its caches, shared by all runtimes in which they are tested.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Runtime, runEdgeFunction } from './edge-runtimes.ts';

export const FOLDER = join(import.meta.dirname, '../../adapters/edge');
const HOST = 'www.shop.dev';
const MAP = {
  [HOST]: 'prj_1',
  'gone.shop.dev': 'prj_1 301 www.gone.dev',
  'lost.shop.dev': 'prj_1 301 new.shop.dev',
  'old.shop.dev': `prj_1 308 ${HOST}`,
  'new.shop.dev': 'prj_2',
  prj_1: 'dpl_1',
};

/** A request, and the expected part of the response. */
type Case = readonly [name: string, request: { readonly host?: string; readonly uri: string; readonly query?: object }, expected: object];

const refused = (statusCode: number) => ({ statusCode, headers: { 'cache-control': { value: 'no-store' } } });

const VIEWER_REQUEST: readonly Case[] = [
  ['the start page', { host: HOST, uri: '/' }, { uri: '/prj_1/dpl_1/' }],
  ['a host in capitals', { host: HOST.toUpperCase(), uri: '/' }, { uri: '/prj_1/dpl_1/' }],
  ['a folder', { host: HOST, uri: '/docs/' }, { uri: '/prj_1/dpl_1/docs/' }],
  ['an encoded name', { host: HOST, uri: '/a%20b.txt' }, { uri: '/prj_1/dpl_1/a%20b.txt' }],
  ['three dots, which are a valid name', { host: HOST, uri: '/...' }, { uri: '/prj_1/dpl_1/...' }],
  ['a plus sign, which S3 would read as a space', { host: HOST, uri: '/c++.txt' }, { uri: '/prj_1/dpl_1/c%2B%2B.txt' }],
  ['other spellings of an address', { host: HOST, uri: '/%61%2fna%c3%afve' }, { uri: '/prj_1/dpl_1/a/na%C3%AFve' }],
  ['the longest name', { host: HOST, uri: `/${'%c3%a9'.repeat(497)}` }, { uri: `/prj_1/dpl_1/${'%C3%A9'.repeat(497)}` }],
  ...[
    ...['/../prj_2/dpl_2/', '/a/%2e%2E/b', '/./a', '/.%2e/a', '/..%2f..%2fprj_2/dpl_2/', '//', '/a//b', '/%ff', '/%', '/a%5cb', '/%00'],
    `/${'%c3%a9'.repeat(498)}`,
  ].map((uri): Case => [`${uri.slice(0, 30)}, which no file can have`, { host: HOST, uri }, { uri: '/prj_1/dpl_1//' }]),
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
  ['a redirect to a host that now belongs to another project', { host: 'lost.shop.dev', uri: '/' }, { uri: '/prj_1/dpl_1/' }],
  ['a host that is not in the map', { host: 'www.nobody.dev', uri: '/' }, refused(421)],
  ['no host', { uri: '/' }, refused(421)],
  ['a project without a deployment', { host: 'new.shop.dev', uri: '/' }, refused(404)],
];

const ONE_PAGE: readonly Case[] = [
  ['the start page', { uri: '/' }, { uri: '/index.html' }],
  ['an address within the application', { uri: '/projects/prj_1/domains' }, { uri: '/index.html' }],
  ['an address with a dot in a folder', { uri: '/domains/www.shop.dev/history' }, { uri: '/index.html' }],
  ['the API reference', { uri: '/docs' }, { uri: '/docs/index.html' }],
  ['the API reference as a folder', { uri: '/docs/' }, { uri: '/docs/index.html' }],
  ['a page that begins like it', { uri: '/docs-of-mine' }, { uri: '/index.html' }],
  ['a file', { uri: '/assets/index-0a1b.js' }, { uri: '/assets/index-0a1b.js' }],
];

/** Returns the source of a function. @param file its name in adapters/edge/ */
export function sourceOf(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

export const FUNCTIONS = [
  ['viewer-request.js', VIEWER_REQUEST],
  ['one-page.js', ONE_PAGE],
] as const;

/**
 * Runs every case in one runtime.
 *
 * @param codeOf returns a function's code. @default its source
 */
export function edgeFunctionSuite(runtime: Runtime, codeOf: (file: string) => string = sourceOf): void {
  describe.each(FUNCTIONS)('%s answers', (file, cases) => {
    let answers: readonly unknown[] = [];
    beforeAll(async () => {
      const events = cases.map(([, { host, uri, query = {} }]) => ({
        request: { uri, querystring: query, headers: host === undefined ? {} : { host: { value: host } } },
      }));
      answers = await runEdgeFunction(runtime, codeOf(file), events, MAP);
    });

    test.each(cases.map(([name, , expected], index) => [name, index, expected] as const))('%s', (_name, index, expected) => {
      expect(answers[index]).toMatchObject(expected);
    });
  });
}
