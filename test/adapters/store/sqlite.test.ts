import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { createSqliteSandboxRecords } from '../../../adapters/dns/sandbox.ts';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { createSqliteUserStore } from '../../../adapters/identity/sqlite-users.ts';
import { openDatabase } from '../../../adapters/store/sqlite/database.ts';
import { createSqliteOrderLimiter } from '../../../adapters/store/sqlite/domains.ts';
import { MIGRATIONS, NEWEST_VERSION, OLDEST_VERSION } from '../../../adapters/store/sqlite/migrations.ts';
import { setOutboxOpen } from '../../../adapters/store/sqlite/outbox.ts';
import { openSqliteStores, type SqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { REVOKED_KEPT_MS } from '../../../core/access/account.ts';
import type { Actor } from '../../../core/audit/entry.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/limits/windows.ts';
import { memberAdded } from '../../../core/notifications/notification.ts';
import { KEPT_MS } from '../../../core/notifications/schedule.ts';
import { StoreFault } from '../../../core/refusal.ts';
import { accountStoreContract } from '../../../testing/account-store.ts';
import { admissionModelProperty } from '../../../testing/admission-model.ts';
import { answerStoreContract } from '../../../testing/answer-store.ts';
import { auditLogContract } from '../../../testing/audit-log.ts';
import { deployTokenStoreContract } from '../../../testing/deploy-token-store.ts';
import { domainQueueContract } from '../../../testing/domain-queue.ts';
import { domainStoreContract } from '../../../testing/domain-store.ts';
import { fileRemovalStoreContract } from '../../../testing/file-removal-store.ts';
import { invitationStoreContract } from '../../../testing/invitation-store.ts';
import { memberStoreContract } from '../../../testing/member-store.ts';
import { notificationOutboxContract } from '../../../testing/notification-outbox.ts';
import { notificationSettingsContract } from '../../../testing/notification-settings.ts';
import { notificationsOfChangesContract } from '../../../testing/notifications-of-changes.ts';
import { orderLimiterContract } from '../../../testing/order-limiter.ts';
import { petStoreContract } from '../../../testing/pet-store.ts';
import { projectStoreContract } from '../../../testing/project-store.ts';
import { NOON, sampleAccount, sampleKey, samplePet } from '../../../testing/samples.ts';
import { storeFaultContract } from '../../../testing/store-faults.ts';
import { usageHistoryContract } from '../../../testing/usage-history.ts';
import { usageStoreContract } from '../../../testing/usage-store.ts';
import { usageSurveyContract } from '../../../testing/usage-survey.ts';
import { makeFolder, testFolder } from '../../support/folders.ts';
import { QUICK_PASSWORDS } from '../../support/samples.ts';

const opened: { stores: SqliteStores; remove: () => void }[] = [];
const open = async () => {
  const { path, remove } = makeFolder();
  const stores = openSqliteStores(path);
  opened.push({ stores, remove });
  await setOutboxOpen(stores.database, true);
  return stores;
};
afterAll(() => {
  for (const { stores, remove } of opened) {
    stores.close();
    remove();
  }
});

petStoreContract(test, async () => (await open()).pets, { name: 'SQLite' });
accountStoreContract(test, open, { name: 'SQLite' });
usageStoreContract(test, open, { name: 'SQLite' });
projectStoreContract(test, open, { name: 'SQLite' });
fileRemovalStoreContract(test, async () => (await open()).removals, { name: 'SQLite' });
memberStoreContract(test, open, { name: 'SQLite' });
invitationStoreContract(test, open, { name: 'SQLite' });
deployTokenStoreContract(test, async () => (await open()).deployTokens, { name: 'SQLite' });
domainStoreContract(test, open, { name: 'SQLite' });
domainQueueContract(test, open, { name: 'SQLite' });
answerStoreContract(
  test,
  () => {
    const { path, remove } = makeFolder();
    const [stores, other] = [openSqliteStores(path), openSqliteStores(path)];
    opened.push({ stores, remove: () => {} }, { stores: other, remove });
    return { answers: stores.answers, elsewhere: other.answers };
  },
  { name: 'SQLite' },
);
notificationOutboxContract(test, async () => (await open()).outbox, { name: 'SQLite' });
orderLimiterContract(test, async () => createSqliteOrderLimiter((await open()).database), { name: 'SQLite' });
notificationSettingsContract(test, async () => (await open()).notificationSettings, { name: 'SQLite' });
auditLogContract(
  test,
  async () => {
    const { path, remove } = makeFolder();
    let current = (): Actor => ({ kind: 'service' });
    const stores = openSqliteStores(path, { actor: () => current() });
    opened.push({ stores, remove });
    const { database, recordChange } = stores;
    return {
      ...stores,
      users: createSqliteUserStore(database, recordChange, QUICK_PASSWORDS),
      sandbox: createSqliteSandboxRecords(database, recordChange),
      act: (actor) => {
        current = actor;
      },
    };
  },
  { name: 'SQLite' },
);
notificationsOfChangesContract(test, open, { name: 'SQLite' });
usageSurveyContract(test, open, { name: 'SQLite' });
usageHistoryContract(
  test,
  async () => {
    const { path, remove } = makeFolder();
    const start = () => {
      const stores = openSqliteStores(path);
      opened.push({ stores, remove });
      // What ends is committed or not: there is nothing that no request waits for.
      return { ...stores, settle: async () => {}, historyWrites: () => {} };
    };
    return { start };
  },
  { name: 'SQLite', runs: 20 },
);
admissionModelProperty(test, open, { name: 'SQLite', runs: 60 });
storeFaultContract(
  test,
  async () => {
    const stores = await open();
    const { database, domains: queue } = stores;
    const all = {
      ...stores,
      queue,
      users: createSqliteUserStore(database, undefined, QUICK_PASSWORDS),
      sandbox: createSqliteSandboxRecords(database),
    };
    stores.close();
    return { stores: all, says: 'SQLite: ' };
  },
  {
    name: 'SQLite',
    ports: [
      'pets',
      'accounts',
      'usage',
      'members',
      'invitations',
      'projects',
      'removals',
      'domains',
      'queue',
      'answers',
      'users',
      'sandbox',
      'outbox',
      'notificationSettings',
      'survey',
    ],
  },
);

test('a revocation deletes the records of keys that were revoked 90 days before', async () => {
  const { accounts, database } = await open();
  const account = sampleAccount();
  await accounts.createAccount(account);
  const revoke = async (at: number) => {
    const { text: _, ...key } = sampleKey(account.id);
    await accounts.addKey(key, 10, NOON);
    await accounts.revokeKey(key.id, { at, by: 'usr_1' });
  };
  const stored = () => database.prepare('SELECT revoked_at FROM revoked_keys ORDER BY 1').all();
  for (const at of [NOON, NOON + 1, NOON + REVOKED_KEPT_MS - 1]) await revoke(at);
  expect(stored()).toHaveLength(3);
  await revoke(NOON + REVOKED_KEPT_MS);
  expect(stored().map((row) => row.revoked_at)).toEqual([NOON + 1, NOON + REVOKED_KEPT_MS - 1, NOON + REVOKED_KEPT_MS]);
});

describe('SQLite file', () => {
  test('the outbox takes nothing while it is closed, in any process; open, it keeps what it has', async () => {
    const folder = testFolder();
    const [stores, other] = [openSqliteStores(folder), openSqliteStores(folder)];
    const account = sampleAccount();
    await stores.accounts.createAccount(account);
    const add = (n: number, at: number) => other.members.addMember(account.id, `usr_${n}`, 'owner', memberAdded(account.id, `usr_${n}`, at));
    const times = async () => (await stores.outbox.ofAccount(account.id)).map(({ notification }) => notification.at);
    await add(1, NOON);
    expect([await times(), await stores.outbox.add(memberAdded(account.id, 'usr_9', NOON))]).toEqual([[], false]);
    await setOutboxOpen(stores.database, true);
    await add(2, NOON);
    await setOutboxOpen(stores.database, true);
    expect(await times()).toEqual([NOON]);
    await add(3, NOON + KEPT_MS);
    expect(await times()).toEqual([NOON, NOON + KEPT_MS]);
    await setOutboxOpen(stores.database, false);
    await add(4, NOON);
    expect([await times(), (await other.members.membersOf(account.id)).length]).toEqual([[], 4]);
    for (const each of [stores, other]) each.close();
  });

  test('keeps the usage history for as long as it is shown, of any account, and of none that does not exist', async () => {
    const { database, ...stores } = openSqliteStores(testFolder());
    const [account, idle] = [sampleAccount(), sampleAccount()];
    for (const each of [account, idle]) {
      await stores.accounts.createAccount(each);
      const { text: _, ...key } = sampleKey(each.id);
      await stores.accounts.addKey(key, 10, NOON);
      const days = each === account ? 40 : 2;
      for (let hour = 0; hour < days * 24; hour += 1) {
        const at = NOON + hour * HOUR_MS;
        await stores.usage.admit({ accountId: each.id, digest: key.digest }, at);
        await stores.usage.countRefusals(each.id, 1, at);
      }
    }
    // The idle account's last hours were later than the other's first ones.
    const rows = (of = account.id) =>
      Object.fromEntries(
        database
          .prepare('SELECT kind, count(*) AS n FROM usage_history WHERE account_id = ? GROUP BY kind')
          .all(of)
          .map(({ kind, n }) => [kind, n]),
      );
    expect(rows()).toEqual({ minutes: 23, refused_minutes: 24, days: 2, refused_days: 2 });
    await stores.usage.countRefusals(account.id, 1, NOON + 41 * DAY_MS);
    expect(rows(idle.id)).toEqual({});
    await stores.usage.countRefusals('acc_0000000000', 1, NOON + 41 * DAY_MS);
    expect(rows('acc_0000000000')).toEqual({});
    stores.close();
  });

  test('a new minute of an account writes the history; its other requests do not, and none fails with it', async () => {
    const { database, ...stores } = openSqliteStores(testFolder());
    const account = sampleAccount({ perMinute: 1_000, perDay: 1_000 });
    await stores.accounts.createAccount(account);
    const { text: _, ...key } = sampleKey(account.id);
    await stores.accounts.addKey(key, 10, NOON);
    const admit = (at: number) => stores.usage.admit({ accountId: account.id, digest: key.digest }, at);
    await admit(NOON);
    await admit(NOON + MINUTE_MS);
    const before = database.prepare('SELECT * FROM usage_history').all();
    expect(before).toMatchObject([{ account_id: account.id, kind: 'minutes', counts: `[[${NOON / MINUTE_MS},1]]` }]);
    database.exec("CREATE TRIGGER no_writes BEFORE INSERT ON usage_history BEGIN SELECT raise(ABORT, 'written'); END");
    for (let n = 1; n < 60; n += 1) expect((await admit(NOON + MINUTE_MS + n * 1_000)).kind).toBe('admitted');
    expect(database.prepare('SELECT * FROM usage_history').all()).toEqual(before);
    // Nor does a request fail because of it: what could not be written is written with the next minute.
    expect((await admit(NOON + 2 * MINUTE_MS)).kind).toBe('admitted');
    database.exec('DROP TRIGGER no_writes');
    expect((await admit(NOON + 3 * MINUTE_MS)).kind).toBe('admitted');
    const first = NOON / MINUTE_MS;
    expect(database.prepare('SELECT counts FROM usage_history').all()).toEqual([
      {
        counts: JSON.stringify([
          [first, 1],
          [first + 1, 60],
          [first + 2, 1],
        ]),
      },
    ]);
    stores.close();
  });

  test('keeps the refusals that the version before has counted', async () => {
    const folder = testFolder();
    const earlier = new DatabaseSync(join(folder, DATABASE_FILE));
    const version = MIGRATIONS.findIndex((each) => each.includes('CREATE TABLE usage_history'));
    for (const migration of MIGRATIONS.slice(0, version)) earlier.exec(migration);
    earlier.exec(`PRAGMA user_version = ${OLDEST_VERSION + version - 1}`);
    const account = sampleAccount();
    earlier.exec(`INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES ('${account.id}', 'A', 'free', 60, 1000, ${NOON})`);
    const day = Math.floor(NOON / DAY_MS);
    for (const [ago, count] of [
      [0, 3],
      [1, 4],
      [6, 5],
    ])
      earlier.exec(`INSERT INTO refusals VALUES ('${account.id}', ${day - Number(ago)}, ${count})`);
    earlier.close();
    const stores = openSqliteStores(folder);
    await stores.usage.countRefusals(account.id, 1, NOON);
    expect((await stores.usage.usage(account.id, NOON))?.history.days.slice(-7).map(({ refused }) => refused)).toEqual([5, 0, 0, 0, 0, 4, 4]);
    stores.close();
  });

  test('keeps everything across a restart, and is readable only by its owner', async () => {
    const folder = testFolder();
    const before = openSqliteStores(folder);
    const account = sampleAccount({ perMinute: 1, perDay: 9 });
    const { text: _, ...key } = sampleKey(account.id);
    await before.accounts.createAccount(account);
    await before.accounts.addKey(key, 10, NOON);
    await before.pets.create({ pet: samplePet(7) }, NOON);
    await before.usage.admit({ accountId: account.id, digest: key.digest }, NOON);
    before.close();
    const after = openSqliteStores(folder);
    expect(await after.pets.get(7)).toEqual(samplePet(7));
    expect(await after.accounts.listKeys(account.id)).toEqual([{ ...key, lastUsedAt: NOON }]);
    expect((await after.usage.admit({ accountId: account.id, digest: key.digest }, NOON)).kind).toBe('limited');
    after.close();
    expect(statSync(join(folder, DATABASE_FILE)).mode & 0o777).toBe(0o600);
  });

  test('can be shared by two processes: each sees what the other commits', async () => {
    const folder = testFolder();
    const one = openSqliteStores(folder);
    const two = openSqliteStores(folder);
    await one.pets.create({ pet: samplePet(1) }, NOON);
    await two.pets.create({ pet: samplePet(2) }, NOON);
    expect((await one.pets.list({ after: 0, status: undefined, limit: 9 })).map(({ id }) => id)).toEqual([1, 2]);
    one.close();
    two.close();
  });

  test('stays locked while one process has several connections open: otherwise closing one would delete the log', () => {
    const folder = testFolder();
    const first = openDatabase(folder, 'crash');
    const { ino } = statSync(join(folder, DATABASE_FILE));
    const locks = () => readFileSync('/proc/locks', 'utf8').match(new RegExp(` ${process.pid} [\\da-f:]+:${ino} `, 'g'))?.length ?? 0;
    expect(locks()).toBeGreaterThan(0);
    const second = openDatabase(folder, 'crash');
    expect(locks()).toBeGreaterThan(0);
    second.close();
    first.close();
  });

  test('is ignored by git, if its folder did not exist before', () => {
    const parent = testFolder();
    const ignored = join('below', 'data', '.gitignore');
    openDatabase(join(parent, 'below', 'data'), 'crash').close();
    expect(readFileSync(join(parent, ignored), 'utf8')).toBe('*\n');
    expect(statSync(join(parent, ignored)).mode & 0o077).toBe(0);
    // The folder exists now, and what its user has deleted stays deleted.
    rmSync(join(parent, ignored));
    openDatabase(join(parent, 'below', 'data'), 'crash').close();
    openDatabase(parent, 'crash').close();
    expect([existsSync(join(parent, ignored)), existsSync(join(parent, '.gitignore'))]).toEqual([false, false]);
  });

  test('refuses a database from a newer version and says what to do', () => {
    const folder = testFolder();
    openDatabase(folder, 'crash').close();
    const raw = new DatabaseSync(join(folder, DATABASE_FILE));
    raw.exec(`PRAGMA user_version = ${NEWEST_VERSION + 1}`);
    raw.close();
    expect(() => openDatabase(folder, 'crash')).toThrow(/newer version .* PETSTORE_DATA/);
  });

  test('refuses a file that is not a database', async () => {
    const folder = testFolder();
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(folder, DATABASE_FILE), 'not a database, but long enough to have a header of one hundred bytes '.repeat(4));
    expect(() => openSqliteStores(folder)).toThrow(/not a database/);
  });

  test('a locked file is a StoreFault, for a write and its whole batch, until the lock is released', async () => {
    const folder = testFolder();
    const stores = openSqliteStores(folder);
    const locker = new DatabaseSync(join(folder, DATABASE_FILE));
    locker.exec('BEGIN IMMEDIATE');
    const results = await Promise.allSettled([stores.pets.create({ pet: samplePet(1) }, NOON), stores.pets.create({ pet: samplePet(2) }, NOON)]);
    expect(results.map((result) => result.status === 'rejected' && result.reason instanceof StoreFault && result.reason.kind)).toEqual([
      'unavailable',
      'unavailable',
    ]);
    locker.exec('ROLLBACK');
    locker.close();
    expect((await stores.pets.create({ pet: samplePet(1) }, NOON)).kind).toBe('created');
    stores.close();
  });

  test('a malformed idempotency record is a fault, not a wrong answer', async () => {
    const folder = testFolder();
    const stores = openSqliteStores(folder);
    const idempotency = { owner: 'a', key: 'k', fingerprint: 'f', expiresAt: NOON + 1 };
    await stores.pets.create({ pet: samplePet(1), idempotency }, NOON);
    const raw = new DatabaseSync(join(folder, DATABASE_FILE));
    raw.exec("UPDATE idempotency SET pet = '{'");
    raw.close();
    await expect(stores.pets.create({ pet: samplePet(2), idempotency }, NOON)).rejects.toMatchObject({ kind: 'corrupt' });
    stores.close();
  });

  test('deletes expired idempotency records', async () => {
    const folder = testFolder();
    const stores = openSqliteStores(folder);
    for (let n = 1; n <= 5; n += 1) {
      await stores.pets.create({ pet: samplePet(n), idempotency: { owner: 'a', key: `k${n}`, fingerprint: 'f', expiresAt: NOON + n } }, NOON);
    }
    await stores.pets.create({ pet: samplePet(6) }, NOON + 3);
    const raw = new DatabaseSync(join(folder, DATABASE_FILE));
    expect(
      raw
        .prepare('SELECT key FROM idempotency ORDER BY key')
        .all()
        .map(({ key }) => key),
    ).toEqual(['k4', 'k5']);
    raw.close();
    stores.close();
  });
});
