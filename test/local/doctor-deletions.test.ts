// What is deleted in the normal way leaves nothing that `petstore doctor` reports.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { removeExpiredRows } from '../../adapters/store/sqlite/expired-rows.ts';
import type { Finding } from '../../platforms/embedded/doctor/finding.ts';
import { command, commandJson } from '../support/command-line.ts';
import { startControlHost } from '../support/control-host.ts';
import { eventually } from '../support/eventually.ts';
import { testFolder } from '../support/folders.ts';

const YEAR_MS = 365 * 86_400_000;
const HOST = 'www.shop.test';

test('every deletion of the command line, and what the service removes a year later', async () => {
  const folder = testFolder();
  const [data, site] = [join(folder, 'data'), join(folder, 'site')];
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), 'one');
  const run = <T = never>(...args: string[]) => commandJson<T>(data, args);
  const expectNoFault = async () => {
    for (const full of [[], ['--full']]) {
      const { stdout } = await command(data, ['doctor', '--json', ...full]);
      const findings: Finding[] = JSON.parse(stdout);
      expect(findings.length).toBeGreaterThan(5);
      expect(findings.filter(({ state, check }) => state !== 'ok' && !['backup', 'space', 'open files'].includes(check))).toEqual([]);
    }
  };

  const service = await startControlHost(data);
  const { accountId } = await run<{ accountId: string }>('accounts', 'create', '--name', 'Shop', '--plan', 'pro');
  const other = await run<{ accountId: string }>('accounts', 'create', '--name', 'Other', '--plan', 'pro');
  const { projectId: empty } = await run<{ projectId: string }>('projects', 'create', '--account', accountId, '--name', 'Empty', '--empty');
  await expectNoFault();

  const { projectId } = await run<{ projectId: string }>('projects', 'create', '--account', accountId, '--name', 'Site');
  const { projectId: third } = await run<{ projectId: string }>('projects', 'create', '--account', other.accountId, '--name', 'Third');
  const first = await run<{ deploymentId: string }>('projects', 'deploy', projectId, site);
  await run('projects', 'deploy', projectId, site);
  for (const args of [
    ['add', HOST, '--project', projectId],
    ['publish', HOST],
    ['verify', HOST],
    ['add', 'other.test', '--project', third],
    ['publish', 'other.test'],
    ['verify', 'other.test'],
  ])
    await run('domains', ...args);
  await command(data, ['domains', 'watch', HOST]);
  await command(data, ['domains', 'watch', 'other.test']);
  for (const email of ['ann@shop.test', 'bob@shop.test']) {
    await run('users', 'create', email);
    await run('accounts', 'add-member', accountId, email);
    await run('accounts', 'add-member', other.accountId, email);
  }
  await run('accounts', 'invite', accountId, 'eve@shop.test');
  await run('accounts', 'invite', other.accountId, 'eve@shop.test');
  const { keyId } = await run<{ keyId: string }>('keys', 'issue', '--account', accountId);
  await run('keys', 'issue', '--account', other.accountId);
  await expectNoFault();

  await run('domains', 'remove', HOST, '--yes');
  await eventually(
    () => run<object[]>('domains', 'list', projectId),
    (left) => expect(left).toEqual([]),
  );
  for (const args of [
    ['projects', 'delete-deployment', projectId, first.deploymentId, '--yes'],
    ['projects', 'delete', projectId, '--yes'],
    ['projects', 'delete', empty, '--yes'],
    ['keys', 'revoke', keyId, '--yes'],
    ['accounts', 'withdraw-invitation', accountId, 'eve@shop.test'],
    ['accounts', 'remove-member', accountId, 'ann@shop.test'],
    ['users', 'remove-factors', 'bob@shop.test', '--yes'],
    ['users', 'remove', 'bob@shop.test', '--yes'],
  ])
    await run(...args);
  await expectNoFault();
  await run('accounts', 'delete', other.accountId, '--with-projects', '--yes');
  await run('accounts', 'delete', accountId, '--yes');
  await expectNoFault();
  expect(service.faults).toEqual([]);
  await service.stop();

  const database = openDatabase(data, 'crash');
  const removed = await removeExpiredRows(database, Date.now() + YEAR_MS, { isTimeLeft: () => true, rest: async () => {} });
  database.close();
  expect(removed).toMatchObject({ revoked_keys: expect.any(Number) });
  await expectNoFault();
});
