// What hosts share besides the platform's records: keys, and the removal of what has ended.

import { DAY_MS, REVOKED_KEPT_MS, windowsAt } from 'petstore-platform';
import { EXPIRED_KEY_KEPT_MS, EXPIRED_TOKEN_KEPT_MS, type InstallationStore, KEPT_MS, PROJECT_TOMBSTONE_MS } from 'petstore-platform/stores';
import { type Database, durably, type Statement } from './database.ts';

/** Rows that one statement removes, at most. */
const REMOVED_AT_ONCE = 500;
/** Projects in a page. */
const PAGE = 100;
/** A row that ends in more than a month was written with a wrong clock, in milliseconds. */
const TOO_FAR_MS = 31 * DAY_MS;

/** Rows that end. `ended` is a condition on `$1`, which `before` computes from the time in milliseconds since 1970. */
interface Expiry {
  readonly table: string;
  readonly ended: string;
  readonly before: (now: number) => number;
  /** The column with the end of rows that end within days. */
  readonly end?: string;
}

const past = (now: number) => now;

/** In this order: a project goes after what refers to it. Accounts have no rows that stay: they are deleted at once. */
const EXPIRIES: readonly Expiry[] = [
  { table: 'idempotency', ended: 'expires_at <= $1', before: past, end: 'expires_at' },
  { table: 'answers', ended: 'expires_at <= $1', before: past, end: 'expires_at' },
  { table: 'api_keys', ended: 'expires_at <= $1', before: (now) => now - EXPIRED_KEY_KEPT_MS },
  { table: 'revoked_keys', ended: 'revoked_at <= $1', before: (now) => now - REVOKED_KEPT_MS },
  { table: 'deploy_tokens', ended: 'expires_at <= $1', before: (now) => now - EXPIRED_TOKEN_KEPT_MS },
  { table: 'invitations', ended: 'expires_at <= $1', before: past },
  { table: 'invitation_days', ended: 'day < $1', before: (now) => windowsAt(now).day - 1 },
  { table: 'notifications', ended: 'at <= $1', before: (now) => now - KEPT_MS, end: 'at' },
  { table: 'oidc', ended: 'expires_at <= $1', before: past },
  { table: 'ended_sessions', ended: 'expires_at <= $1', before: past, end: 'expires_at' },
  { table: 'password_resets', ended: 'expires_at <= $1', before: past, end: 'expires_at' },
  { table: 'user_requests', ended: 'minute < $1', before: (now) => windowsAt(now).minute - 1 },
  { table: 'reports', ended: 'at <= $1', before: (now) => now - 8 * DAY_MS },
  // Only failures of the last hour count.
  { table: 'acme_failures', ended: 'failed_at <= $1', before: (now) => now - DAY_MS },
  // A bucket that is full is as good as none.
  { table: 'order_buckets', ended: 'full_at <= $1', before: past, end: 'full_at' },
  { table: 'kept_certificates', ended: 'not_after <= $1', before: past },
  { table: 'domains', ended: "active_host IS NULL AND (body::jsonb -> 'state' ->> 'until')::bigint <= $1", before: past },
  {
    table: 'projects',
    ended: `deleted_at <= $1 AND NOT EXISTS (SELECT FROM domains WHERE project_id = projects.id)
      AND NOT EXISTS (SELECT FROM file_removals WHERE project_id = projects.id)
      AND NOT EXISTS (SELECT FROM own_addresses WHERE project_id = projects.id)`,
    before: (now) => now - PROJECT_TOMBSTONE_MS,
  },
];

const KEYS: Statement = { text: 'SELECT content FROM installation_keys WHERE name = $1' };
const KEEP: Statement = { text: 'INSERT INTO installation_keys (name, content) VALUES ($1, $2) ON CONFLICT DO NOTHING' };
const OPEN: Statement = { text: 'INSERT INTO outbox_open (id) VALUES ($1) ON CONFLICT DO NOTHING' };
const CLOSE: readonly Statement[] = [{ text: 'DELETE FROM outbox_open' }, { text: 'DELETE FROM notifications' }];
const CROWDED: Statement = {
  text: `SELECT project_id FROM deployments WHERE project_id > $1 GROUP BY project_id HAVING count(*) > $2 ORDER BY project_id LIMIT ${PAGE}`,
};

/** Creates the store. */
export function createInstallationStore(database: Database): InstallationStore {
  return {
    keys: async (name, fresh) => {
      if (fresh !== undefined) await database.query(KEEP, [name, fresh]);
      return (await database.query<{ content: string }>(KEYS, [name]))[0]?.content;
    },
    setOutboxOpen: async (isOpen) => {
      if (isOpen) return void (await database.query(OPEN, [1]));
      await durably(database, async (transaction) => {
        for (const statement of CLOSE) transaction.send(statement);
      });
    },
    crowdedProjects: async (most, after = '') => {
      const items = (await database.query<{ project_id: string }>(CROWDED, [after, most])).map(({ project_id }) => project_id);
      return { items, next: items.length < PAGE ? undefined : items.at(-1) };
    },
    removeExpired: async (now, isTimeLeft) => {
      const removed: Record<string, number> = {};
      const faults: unknown[] = [];
      const remove = async (table: string, ended: string, bound: number) => {
        // Several hosts do this at once: none waits for rows that another removes.
        const text = `DELETE FROM ${table} WHERE ctid = ANY (ARRAY (SELECT ctid FROM ${table} WHERE ${ended} LIMIT ${REMOVED_AT_ONCE} FOR UPDATE SKIP LOCKED)) RETURNING 1`;
        for (let count = 1; count > 0 && isTimeLeft(); ) {
          count = (await database.query({ text }, [bound])).length;
          removed[table] = (removed[table] ?? 0) + count;
        }
      };
      for (const { table, ended, before, end } of EXPIRIES) {
        await remove(table, ended, before(now)).catch((error: unknown) => faults.push(error));
        if (end !== undefined) await remove(table, `${end} > $1`, now + TOO_FAR_MS).catch((error: unknown) => faults.push(error));
      }
      // A table that fails does not stop the others.
      if (faults.length > 0) throw faults[0];
      return removed;
    },
  };
}
