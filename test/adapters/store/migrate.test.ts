import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { openDatabase } from '../../../adapters/store/sqlite/database.ts';
import { MIGRATIONS, NEWEST_VERSION, OLDEST_VERSION } from '../../../adapters/store/sqlite/migrations.ts';
import { openSqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { newDomain } from '../../../core/domains/domain.ts';
import { samplePet } from '../../../testing/samples.ts';
import { testFolder } from '../../support/folders.ts';

/** A folder with a database of an earlier version, in which there is one animal. */
function earlier(version: number, folder = testFolder()): string {
  rmSync(join(folder, DATABASE_FILE), { force: true });
  const database = new DatabaseSync(join(folder, DATABASE_FILE));
  database.exec('PRAGMA journal_mode = WAL');
  for (const migration of MIGRATIONS.slice(0, version - OLDEST_VERSION + 1)) database.exec(migration);
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
    const folder = earlier(17);
    openDatabase(folder, 'crash').close();
    const copy = join(folder, 'upgrades', 'schema-17.db');
    expect(contentOf(copy)).toEqual({ version: 17, pets: [{ id: 17, name: 'Rex' }] });
    expect(contentOf(join(folder, DATABASE_FILE))).toEqual({ version: NEWEST_VERSION, pets: [{ id: 17, name: 'Rex' }] });
    expect([statSync(copy).mode & 0o777, statSync(join(folder, 'upgrades')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test('keeps the copies of the last two upgrades, and nothing of an interrupted one', () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'upgrades'));
    for (const version of [15, 22, 19]) {
      writeFileSync(join(folder, 'upgrades', `schema-${version}.db.partial`), 'half');
      openDatabase(earlier(version, folder), 'crash').close();
    }
    expect(readdirSync(join(folder, 'upgrades')).sort()).toEqual(['schema-19.db', 'schema-22.db']);
  });

  test('does not begin if there is no place for the copy', () => {
    const folder = earlier(17);
    writeFileSync(join(folder, 'upgrades'), 'in the way');
    expect(() => openDatabase(folder, 'crash')).toThrow(/can't be copied to .*upgrades before its upgrade \(.+\); free up space there/);
    expect(contentOf(join(folder, DATABASE_FILE)).version).toBe(17);
  });

  test('of a new database copies nothing', () => {
    const folder = testFolder();
    openDatabase(folder, 'crash').close();
    expect(existsSync(join(folder, 'upgrades'))).toBe(false);
  });
});

describe('domains that earlier versions had given up', () => {
  test('go on after the upgrade, and what was well is as before', async () => {
    const version = OLDEST_VERSION + MIGRATIONS.findIndex((migration) => migration.includes('order_buckets')) - 1;
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

describe('a database of release 0.2.0', () => {
  /** A folder with the database that the release has made. */
  function released(): string {
    const folder = testFolder();
    const database = new DatabaseSync(join(folder, DATABASE_FILE));
    database.exec(readFileSync(join(import.meta.dirname, 'releases/0.2.0.sql'), 'utf8'));
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: OLDEST_VERSION });
    database.close();
    return folder;
  }

  test('has the schema that the first migration makes', () => {
    const schemaOf = (database: DatabaseSync) =>
      database
        .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
        .all()
        .map(({ sql, ...row }) => ({ ...row, sql: String(sql).replaceAll(/--.*$|\s/gm, '') }));
    const made = new DatabaseSync(':memory:');
    made.exec(String(MIGRATIONS[0]));
    const database = new DatabaseSync(join(released(), DATABASE_FILE));
    expect(schemaOf(made)).toEqual(schemaOf(database));
    database.close();
  });

  test('is upgraded without loss', async () => {
    const folder = released();
    const { pets, accounts, usage, projects, domains, close } = openSqliteStores(folder);
    const [shop, busy] = ['acc_QMinMk1y3T', 'acc_cgLtzRjwzP'];
    const now = Date.UTC(2026, 10, 25, 14, 50);
    // Fields that were added since have their defaults.
    expect(await pets.get(245465884585384)).toMatchObject({ id: 245465884585384, name: 'Bo', categoryId: 9007199254740993n, status: 'sold' });
    const idempotency = { owner: shop, key: 'order-1', fingerprint: 'iCjcQKogPuKiUsU3cS_XuvvZLSzPBmJrhzuipmKcoUY', expiresAt: now };
    expect(await pets.create({ pet: samplePet(9), idempotency }, now)).toMatchObject({ kind: 'replayed', pet: { name: 'Bella' } });
    expect((await accounts.listAccounts()).map(({ name, plan }) => `${name}: ${plan}`).toSorted()).toEqual([
      'Busy: free',
      'Demo: pro',
      'Shop: business',
    ]);
    const keys = await accounts.listKeys(shop);
    expect(keys.map(({ scopes }) => scopes)).toEqual([['pets:read', 'pets:write'], ['pets:read']]);
    expect(await usage.admit({ accountId: shop, digest: String(keys[0]?.digest) }, now)).toMatchObject({ kind: 'admitted' });
    expect((await usage.usage(busy, now))?.history.days.at(-1)).toMatchObject({ admitted: 60, refused: 4 });
    expect(await projects.listProjects(shop)).toMatchObject([{ name: 'Site', currentDeploymentId: 'dpl_1ObLjgoZxq' }]);
    const states = (await domains.listDomains('prj_6UpZHn5qud')).map(({ host, state }) => `${host}: ${state.name}`);
    expect(states.toSorted()).toEqual(['www.later.test: awaiting_dns', 'www.shop.test: live']);
    close();
    expect(existsSync(join(folder, 'upgrades', `schema-${OLDEST_VERSION}.db`))).toBe(true);
  });
});

describe('a database of a release before 0.2.0', () => {
  test('is refused, unchanged, with the way to upgrade it', () => {
    const folder = earlier(OLDEST_VERSION);
    const raw = new DatabaseSync(join(folder, DATABASE_FILE));
    raw.exec(`PRAGMA user_version = ${OLDEST_VERSION - 1}`);
    raw.close();
    expect(() => openDatabase(folder, 'crash')).toThrow(
      `the data folder was written by a release before 0.2.0 (schema 13, this version supports 14 to ${NEWEST_VERSION}); start release 0.2.0 with it once`,
    );
    expect(contentOf(join(folder, DATABASE_FILE)).version).toBe(13);
    expect(existsSync(join(folder, 'upgrades'))).toBe(false);
  });
});

describe('a database of a newer version', () => {
  test('is refused, with the way back to the copy from before its upgrade', () => {
    const folder = earlier(17);
    openDatabase(folder, 'crash').close();
    const raw = new DatabaseSync(join(folder, DATABASE_FILE));
    raw.exec(`PRAGMA user_version = ${NEWEST_VERSION + 1}`);
    raw.close();
    expect(() => openDatabase(folder, 'crash')).toThrow(`petstore restore ${join(folder, 'upgrades', 'schema-17.db')} --replace`);
  });

  test('without a copy leads to a backup', () => {
    const folder = testFolder();
    openDatabase(folder, 'crash').close();
    const raw = new DatabaseSync(join(folder, DATABASE_FILE));
    raw.exec(`PRAGMA user_version = ${NEWEST_VERSION + 1}`);
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
    expect(contentOf(join(folder, DATABASE_FILE)).version).toBe(NEWEST_VERSION);
  });
});
