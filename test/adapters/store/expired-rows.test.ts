// Rows that end: each goes when its time has come and not before, in small steps, found by an index.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../adapters/store/sqlite/database.ts';
import { EXPIRIES, REMOVED_AT_ONCE, removalSql, removeExpiredRows } from '../../../adapters/store/sqlite/expired-rows.ts';
import { openSqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { EXPIRED_KEY_KEPT_MS } from '../../../core/access/account.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import { PROJECT_TOMBSTONE_MS } from '../../../core/projects/project.ts';
import { NOON, sampleAccount, sampleKey } from '../../../testing/samples.ts';
import { testFolder } from '../../support/folders.ts';

let database: DatabaseSync;
let inserted = 0;

beforeEach(() => {
  const opened = openDatabase(testFolder(), 'crash', false);
  database = opened;
  onTestFinished(() => opened.close());
});

/** Inserts a row with these values; its other columns get values of the right type, different in each row. */
function insert(table: string, values: Readonly<Record<string, SQLInputValue>>): void {
  inserted += 1;
  const columns = database.prepare('SELECT name, type FROM pragma_table_info(?)').all(table);
  const filler = (name: unknown, type: unknown) =>
    type === 'INTEGER' ? inserted : name === 'body' ? '{"state":{"name":"live"}}' : `${name}-${inserted}`;
  const all = columns.map(({ name, type }) => values[String(name)] ?? filler(name, type));
  database.prepare(`INSERT INTO ${table} VALUES (${all.map(() => '?').join(', ')})`).run(...all);
}

const count = (table: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
const removeAll = (now: number, options: Partial<Parameters<typeof removeExpiredRows>[2]> = {}) =>
  removeExpiredRows(database, now, { isTimeLeft: () => true, rest: async () => {}, ...options });

/** The column with a row's end, and what else makes it a row that ends. */
const ROWS: Readonly<Record<string, (at: number) => Readonly<Record<string, SQLInputValue>>>> = {
  revoked_keys: (at) => ({ revoked_at: at }),
  invitation_days: (day) => ({ day: day + 1 }),
  notifications: (at) => ({ at }),
  acme_failures: (at) => ({ failed_at: at }),
  order_buckets: (at) => ({ full_at: at }),
  kept_certificates: (at) => ({ not_after: at }),
  domains: (until) => ({ active_host: null, body: JSON.stringify({ state: { name: 'removed', until } }) }),
  projects: (at) => ({ deleted_at: at }),
  accounts: (at) => ({ deleted_at: at }),
};
const rowOf = (table: string, at: number): Readonly<Record<string, SQLInputValue>> => ROWS[table]?.(at) ?? { expires_at: at };

describe('rows', () => {
  test.each(EXPIRIES.filter(({ table }) => table !== 'usage_history'))('of $table go when they have ended, and no others', async (expiry) => {
    const end = expiry.before(NOON) - (expiry.table === 'invitation_days' ? 2 : 0);
    insertEnding(expiry.table, end);
    insertEnding(expiry.table, end + 1);
    expect(await removeAll(NOON)).toMatchObject({ [expiry.table]: 1 });
    expect(count(expiry.table)).toBe(1);
  });

  /** Columns of tombstones are null, which `insert` would fill. */
  function insertEnding(table: string, at: number): void {
    const { active_host, ...values } = rowOf(table, at);
    insert(table, values);
    if (active_host === null) database.exec('UPDATE domains SET active_host = NULL');
  }

  test.each(['minutes', 'refused_minutes', 'days', 'refused_days'])('of the usage history go when nothing of them is shown: %s', async (kind) => {
    const before = EXPIRIES.find(({ ended }) => ended.includes(`'${kind}'`))?.before(NOON) ?? 0;
    for (const block of [before - 1, before]) insert('usage_history', { kind, block });
    await removeAll(NOON);
    expect(database.prepare('SELECT block FROM usage_history').all()).toEqual([{ block: before }]);
  });

  test('of a deleted project stay while anything refers to it', async () => {
    for (const table of ['domains', 'deployments', 'file_removals', 'own_addresses']) {
      insert('projects', { id: `prj_${table}`, deleted_at: NOON });
      insert(table, { project_id: `prj_${table}` });
    }
    insert('projects', { id: 'prj_free', deleted_at: NOON });
    await removeAll(NOON + PROJECT_TOMBSTONE_MS);
    expect(database.prepare("SELECT count(*) AS n FROM projects WHERE id = 'prj_free'").get()).toEqual({ n: 0 });
    expect(count('projects')).toBe(4);
  });

  test('of a deleted account stay while anything refers to it', async () => {
    for (const table of ['projects', 'members']) {
      insert('accounts', { id: `acc_${table}`, deleted_at: NOON });
      insert(table, { account_id: `acc_${table}`, ...(table === 'projects' && { deleted_at: NOON }) });
    }
    insert('accounts', { id: 'acc_free', deleted_at: NOON });
    await removeAll(NOON);
    expect(database.prepare('SELECT id FROM accounts ORDER BY id').all()).toEqual([{ id: 'acc_members' }, { id: 'acc_projects' }]);
  });

  test('of imports go with their source, and the source after them', async () => {
    const [ended, current] = [1, 2];
    insert('import_sources', { id: ended, expires_at: NOON });
    insert('import_sources', { id: current, expires_at: NOON + 1 });
    for (let n = 0; n < 2 * REMOVED_AT_ONCE + 1; n += 1) for (const source_id of [ended, current]) insert('imported_lines', { source_id });
    let steps = 0;
    await removeAll(NOON, {
      // Killed in the middle.
      isTimeLeft: () => count('imported_lines') > 3 * REMOVED_AT_ONCE + 2,
      rest: async () => {
        steps += 1;
      },
    });
    expect([count('import_sources'), count('imported_lines')]).toEqual([2, 3 * REMOVED_AT_ONCE + 2]);
    await removeAll(NOON);
    expect(database.prepare('SELECT id FROM import_sources').all()).toEqual([{ id: current }]);
    expect(count('imported_lines')).toBe(2 * REMOVED_AT_ONCE + 1);
    expect(steps).toBeGreaterThan(0);
  });
});

describe('the removal', () => {
  test('takes a bounded step at a time, after which others have their turn', async () => {
    database.exec('BEGIN');
    for (let n = 0; n < 4 * REMOVED_AT_ONCE + 1; n += 1) insert('idempotency', { expires_at: NOON });
    database.exec('COMMIT');
    const left: number[] = [];
    await removeAll(NOON, { rest: async () => void left.push(count('idempotency')) });
    expect(left).toEqual([...[3, 2, 1, 0].map((steps) => steps * REMOVED_AT_ONCE + 1), 0]);
  });

  test('finds its rows by an index', () => {
    for (const expiry of EXPIRIES) {
      const inner = /\((SELECT .*)\)$/s.exec(removalSql(expiry))?.[1] ?? '';
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${inner}`).all(0);
      expect([expiry.table, plan[0]?.detail]).toEqual([expiry.table, expect.stringMatching(/^SEARCH .* USING (COVERING )?INDEX /)]);
    }
  });

  test('goes on with the other tables if one fails', async () => {
    insert('answers', { expires_at: NOON });
    insert('revoked_keys', { revoked_at: 0 });
    database.exec("CREATE TRIGGER stuck BEFORE DELETE ON answers BEGIN SELECT raise(ABORT, 'stuck'); END");
    await expect(removeAll(NOON)).rejects.toThrow('expired rows could not be removed');
    expect([count('answers'), count('revoked_keys')]).toEqual([1, 0]);
  });

  test('leaves keys that have expired visible for 90 days, and those without an end alone', async () => {
    const stores = openSqliteStores(testFolder());
    const account = sampleAccount();
    await stores.accounts.createAccount(account);
    const keys = [sampleKey(account.id), sampleKey(account.id, { expiresAt: NOON })];
    for (const { text: _, ...key } of keys) await stores.accounts.addKey(key, 10, NOON - DAY_MS);
    const listed = async (now: number) => {
      await stores.removeExpired(now, () => true);
      return (await stores.accounts.listKeys(account.id)).length;
    };
    expect([await listed(NOON + EXPIRED_KEY_KEPT_MS - 1), await listed(NOON + EXPIRED_KEY_KEPT_MS)]).toEqual([2, 1]);
    expect((await stores.accounts.listKeys(account.id))[0]?.id).toBe(keys[0]?.id);
    stores.close();
  });
});
