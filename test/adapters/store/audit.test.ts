import { afterEach, describe, expect, test } from 'vitest';
import { openSqliteStores, type SqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { AUDIT_KEPT_MS } from '../../../core/audit/entry.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import { NOON, sampleAccount } from '../../../testing/samples.ts';
import { makeInstallation } from '../../support/folders.ts';

const ending: (() => void)[] = [];
afterEach(() => {
  for (const end of ending.splice(0).toReversed()) end();
});

function open(clock: () => number): SqliteStores {
  const { path, remove } = makeInstallation();
  const stores = openSqliteStores(path, { clock });
  ending.push(remove, stores.close);
  return stores;
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

  test('keeps entries for 400 days, and then removes them a few at a time', async () => {
    let now = NOON;
    const stores = open(() => now);
    for (let n = 0; n < 25; n += 1) await stores.accounts.createAccount(sampleAccount());
    now = NOON + AUDIT_KEPT_MS - 1;
    await stores.accounts.createAccount(sampleAccount());
    expect(count(stores)).toBe(26);
    now = NOON + AUDIT_KEPT_MS + 1;
    const counts = [];
    for (let n = 0; n < 4; n += 1) {
      await stores.accounts.createAccount(sampleAccount());
      counts.push(count(stores));
    }
    expect(counts).toEqual([17, 8, 4, 5]);
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
