import { existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { openDatabase } from '../../../adapters/store/sqlite/database.ts';
import { MIGRATIONS } from '../../../adapters/store/sqlite/migrations.ts';
import { openSqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { newDomain } from '../../../core/domains/domain.ts';
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

describe('domains that earlier versions had given up', () => {
  test('go on after the upgrade, and what was well is as before', async () => {
    const version = MIGRATIONS.findIndex((migration) => migration.includes('order_buckets'));
    const folder = earlier(version);
    const raw = new DatabaseSync(join(folder, DATABASE_FILE));
    raw.exec(`
      INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES ('acc_1', 'Shop', 'pro', 1, 1, 0);
      INSERT INTO projects (id, account_id, name, token, created_at, configuration) VALUES ('prj_1', 'acc_1', 'Site', 't', 0, '{}')`);
    const insert = raw.prepare('INSERT INTO domains (id, host, project_id, active_host, wake_at, body) VALUES (?, ?, ?, ?, ?, ?)');
    const states = {
      limited: { name: 'certificate_failed', since: 7, failure: 'rate_limited', detail: 'too many' },
      refused: { name: 'certificate_failed', since: 7, failure: 'name_refused', detail: 'no' },
      lost: { name: 'dns_failed', since: 7 },
      live: { name: 'live', since: 7, certificate: 'r', misses: 0, nextCheckAt: 9 },
      suspended: { name: 'suspended', since: 7, reason: 'plan' },
    };
    for (const [id, state] of Object.entries(states)) {
      const domain = { ...newDomain({ id, host: `${id}.dev`, projectId: 'prj_1', accountId: 'acc_1' }, 0), state };
      insert.run(id, domain.host, 'prj_1', domain.host, state.name === 'live' ? 9 : null, JSON.stringify(domain));
    }
    raw.close();
    const { domains, close } = openSqliteStores(folder);
    const stateOf = async (id: string) => (await domains.getDomain(id))?.state;
    const waiting = { since: 7, nextCheckAt: expect.any(Number) };
    expect(await stateOf('limited')).toEqual({ name: 'certificate_pending', ...waiting, checks: 24, late: true });
    expect(await stateOf('refused')).toEqual({ ...states.refused, ...waiting, checks: 1 });
    expect(await stateOf('lost')).toEqual({ ...states.lost, ...waiting, checks: 166 });
    expect([await stateOf('live'), await stateOf('suspended')]).toEqual([states.live, states.suspended]);
    const due = await domains.queuedDomains({ waitedFor: false, now: Date.now() + 1_000, limit: 9, perAccount: 9, except: [] });
    expect(due.map(({ id }) => id).toSorted()).toEqual(['limited', 'live', 'lost', 'refused']);
    close();
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
