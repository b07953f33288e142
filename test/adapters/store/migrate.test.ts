import { existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { openDatabase } from '../../../adapters/store/sqlite/database.ts';
import { MIGRATIONS } from '../../../adapters/store/sqlite/migrations.ts';
import { testFolder } from '../../support/folders.ts';

/** A folder with a database of an earlier version, in which there is one animal. */
function earlier(version: number, folder = testFolder()): string {
  rmSync(join(folder, DATABASE_FILE), { force: true });
  const database = new DatabaseSync(join(folder, DATABASE_FILE));
  database.exec('PRAGMA journal_mode = WAL');
  for (const migration of MIGRATIONS.slice(0, version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${version}; INSERT INTO pets VALUES (${version}, 'Rex', 1, 'available')`);
  database.close();
  return folder;
}

function contentOf(file: string): { version: unknown; pets: unknown } {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return { version: database.prepare('PRAGMA user_version').get()?.user_version, pets: database.prepare('SELECT id, name FROM pets').all() };
  } finally {
    database.close();
  }
}

describe('an upgrade', () => {
  test('first copies the database as it was, readable only by its owner', () => {
    const folder = earlier(8);
    openDatabase(folder, 'crash').close();
    const copy = join(folder, 'upgrades', 'schema-8.db');
    expect(contentOf(copy)).toEqual({ version: 8, pets: [{ id: 8, name: 'Rex' }] });
    expect(contentOf(join(folder, DATABASE_FILE))).toEqual({ version: MIGRATIONS.length, pets: [{ id: 8, name: 'Rex' }] });
    expect([statSync(copy).mode & 0o777, statSync(join(folder, 'upgrades')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test('keeps the copies of the last two upgrades, and nothing of an interrupted one', () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'upgrades'));
    for (const version of [3, 12, 9]) {
      writeFileSync(join(folder, 'upgrades', `schema-${version}.db.partial`), 'half');
      openDatabase(earlier(version, folder), 'crash').close();
    }
    expect(readdirSync(join(folder, 'upgrades')).sort()).toEqual(['schema-12.db', 'schema-9.db']);
  });

  test('does not begin if there is no place for the copy', () => {
    const folder = earlier(8);
    writeFileSync(join(folder, 'upgrades'), 'in the way');
    expect(() => openDatabase(folder, 'crash')).toThrow(/can't be copied to .*upgrades before its upgrade \(.+\); free up space there/);
    expect(contentOf(join(folder, DATABASE_FILE)).version).toBe(8);
  });

  test('of a new database copies nothing', () => {
    const folder = testFolder();
    openDatabase(folder, 'crash').close();
    expect(existsSync(join(folder, 'upgrades'))).toBe(false);
  });
});

describe('a database of a newer version', () => {
  test('is refused, with the way back to the copy from before its upgrade', () => {
    const folder = earlier(8);
    openDatabase(folder, 'crash').close();
    const raw = new DatabaseSync(join(folder, DATABASE_FILE));
    raw.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    raw.close();
    expect(() => openDatabase(folder, 'crash')).toThrow(`petstore restore ${join(folder, 'upgrades', 'schema-8.db')} --replace`);
  });

  test('without a copy leads to a backup', () => {
    const folder = testFolder();
    openDatabase(folder, 'crash').close();
    const raw = new DatabaseSync(join(folder, DATABASE_FILE));
    raw.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    raw.close();
    expect(() => openDatabase(folder, 'crash')).toThrow(/restore a backup from before its upgrade with petstore restore --replace/);
  });
});

describe('a database that is damaged', () => {
  test.each([
    ['cut off', (file: string) => truncateSync(file, 3 * 4096)],
    ['something else', (file: string) => writeFileSync(file, 'not a database, but as long as the header of one '.repeat(9))],
  ])('(%s) is named, with what to do', (_, damage) => {
    const folder = testFolder();
    openDatabase(folder, 'crash').close();
    damage(join(folder, DATABASE_FILE));
    expect(() => openDatabase(folder, 'crash')).toThrow(/petstore\.db is damaged \(.+\); restore a backup with petstore restore --replace/);
  });
});

describe('a database that is missing', () => {
  test.each([
    ['identity-keys.json', (folder: string) => writeFileSync(join(folder, 'identity-keys.json'), '{}')],
    ['development-ca.key', (folder: string) => writeFileSync(join(folder, 'development-ca.key'), 'key')],
    ['petstore.db-wal', (folder: string) => writeFileSync(join(folder, 'petstore.db-wal'), 'log')],
    ['sites', (folder: string) => mkdirSync(join(folder, 'sites', 'prj_1'), { recursive: true })],
  ])('beside %s is not created anew', (name, leave) => {
    for (const isEmpty of [false, true]) {
      const folder = testFolder();
      leave(folder);
      if (isEmpty) writeFileSync(join(folder, DATABASE_FILE), '');
      expect(() => openDatabase(folder, 'crash')).toThrow(new RegExp(`its database petstore.db is missing, but it has ${name}; restore`));
      expect(existsSync(join(folder, DATABASE_FILE))).toBe(isEmpty);
    }
  });

  test('beside an empty folder for sites is created', () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'sites'));
    openDatabase(folder, 'crash').close();
    expect(contentOf(join(folder, DATABASE_FILE)).version).toBe(MIGRATIONS.length);
  });
});
