// What the dashboard publishes of what was chosen: names, the common folder, hidden files, the plan's limits, and zips.

import { type AsyncZippable, strToU8, zipSync } from 'fflate';
import { describe, expect, test, vi } from 'vitest';
import { PLANS } from '../../core/access/plans.ts';
import { type LocalFile, UnreadableFile } from '../../core/publishing/progress.ts';
import { checkSelection, selectionOf } from '../../dashboard/src/publish/site-files.ts';
import { readZip } from '../../dashboard/src/publish/zip.ts';

const file = (name: string, bytes = 1): LocalFile => ({ name, bytes, read: async () => new Blob(['x'.repeat(bytes)]) });
const select = (...names: readonly string[]) => selectionOf(names.map((name) => file(name)));
const namesOf = (...names: readonly string[]) => select(...names).files.map(({ name }) => name);

describe('a selection', () => {
  test.each([
    ['a folder', ['dist/index.html', 'dist/a/b.js'], ['a/b.js', 'index.html'], 'dist'],
    ['a folder in which everything is in one folder', ['dist/docs/index.html', 'dist/docs/a.css'], ['docs/a.css', 'docs/index.html'], 'dist'],
    ['single files', ['index.html', 'a.css'], ['a.css', 'index.html'], undefined],
    ['two folders', ['a/index.html', 'b/index.html'], ['a/index.html', 'b/index.html'], undefined],
    ['a folder and a file', ['a/index.html', 'index.html'], ['a/index.html', 'index.html'], undefined],
    ['folders whose names begin alike', ['ab/x', 'a/x'], ['a/x', 'ab/x'], undefined],
    ['.well-known alone', ['.well-known/security.txt'], ['.well-known/security.txt'], undefined],
    ['a hidden folder that was chosen', ['.output/index.html', '.output/.env'], ['index.html'], '.output'],
    ['a folder beside hidden files', ['.DS_Store', 'site/index.html', '__MACOSX/site/._index.html'], ['index.html'], 'site'],
    ['nothing', [], [], undefined],
  ])('of %s', (_, found, names, folder) => {
    const selection = select(...found);
    expect([selection.files.map(({ name }) => name), selection.folder]).toEqual([names, folder]);
    expect(selection.skipped).toBe(found.length - names.length);
  });

  test('leaves hidden files out, and nothing else', () => {
    expect(namesOf('s/index.html', 's/.env', 's/.git/config', 's/a/.htaccess', 's/.well-known/x', 's/a.b', 's/ä b+c.txt', 's/Thumbs.db')).toEqual([
      '.well-known/x',
      'Thumbs.db',
      'a.b',
      'index.html',
      'ä b+c.txt',
    ]);
  });

  test.each([['/etc/a', '/etc/b'], ['../a', '../b'], ['./a', './b'], ['a\\b'], ['s/a', 's//b'], ['s/a', 's/../b']])(
    'with a path that leads out is refused: %s, %s',
    (...names) => {
      const { problems } = checkSelection(select(...names), PLANS.pro.deployment);
      expect(problems.join('\n')).toContain('invalid file name');
    },
  );

  test("is checked against the plan's limits, and for a page", () => {
    const limits = { files: 3, fileBytes: 10, bytes: 20 };
    const check = (...files: readonly LocalFile[]) => checkSelection(selectionOf(files), limits);
    expect(check(file('index.html', 10), file('a', 10))).toEqual({ problems: [], warning: undefined });
    expect(check(file('a/index.html'), file('b')).warning).toContain('no index.html');
    expect(check(file('index.html', 11)).problems).toEqual([expect.stringContaining('index.html: 0.0 MiB; allowed')]);
    expect(check(file('index.html', 10), file('a', 10), file('b', 1)).problems).toEqual([expect.stringContaining('in total; allowed')]);
    expect(check(file('index.html'), file('a'), file('b'), file('c')).problems).toEqual(['4 files; allowed: at most 3 on this plan']);
    expect(check().problems).toEqual([expect.stringContaining('nothing to publish')]);
    expect(check(file('.env')).problems).toEqual(['only hidden files were found']);
  });
});

