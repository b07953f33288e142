// `petstore doctor` as the service's user, when others own what is in the data folder or its modes are wrong. Only the superuser can make such folders.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openProviderKeys } from '../../adapters/identity/provider-keys.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { Finding } from '../../platforms/embedded/doctor/finding.ts';
import { lockFolder } from '../../platforms/embedded/folder-lock.ts';
import { testFolder } from '../support/folders.ts';
import { runCliJson, startServerProcess } from '../support/processes.ts';

const ROOT = join(import.meta.dirname, '../..');
const USER = 65_534;
const FREE = { PETSTORE_PORT: '0', PETSTORE_EDGE_HTTP_PORT: '0', PETSTORE_EDGE_HTTPS_PORT: '0', PETSTORE_SANDBOX_DNS_PORT: '0' };
const isRoot = process.getuid?.() === 0;

async function installation(): Promise<string> {
  const data = join(testFolder(), 'data');
  openSqliteStores(data).close();
  lockFolder(data, 'main').release();
  await openProviderKeys(data);
  mkdirSync(join(data, 'sites/prj_1/dpl_1'), { recursive: true });
  writeFileSync(join(data, 'sites/prj_1/dpl_1/index.html'), 'one');
  chmodSync(dirname(data), 0o755);
  spawnSync('chown', ['-R', `${USER}:${USER}`, data]);
  return data;
}

async function doctor(data: string, uid = USER): Promise<readonly Finding[]> {
  const { NODE_V8_COVERAGE: _, ...inherited } = process.env;
  const env = { ...inherited, ...FREE, PETSTORE_DATA: data, HOME: '/' };
  const child = spawn(process.execPath, [join(ROOT, 'cli/petstore.ts'), 'doctor', '--full', '--json'], { cwd: ROOT, env, uid, gid: uid });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  await once(child, 'close');
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const faults = (findings: readonly Finding[]) =>
  findings.filter(({ state, check }) => state !== 'ok' && !['backup', 'space', 'open files'].includes(check));

test.skipIf(!isRoot).each<[what: string, damage: (data: string) => void, check: string]>([
  ['a database of the superuser', (data) => chownSync(join(data, 'petstore.db'), 0, 0), 'owner'],
  ['a lock of the superuser', (data) => chownSync(join(data, 'service.lock'), 0, 0), 'owner'],
  [
    'a folder of a site that is closed, of the superuser',
    (data) => {
      chownSync(join(data, 'sites/prj_1'), 0, 0);
      chmodSync(join(data, 'sites/prj_1'), 0o700);
    },
    'owner',
  ],
  ['folders that nobody can enter', (data) => spawnSync('chmod', ['-R', '600', data]), 'data folder'],
  ['nothing that anybody can read', (data) => spawnSync('chmod', ['-R', '000', data]), 'data folder'],
  ['a closed folder of a site', (data) => chmodSync(join(data, 'sites/prj_1'), 0), 'data folder'],
])('%s: the advice mends it', async (_, damage, check) => {
  const data = await installation();
  damage(data);
  for (const uid of [USER, 0]) {
    const found = await doctor(data, uid);
    expect(found.map((finding) => finding.action ?? '').join()).not.toMatch(/restore/);
    expect(found).toContainEqual(expect.objectContaining({ check, state: 'problem' }));
  }
  const action = (await doctor(data)).find((finding) => finding.check === check)?.action ?? '';
  const command = /\brun: (.+)$/.exec(action)?.[1] ?? '';
  const id = /\bas root, run/.test(action) ? 0 : USER;
  expect(spawnSync('sh', ['-c', command], { uid: id, gid: id }).status).toBe(0);
  expect(faults(await doctor(data)).filter((finding) => finding.check !== 'orphans')).toEqual([]);
});

test('a file instead of the folder is named', async () => {
  const file = join(testFolder(), 'petstore.db');
  writeFileSync(file, '', { mode: 0o600 });
  expect(await doctor(file, process.getuid?.())).toEqual([
    { check: 'data folder', state: 'problem', found: `${file} is not a folder`, action: expect.stringMatching(/^set PETSTORE_DATA to the folder/) },
  ]);
});

test('a log that is gone while the service runs: a restart loses nothing', async () => {
  const data = join(testFolder(), 'data');
  const service = await startServerProcess(data);
  const { accountId } = await runCliJson<{ accountId: string }>(data, ['accounts', 'create', '--name', 'Late', '--plan', 'free']);
  rmSync(join(data, 'petstore.db-wal'));
  const found = faults(await doctor(data, process.getuid?.()));
  expect(found).toContainEqual({
    check: 'database',
    state: 'problem',
    found: "can't be examined: disk I/O error",
    action: expect.stringMatching(/^restart the service/),
  });
  expect(found.map(({ action }) => action).join()).not.toMatch(/restore/);
  await service.stop();
  expect(faults(await doctor(data, process.getuid?.()))).toEqual([]);
  expect(await runCliJson(data, ['accounts', 'list'])).toContainEqual(expect.objectContaining({ accountId }));
});
