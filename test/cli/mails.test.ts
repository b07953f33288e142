// `petstore mails preview`, as its users run it: without a data folder.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mailSamples } from '../../core/notifications/samples.ts';
import { testFolder } from '../support/folders.ts';
import { runCli } from '../support/processes.ts';

test('writes each email in both forms, and a page that shows them all', async () => {
  const folder = join(testFolder(), 'new', 'folder');
  const { code, stdout } = await runCli('', ['mails', 'preview', folder, '--json']);
  expect(code).toBe(0);
  const { index, mails } = JSON.parse(stdout) as { index: string; mails: { name: string }[] };
  expect(index).toBe(join(folder, 'index.html'));
  const names = mailSamples().map(({ name }) => name);
  expect(mails.map(({ name }) => name)).toEqual(names);
  const page = readFileSync(index, 'utf8');
  const shown = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
  expect(shown.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  expect(new Set([...shown, 'index.html'])).toEqual(new Set(readdirSync(folder)));
  expect((await runCli('', ['mails', 'preview', folder])).stdout).toBe(`Wrote ${names.length} emails: ${index}\n`);
});

test('files that a command writes are readable only by their owner, whatever the umask of its shell', async () => {
  const folder = join(testFolder(), 'new');
  const umask = process.umask(0);
  const finished = runCli('', ['mails', 'preview', folder]).finally(() => process.umask(umask));
  expect(await finished).toMatchObject({ code: 0 });
  const written = [folder, ...readdirSync(folder).map((name) => join(folder, name))];
  expect(written.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
});

test.each([
  ['a file', () => join(import.meta.dirname, 'mails.test.ts'), /ENOTDIR: not a directory/],
  ['where nothing can be created', () => '/proc/none/below', /mkdir '\/proc\/none'/],
])('a preview to %s fails with what to do', async (_, folder, expected) => {
  const { code, stdout, stderr } = await runCli('', ['mails', 'preview', folder()]);
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^petstore: can't write the emails: .*; name a folder in which you can create files\n$/),
  ]);
  expect(stderr).toMatch(expected);
});
