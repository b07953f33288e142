// The way back to the last release, as docs/server/backup.md says: with that release's own command line.

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLI, unpackRelease } from '../deploy/release/archive.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli, runCliJson, startServerProcess } from '../support/processes.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/server/backup.md'), 'utf8');

test('a data folder of the last release is upgraded, goes back with what it had, and can be upgraded again', async () => {
  const folder = makeFolder();
  unpackRelease(folder.path);
  const data = join(folder.path, 'data');
  const last = (...args: string[]) =>
    execFileSync(process.execPath, [join(folder.path, CLI), ...args], {
      encoding: 'utf8',
      env: { ...process.env, PETSTORE_DATA: data },
      stdio: 'pipe',
    });
  const { accountId } = JSON.parse(last('accounts', 'create', '--name', 'Old shop', '--plan', 'pro', '--json'));
  const before = last('accounts', 'list');

  const upgrade = async () => {
    const server = await startServerProcess(data);
    await server.stop();
    return runCliJson<{ accountId: string }[]>(data, ['accounts', 'list']);
  };
  expect(await upgrade()).toMatchObject([{ accountId }]);
  expect(() => last('accounts', 'list')).toThrow('written by a newer version');

  const [, documented = ''] = /<!-- way back -->\n```sh\npetstore (.*)\n```/.exec(DOCUMENT) ?? [];
  const [copy] = globSync('upgrades/schema-*.db', { cwd: data });
  expect(documented).toBe(`restore .petstore/${copy} --replace`);
  expect(await runCli(data, documented.replace('.petstore', data).split(' '))).toMatchObject({ code: 0 });
  expect(last('accounts', 'list')).toBe(before);

  expect(await upgrade()).toMatchObject([{ accountId }]);
  folder.remove();
});