describe('a zip', () => {
  const zipOf = (content: AsyncZippable) => new Uint8Array(zipSync(content as Parameters<typeof zipSync>[0]));
  const list = (zip: Uint8Array<ArrayBuffer>) => readZip(new Blob([zip]));
  const contentOf = async (files: readonly LocalFile[]) =>
    Object.fromEntries(await Promise.all(files.map(async ({ name, read }) => [name, await (await read()).text()])));
  /** Changes bytes in both headers of the first entry. */
  function changed(zip: Uint8Array<ArrayBuffer>, change: (view: DataView, at: { local: number; central: number }) => void): Uint8Array<ArrayBuffer> {
    const copy = zip.slice();
    const view = new DataView(copy.buffer);
    change(view, { local: 0, central: view.getUint32(copy.byteLength - 6, true) });
    return copy;
  }
  const failure = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(UnreadableFile);
    return (error as Error).message;
  };
  const countingStream = (Stream: typeof DecompressionStream, count: (bytes: number) => void) =>
    class {
      readonly readable;
      readonly writable;
      constructor(format: 'deflate-raw') {
        const { readable, writable } = new Stream(format);
        const counter = new TransformStream<Uint8Array, Uint8Array>({
          transform: (chunk, controller) => {
            count(chunk.byteLength);
            controller.enqueue(chunk);
          },
        });
        this.readable = readable.pipeThrough(counter);
        this.writable = writable;
      }
    };
  const page = strToU8('<h1>Hello</h1>'.repeat(100));

  test('has files, packed or not, with names in UTF-8; folders are no files', async () => {
    const files = await list(
      zipOf({ 'site/': new Uint8Array(), 'site/index.html': page, 'site/ä b.txt': [strToU8('text'), { level: 0 }], empty: new Uint8Array() }),
    );
    expect(files.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['site/index.html', 1_400],
      ['site/ä b.txt', 4],
      ['empty', 0],
    ]);
    expect(await contentOf(files)).toEqual({ 'site/index.html': '<h1>Hello</h1>'.repeat(100), 'site/ä b.txt': 'text', empty: '' });
  });

  test('may have names in UTF-8 without saying so, and in code page 437', async () => {
    const name = (bytes: readonly number[]) =>
      changed(zipOf({ 'ab.txt': page }), (view, { local, central }) => {
        for (const [index, byte] of bytes.entries()) for (const at of [local + 30, central + 46]) view.setUint8(at + index, byte);
      });
    expect((await list(name([0xc3, 0xa4])))[0]?.name).toBe('ä.txt');
    expect((await list(name([0x84, 0xe1])))[0]?.name).toBe('äß.txt');
  });

  test('may have a comment, even one that looks like the end of a zip', async () => {
    const zip = zipOf({ 'index.html': page });
    const comment = new Uint8Array(64);
    new DataView(comment.buffer).setUint32(0, 0x06054b50, true);
    const both = new Uint8Array([...zip, ...comment]);
    new DataView(both.buffer).setUint16(zip.byteLength - 2, comment.byteLength, true);
    expect((await list(both)).map(({ name }) => name)).toEqual(['index.html']);
  });

  test('that is a bomb is stopped: no more is unpacked than the list states', async () => {
    const zip = zipOf({ 'index.html': [new Uint8Array(50 * 2 ** 20), { level: 9 }] });
    expect(zip.byteLength).toBeLessThan(100_000);
    const [honest] = await list(zip);
    expect(checkSelection(selectionOf(honest === undefined ? [] : [honest]), PLANS.free.deployment).problems).toEqual([
      'index.html: 50.0 MiB; allowed: at most 25.0 MiB a file',
    ]);
    const [lying] = await list(changed(zip, (view, { central }) => view.setUint32(central + 24, 1_000, true)));
    expect(lying?.bytes).toBe(1_000);
    let unpacked = 0;
    vi.stubGlobal(
      'DecompressionStream',
      countingStream(DecompressionStream, (bytes) => {
        unpacked += bytes;
      }),
    );
    expect(await failure(lying?.read() ?? Promise.resolve())).toBe('index.html: damaged. Make the zip again.');
    vi.unstubAllGlobals();
    expect(unpacked).toBeGreaterThan(0);
    expect(unpacked).toBeLessThan(2 ** 20);
  });

  test.each<[string, (view: DataView, at: { local: number; central: number }) => void, RegExp]>([
    ['encrypted', (view, { central }) => view.setUint16(central + 8, 1, true), /encrypted/],
    ['packed by another method', (view, { central }) => view.setUint16(central + 10, 14, true), /can't unpack/],
    ['a symbolic link', (view, { central }) => view.setUint32(central + 38, 0o120777 * 2 ** 16, true), /symbolic link/],
    ['larger than 4 GiB', (view, { central }) => view.setUint32(central + 24, 0xffffffff, true), /4 GiB/],
    ['in a damaged list', (view, { central }) => view.setUint32(central, 0, true), /damaged/],
  ])('with a file that is %s is refused', async (_, change, message) => {
    expect(await failure(list(changed(zipOf({ 'index.html': page }), change)))).toMatch(message);
  });

  test.each<[string, (view: DataView, at: { local: number; central: number }) => void]>([
    ['other content', (view) => view.setUint8(48, view.getUint8(48) ^ 0xff)],
    ['another checksum', (view, { central }) => view.setUint32(central + 16, 1, true)],
    ['less than stated', (view, { central }) => view.setUint32(central + 24, 1_401, true)],
    ['no header', (view) => view.setUint32(0, 0, true)],
    ['its header elsewhere', (view, { central }) => view.setUint32(central + 42, 1_000_000, true)],
  ])('with a file that has %s lists it, and refuses to unpack it', async (_, change) => {
    const [found] = await list(changed(zipOf({ 'index.html': page }), change));
    expect(await failure(found?.read() ?? Promise.resolve())).toContain('index.html: damaged');
  });

  test('that is cut off, or is something else, is refused', async () => {
    const zip = zipOf({ 'index.html': page });
    for (const part of [zip.slice(0, -1), zip.slice(10), strToU8('<h1>no zip</h1>'), new Uint8Array()])
      expect(await failure(list(new Uint8Array(part)))).toMatch(/not a zip|damaged/);
  });
});
