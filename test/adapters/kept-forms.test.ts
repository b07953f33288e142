// Compressed forms in the data folder: how often a file is compressed, and what is left on the disk.

import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { createKeptForms, type KeptForm } from '../../adapters/sites/kept-forms.ts';
import { sweepForms } from '../../adapters/sites/sweep.ts';
import { NOON } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';

const FIRST = { projectId: 'prj_1', id: 'dpl_1' };
const TEXT = 'a line of text\n'.repeat(10_000);

let folder: string;
let now: number;
let reads: number;
const onFault = vi.fn();

beforeEach(() => {
  folder = testFolder();
  now = NOON;
  reads = 0;
  onFault.mockClear();
});

const open = (bounds: { readonly most?: number; readonly leastFree?: number } = {}) =>
  createKeptForms(folder, { clock: () => now, onFault, ...bounds });
const fileOf = (content: string) => ({
  read: () => {
    reads += 1;
    return Readable.from([Buffer.from(content)]);
  },
});
const brOf = async (form: KeptForm | undefined) => form && brotliDecompressSync(await buffer(form.read())).toString();
const kept = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

test('a file is compressed once: for all visitors, and after a restart', async () => {
  const before = open();
  const visitors = await Promise.all(Array.from({ length: 20 }, () => before.open(FIRST, 'a.txt', fileOf(TEXT), 'br')));
  expect(await Promise.all(visitors.map(brOf))).toEqual(Array(20).fill(TEXT));
  const form = await open().open(FIRST, 'a.txt', fileOf(TEXT), 'br');
  const compressed = form && (await buffer(form.read()));
  expect(compressed).toHaveLength(form?.bytes ?? 0);
  expect([reads, kept().length]).toEqual([1, 1]);
});

test('projects, deployments, names and encodings have their own forms', async () => {
  const forms = open();
  const places = [FIRST, { projectId: 'prj_1', id: 'dpl_2' }, { projectId: 'prj_2', id: 'dpl_1' }].flatMap((deployment) =>
    ['a', 'a.br', 'a/b'].map((name) => [deployment, name, JSON.stringify([deployment, name])] as const),
  );
  for (const _ of ['made', 'found'])
    for (const [deployment, name, content] of places) {
      expect(await brOf(await forms.open(deployment, name, fileOf(content), 'br'))).toBe(content);
      const gzip = await forms.open(deployment, name, fileOf(content), 'gzip');
      expect(gzip && gunzipSync(await buffer(gzip.read())).toString()).toBe(content);
    }
  expect(reads).toBe(2 * places.length);
});

test('few files are compressed or wait for it: more visitors than that get theirs as it is', async () => {
  const forms = open();
  const opened = await Promise.all(Array.from({ length: 6 }, (_, n) => forms.open(FIRST, `${n}.txt`, fileOf(TEXT), 'br')));
  const [first, ...others] = await Promise.all(opened.map(brOf));
  expect([first, ...others].filter((text) => text === TEXT)).toHaveLength(4);
  expect(await brOf(await forms.open(FIRST, '5.txt', fileOf(TEXT), 'br'))).toBe(TEXT);
});

test('a failure is reported, leaves nothing behind, and is not repeated for a minute', async () => {
  const forms = open();
  const broken = {
    read: () => {
      reads += 1;
      return Readable.from(
        (function* () {
          yield Buffer.from(TEXT);
          throw new Error('the disk failed');
        })(),
      );
    },
  };
  for (let times = 0; times < 3; times += 1) expect(await forms.open(FIRST, 'a.txt', broken, 'br')).toBeUndefined();
  expect([reads, kept(), onFault.mock.calls.length]).toEqual([1, [], 1]);
  now += 60_000;
  expect(await brOf(await forms.open(FIRST, 'a.txt', fileOf(TEXT), 'br'))).toBe(TEXT);
});

test('all forms together have a bound: those that were made first go first', async () => {
  const forms = open({ most: 10_000 });
  const names = new Set<string>();
  // Does not get smaller than half.
  const contents = Array.from({ length: 8 }, (_, n) => Array.from({ length: 1_000 }, (_, k) => ((n + 1) * (k + 7) * 2_654_435_761) % 1e9).join(' '));
  for (const [n, content] of contents.entries()) {
    const form = await forms.open(FIRST, `${n}`, fileOf(content), 'br');
    expect(await brOf(form)).toBe(content);
    for (const { parentPath, name } of kept())
      if (!names.has(name)) {
        names.add(name);
        utimesSync(join(parentPath, name), n, n);
      }
  }
  const left = new Set(kept().map(({ name }) => name));
  expect(left.size).toBeLessThan(4);
  expect([...names].filter((name) => left.has(name))).toEqual([...names].slice(-left.size));
});
test('the last space on the disk is left for others', async () => {
  const forms = open({ leastFree: Number.POSITIVE_INFINITY });
  for (let times = 0; times < 2; times += 1) expect(await forms.open(FIRST, 'a.txt', fileOf(TEXT), 'br')).toBeUndefined();
  expect([reads, kept()]).toEqual([0, []]);
  expect(onFault).not.toHaveBeenCalled();
});

describe('the sweep', () => {
  test('removes the forms of deployments that are gone, and what a power cut has left of one', async () => {
    const forms = open();
    for (const id of ['dpl_1', 'dpl_2']) await brOf(await forms.open({ ...FIRST, id }, 'a.txt', fileOf(TEXT), 'br'));
    await createFolderSiteStore(folder).put(FIRST, 'a.txt', Readable.from([TEXT]), TEXT.length);
    const left = join(folder, 'compressed', 'prj_1', 'dpl_1');
    for (const name of ['old.br.partial', 'new.br.partial']) writeFileSync(join(left, name), 'half');
    utimesSync(join(left, 'old.br.partial'), NOON / 1_000 - 3_601, NOON / 1_000 - 3_601);
    utimesSync(join(left, 'new.br.partial'), NOON / 1_000, NOON / 1_000);
    mkdirSync(join(folder, 'compressed', 'prj_2', 'dpl_9'), { recursive: true });
    await sweepForms(folder, NOON);
    expect(readdirSync(join(folder, 'compressed', 'prj_1'))).toEqual(['dpl_1']);
    expect(readdirSync(left)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.br$/), 'new.br.partial'].toSorted());
    expect(readdirSync(join(folder, 'compressed', 'prj_2'))).toEqual([]);
    expect(await brOf(await open().open(FIRST, 'a.txt', fileOf(TEXT), 'br'))).toBe(TEXT);
    expect(reads).toBe(2);
  });
});
