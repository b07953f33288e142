// What `petstore backup` says on standard error, and how it ends.

import { execSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { SHARED_PORTS } from '../../platforms/adapters.ts';
import { testFolder } from '../support/folders.ts';
import { runCli, runCliJson, UNFINISHED } from '../support/processes.ts';

function installation(): { readonly data: string; readonly backups: string } {
  const data = join(testFolder(), 'data');
  openDatabase(data, 'crash').close();
  writeFileSync(join(data, 'identity-keys.json'), 'keys');
  return { data, backups: join(testFolder(), 'backups') };
}

test('a backup that could not be recorded is kept, and a warning says what follows', async () => {
  const { data, backups } = installation();
  mkdirSync(join(data, 'last-backup.json'));
  const { code, stdout, stderr } = await runCli(data, ['backup', backups]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Backup /)]);
  expect(stderr).toMatch(
    /^petstore: the backup was made, but last-backup\.json in \S+ can't be written \(.*EISDIR.*\); until that is corrected, petstore doctor does not know of it, and the alert PetstoreBackupOld will fire\n$/,
  );
});

test("others' backups in the folder are named", async () => {
  const { data, backups } = installation();
  expect(await runCli(data, ['backup', backups, '--keep', '1'])).toMatchObject({ code: 0, stderr: '' });
  writeFileSync(join(data, 'identity-keys.json'), 'keys of another installation');
  const { code, stderr } = await runCli(data, ['backup', backups, '--keep', '1']);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(
      /^petstore: not known to be backups of this installation, so --keep leaves them: \S+Z; is \S+ the right folder, and its disk mounted\?\n$/,
    ),
  ]);
});

test('a backup that lacks files of a site removes none, and is not done', async () => {
  const { data, backups } = installation();
  const database = new DatabaseSync(join(data, 'petstore.db'));
  database.exec("PRAGMA foreign_keys = OFF; INSERT INTO deployments (id, project_id, created_at, files, bytes) VALUES ('dpl_1', 'prj_1', 0, 1, 3)");
  database.close();
  const { code, stdout, stderr } = await runCli(data, ['backup', backups, '--keep', '1']);
  expect([code, stdout, stderr]).toEqual([
    UNFINISHED,
    expect.stringMatching(/^Backup /),
    'petstore: deployment dpl_1 of project prj_1 is incomplete in the data folder; it should have 1 files with 3 bytes\n' +
      'petstore: the backup is incomplete, so no older one was removed; petstore doctor says what to do\n',
  ]);
});

test('a restore from a backup without keys says how to keep those that were there', async () => {
  const { data, backups } = installation();
  rmSync(join(data, 'identity-keys.json'));
  const { folder } = await runCliJson<{ folder: string }>(data, ['backup', backups]);
  writeFileSync(join(data, 'identity-keys.json'), 'keys');
  const { code, stderr } = await runCli(data, ['restore', folder, '--replace']);
  expect([code, stderr]).toEqual([
    UNFINISHED,
    expect.stringMatching(/^petstore: the backup lacks identity-keys\.json; before the next start, put the previous one back; run: cp -p \S+ \S+\n$/),
  ]);
  execSync(/run: (.+)\n/.exec(stderr)?.[1] ?? '');
  expect(readFileSync(join(data, 'identity-keys.json'), 'utf8')).toBe('keys');
});

test('what an adapter stores is not taken for backed up', async () => {
  const { data, backups } = installation();
  const file = join(testFolder(), 'petstore.config.mjs');
  const ports = JSON.stringify(SHARED_PORTS);
  writeFileSync(file, `export default { adapters: [{ name: 'elsewhere', provides: ${ports}, open: async () => ({ ports: {} }) }] };\n`);
  const { code, stderr } = await runCli(data, ['backup', backups], '', { PETSTORE_CONFIG: file });
  expect([code, stderr, existsSync(backups)]).toEqual([
    1,
    'petstore: elsewhere stores this installation, and the data folder has only copies; back up the original database instead\n',
    false,
  ]);
});

test('a damaged database is not backed up', async () => {
  const { data, backups } = installation();
  writeSync(openSync(join(data, 'petstore.db'), 'r+'), Buffer.alloc(4_096), 0, 4_096, 4_096);
  expect(await runCli(data, ['backup', backups])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^petstore: the database in /),
  });
});

test.each<[what: string, damage: (database: string) => () => void, reason: RegExp]>([
  [
    'is locked',
    (file) => {
      const holder = new DatabaseSync(file);
      holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE mine (n); COMMIT');
      return () => holder.close();
    },
    /database is locked/,
  ],
  [
    "can't be opened",
    (file) => {
      rmSync(file);
      mkdirSync(file);
      return () => {};
    },
    /unable to open database file|disk I\/O error/,
  ],
])('a database that %s: what to do', async (_, damage, reason) => {
  const { data, backups } = installation();
  const end = damage(join(data, 'petstore.db'));
  const { code, stderr } = await runCli(data, ['backup', backups, '--json']);
  end();
  const { error } = JSON.parse(stderr);
  expect([code, error]).toEqual([
    1,
    expect.stringMatching(/petstore\.db can't be read \(.*\); if another process keeps it locked, end that; otherwise/),
  ]);
  expect(error).toMatch(reason);
});
