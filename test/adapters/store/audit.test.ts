import { afterEach, describe, expect, test } from 'vitest';
import { openSqliteStores, type SqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { DAY_MS, HOUR_MS } from '../../../core/limits/windows.ts';
import { NOON, sampleAccount } from '../../../testing/samples.ts';
import { makeInstallation } from '../../support/folders.ts';

const ending: (() => void)[] = [];
afterEach(() => {
  for (const end of ending.splice(0).toReversed()) end();
});

function open(clock: () => number): SqliteStores & { readonly path: string } {
  const { path, remove } = makeInstallation();
  const stores = openSqliteStores(path, { clock });
  ending.push(remove, stores.close);
  return { ...stores, path };
}

const count = ({ database }: SqliteStores) => (database.prepare('SELECT count(*) AS n FROM audit').get() as { n: number }).n;

describe('the audit log in SQLite', () => {
  test('can be added to, and not be changed', async () => {
    const stores = open(() => NOON);
    await stores.accounts.createAccount(sampleAccount());
    const { database } = stores;
    expect(() => database.exec("UPDATE audit SET actor = '{}'")).toThrow('entries of the audit log are never changed');
    expect(() => database.exec('DELETE FROM audit')).toThrow('entries of the audit log are kept for 400 days');
    expect(count(stores)).toBe(1);
  });

  /** Adds an entry at the clock's time. */
  const add = (stores: SqliteStores) => stores.accounts.createAccount(sampleAccount());

  const sweep = (stores: SqliteStores, day: number) => stores.removeExpired(NOON + day * DAY_MS, () => true);

  /** As if there had been a sweep on each day until this one; then sweeps. */
  async function sweepUntil(stores: SqliteStores, day: number): Promise<void> {
    const before = NOON + (day - 1) * DAY_MS;
    stores.database.exec(`UPDATE audit_end SET at = ${before}, before = ${before} - 400 * ${DAY_MS} WHERE at < ${before}`);
    await sweep(stores, day);
  }

  test('keeps entries for 400 days, and then the sweep removes them', async () => {
    let now = NOON;
    const stores = open(() => now);
    await add(stores);
    await sweep(stores, 0);
    now = NOON + DAY_MS;
    await add(stores);
    await sweepUntil(stores, 400);
    expect(count(stores)).toBe(2);
    await sweepUntil(stores, 401);
    expect(count(stores)).toBe(1);
  });

  test.each([
    ['two years ahead', 730],
    ['500 days behind until now', 500],
  ])('loses nothing to a clock that is %s, however long', async (_, days) => {
    let now = NOON;
    const stores = open(() => now);
    await add(stores);
    await stores.removeExpired(now, () => true);
    now = NOON + days * DAY_MS;
    for (let hour = 0; hour < 24; hour += 1) {
      await add(stores);
      await stores.removeExpired(now + hour * HOUR_MS, () => true);
    }
    expect(count(stores)).toBe(25);
    expect(() => stores.database.exec('DELETE FROM audit')).toThrow('entries of the audit log are kept for 400 days');
  });

  test('an entry from a clock that was ahead ends after its own time; those after it end after theirs', async () => {
    let now = NOON + 730 * DAY_MS;
    const stores = open(() => now);
    await add(stores);
    await sweep(stores, 730);
    // The clock is right again, and the service has been restarted.
    now = NOON;
    const restarted = openSqliteStores(stores.path, { clock: () => now });
    ending.push(restarted.close);
    await add(restarted);
    for (const [day, kept] of [
      [0, 2],
      [400, 2],
      [401, 1],
      [1130, 1],
      [1131, 0],
    ] as const) {
      await sweepUntil(restarted, day);
      expect([day, count(restarted)]).toEqual([day, kept]);
    }
  });

  test('ids are in the order of the entries, even if the clock is set back', async () => {
    let now = NOON;
    const stores = open(() => now);
    const accounts = [];
    for (const at of [NOON, NOON, NOON - DAY_MS, NOON + 1, NOON + 1]) {
      now = at;
      const account = sampleAccount();
      await stores.accounts.createAccount(account);
      accounts.unshift(account.id);
    }
    const { items } = await stores.audit.entries({}, 10);
    expect(items.map(({ subject }) => subject)).toEqual(accounts);
    expect(items.map(({ at }) => at)).toEqual([NOON + 1, NOON + 1, NOON - DAY_MS, NOON, NOON]);
  });

  test('lists read only the entries that they return', () => {
    const { database } = open(() => NOON);
    const planOf = (sql: string) => (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail);
    const range = 'id >= ? AND id < ? ORDER BY id DESC LIMIT ?';
    expect(planOf(`SELECT * FROM audit WHERE ${range}`)).toEqual(['SEARCH audit USING PRIMARY KEY (id>? AND id<?)']);
    expect(planOf(`SELECT * FROM audit WHERE account_id = ? AND ${range}`)).toEqual([
      'SEARCH audit USING INDEX audit_by_account (account_id=? AND id>? AND id<?)',
    ]);
    // As in adapters/identity/sqlite-sessions.ts.
    const added = "SELECT coalesce(max(id), '') FROM audit WHERE account_id = ?2 AND subject = ?1 AND action = 'member.added'";
    expect(planOf(`SELECT at FROM audit WHERE subject = ?1 AND action GLOB 'sign_in.*' AND id > (${added}) ORDER BY id DESC LIMIT ?3`)).toEqual([
      'SEARCH audit USING INDEX audit_sign_ins (subject=? AND id>?)',
      'SCALAR SUBQUERY 1',
      'SEARCH audit USING COVERING INDEX audit_members (account_id=? AND subject=?)',
    ]);
  });
});
