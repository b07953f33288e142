// Files that are held in memory: what is asked of storage, and how many bytes there are at most.

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { brotliDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { holdFiles, type SiteAnswer } from '../../../adapters/edge/held-files.ts';
import type { KeptForms } from '../../../adapters/sites/kept-forms.ts';
import type { DeploymentName, SiteStore } from '../../../core/projects/ports.ts';

const MEBIBYTE = 2 ** 20;
const FIRST = { projectId: 'prj_1', id: 'dpl_1' };

/** Files by project, deployment and name. */
let stored: Map<string, string>;
let reads: string[];
let sites: Pick<SiteStore, 'get'>;

/** None of these files is so large that its forms are kept. */
const forms: KeptForms = { open: () => Promise.reject(new Error('not a large file')) };

beforeEach(() => {
  stored = new Map();
  reads = [];
  sites = {
    get: async ({ projectId, id }, name) => {
      const content = stored.get(`${projectId} ${id} ${name}`);
      if (content === undefined) return undefined;
      const read = () => {
        reads.push(name);
        return Readable.from([Buffer.from(content)]);
      };
      return { bytes: Buffer.byteLength(content), etag: `"${id}"`, read };
    },
  };
});

const store = (files: Readonly<Record<string, string>>, { projectId, id }: DeploymentName = FIRST) => {
  for (const [name, content] of Object.entries(files)) stored.set(`${projectId} ${id} ${name}`, content);
};
const textOf = (answer: SiteAnswer | undefined) => answer?.content?.toString();

test('a file is read once, also for all who ask at the same time', async () => {
  store({ 'index.html': 'page' });
  const held = holdFiles(sites, forms);
  const answers = await Promise.all(['/', '/', '/'].map((path) => held.find(FIRST, path)));
  expect(answers.map(textOf)).toEqual(['page', 'page', 'page']);
  stored.clear();
  // At once: not a promise.
  expect(held.find(FIRST, '/')).toMatchObject({ status: 200, name: 'index.html', type: 'text/html; charset=utf-8' });
  expect(reads).toEqual(['index.html']);
});

test('projects and deployments have their own files', async () => {
  const others = [
    { projectId: 'prj_1', id: 'dpl_2' },
    { projectId: 'prj_2', id: 'dpl_1' },
    { projectId: 'prj_1', id: 'dpl_1x' },
  ];
  const held = holdFiles(sites, forms);
  for (const each of [FIRST, ...others]) store({ 'index.html': JSON.stringify(each) }, each);
  for (const _ of ['read', 'held']) for (const each of [FIRST, ...others]) expect(textOf(await held.find(each, '/'))).toBe(JSON.stringify(each));
});

test('paths that mean the same are one, and a malformed path is none of them', async () => {
  store({ '%zz.txt': 'odd', 'a b.txt': 'spaced' });
  const held = holdFiles(sites, forms);
  for (const path of ['/a%20b.txt', '/a b.txt', '/%61%20b.txt']) expect(textOf(await held.find(FIRST, path))).toBe('spaced');
  expect(reads).toEqual(['a b.txt']);
  expect(textOf(await held.find(FIRST, '/%25zz.txt'))).toBe('odd');
  expect(await held.find(FIRST, '/%zz.txt')).toBeUndefined();
});

describe('bytes', () => {
  test('are bounded: what was asked for longest ago is read again', async () => {
    store({ a: 'a'.repeat(40_000), b: 'b'.repeat(40_000), c: 'c'.repeat(40_000) });
    const held = holdFiles(sites, forms, 100_000);
    for (const path of ['/a', '/b', '/a', '/c', '/a', '/b']) await held.find(FIRST, path);
    expect(reads).toEqual(['a', 'b', 'c', 'b']);
  });

  test('are not used up by missing paths, however many', async () => {
    store({ 'index.html': 'page', '404.html': 'not here' });
    const held = holdFiles(sites, forms, 10_000);
    await held.find(FIRST, '/');
    for (let n = 0; n < 1_000; n += 1) expect(await held.find(FIRST, `/missing-${n}`)).toMatchObject({ status: 404, name: '404.html' });
    expect(held.find(FIRST, '/')).toMatchObject({ name: 'index.html' });
    expect(reads).toEqual(['index.html', '404.html']);
  });

  test('include compressed forms', async () => {
    // Compressed, it is half as long.
    const text = randomBytes(10_000).toString('hex');
    store({ 'a.txt': text, 'b.txt': 'b' });
    const held = holdFiles(sites, forms, 30_000);
    await held.find(FIRST, '/b.txt');
    const answer = await held.find(FIRST, '/a.txt');
    if (answer?.content === undefined) throw new Error('not held');
    await held.form(answer, 'gzip', true);
    await held.find(FIRST, '/b.txt');
    expect(reads).toEqual(['b.txt', 'a.txt', 'b.txt']);
  });

  test('of a large file are left in storage', async () => {
    store({ small: 's'.repeat(MEBIBYTE), large: 'l'.repeat(MEBIBYTE + 1) });
    const held = holdFiles(sites, forms);
    expect((await held.find(FIRST, '/small'))?.content).toHaveLength(MEBIBYTE);
    expect(await held.find(FIRST, '/large')).toMatchObject({ name: 'large', content: undefined });
    expect(reads).toEqual(['small']);
  });

  test('of files that are being read are bounded, too', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `${n}.txt`);
    store(Object.fromEntries(names.map((name) => [name, name])));
    const held = holdFiles(sites, forms);
    const answers = await Promise.all(names.map((name) => held.find(FIRST, `/${name}`)));
    expect(answers.map(textOf)).toEqual([...names.slice(0, 16), ...Array(4).fill(undefined)]);
  });
});

test('a file is compressed once in each encoding', async () => {
  store({ 'index.html': 'page '.repeat(1_000) });
  const held = holdFiles(sites, forms);
  const answer = await held.find(FIRST, '/');
  if (answer?.content === undefined) throw new Error('not held');
  const form = held.form(answer, 'br', true);
  expect(held.form(answer, 'br', true)).toBe(form);
  expect(brotliDecompressSync((await form) as Buffer).toString()).toBe('page '.repeat(1_000));
  expect((await held.find(FIRST, '/'))?.forms).toEqual({ br: form });
});

test('a failure is not held', async () => {
  const { get } = sites;
  sites = { get: () => Promise.reject(new Error('the disk failed')) };
  const held = holdFiles({ get: (deployment, name) => sites.get(deployment, name) }, forms);
  await expect(held.find(FIRST, '/')).rejects.toThrow('the disk failed');
  sites = { get };
  store({ 'index.html': 'page' });
  expect(textOf(await held.find(FIRST, '/'))).toBe('page');
});
