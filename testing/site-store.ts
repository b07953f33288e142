// What every SiteStore must do.

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'expect';
import type { SiteFile, SiteStore } from '../core/projects/ports.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

/** Declares the suite for an adapter. @param make returns an empty store, or one in which the suite may overwrite its files; called for each test */
export function siteStoreContract(runner: TestFunction, make: Make<SiteStore>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'SiteStore contract', options, { setUp: make });
  const deployment = { id: 'dpl_contract', projectId: 'prj_contract' };
  const put = (store: SiteStore, file: string, content: Buffer) => store.put(deployment, file, Readable.from([content]), content.byteLength);
  const read = async (file: SiteFile | undefined, range?: { start: number; end: number }) => {
    const chunks: Buffer[] = [];
    for await (const chunk of file?.read(range) ?? []) chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  for (const file of ['plain.txt', 'deep/er/page.html', 'naïve file.txt', 'empty.txt'])
    test(`${file} is returned unchanged, whole and in part`, async (store) => {
      const content = file === 'empty.txt' ? Buffer.alloc(0) : randomBytes(5_000);
      await put(store, file, content);
      const found = await store.get(deployment, file);
      expect(found?.bytes).toBe(content.byteLength);
      expect(found?.etag).toMatch(/^"[^"]+"$/);
      expect(await read(found)).toEqual(content);
      if (content.byteLength > 0) expect(await read(found, { start: 10, end: 19 })).toEqual(content.subarray(10, 20));
    });

  test('a missing file is not found, nor is a file of another deployment', async (store) => {
    await put(store, 'mine.txt', Buffer.from('mine'));
    expect(await store.get(deployment, 'other.txt')).toBeUndefined();
    expect(await store.get({ ...deployment, id: 'dpl_other' }, 'mine.txt')).toBeUndefined();
  });

  test('a file whose source fails is not stored', async (store) => {
    const source = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('the source is gone');
      })(),
    );
    await expect(store.put(deployment, 'half.txt', source, 8)).rejects.toThrow('the source is gone');
    expect(await store.get(deployment, 'half.txt')).toBeUndefined();
  });

  for (const file of ['../escape.txt', '/absolute.txt', 'a/../b.txt', ''])
    test(`${JSON.stringify(file)} is not a valid file name`, async (store) => {
      await expect(put(store, file, Buffer.from('x'))).rejects.toThrow('not a valid file name');
    });

  test('a file name longer than 994 bytes is not valid, as no key in S3 could contain it', async (store) => {
    await expect(put(store, 'é'.repeat(498), Buffer.from('x'))).rejects.toThrow('not a valid file name');
  });
}
