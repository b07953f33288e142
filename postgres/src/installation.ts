// What hosts share besides the platform's records: keys, and the removal of expired rows.

import { DAY_MS, REVOKED_KEPT_MS, windowsAt } from 'petstore-platform';
import {
  AUDIT_KEPT_MS,
  auditIdsFrom,
  countDomains,
  type DomainCounts,
  type DueItems,
  EXPIRED_KEY_KEPT_MS,
  EXPIRED_TOKEN_KEPT_MS,
  type InstallationStore,
  KEPT_MS,
  PROJECT_TOMBSTONE_MS,
  type QueueName,
} from 'petstore-platform/stores';
import { type Database, durably, type Statement } from './database.ts';
import { KEPT_FOR_400_DAYS } from './records.ts';

/** Maximum number of rows that one statement removes. */
const REMOVED_AT_ONCE = 500;
/** Projects per page. */
const PAGE = 100;
/** A row that ends later than this, in milliseconds from now, was written while the clock was wrong. */
const TOO_FAR_MS = 31 * DAY_MS;

/** Rows that expire. `ended` is a condition on `$1`, which `before` computes from the time in milliseconds since 1970. */
interface Expiry {
  readonly table: string;
  readonly ended: string;
  readonly before: (now: number) => number;
  /** The column with the end, for rows that expire within days. */
  readonly end?: string;
}

const past = (now: number) => now;

/** The order matters: a project is removed after the rows that refer to it. Accounts are not listed, because they are deleted at once. */
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
  // Only failures in the last hour count.
  { table: 'acme_failures', ended: 'failed_at <= $1', before: (now) => now - DAY_MS },
  // A full bucket permits as much as a missing one.
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

/**
 * Entries of the audit log can't be restored, so this limit follows the hosts' clocks by a day a sweep at most: a jump, even one that lasts, ends no entry
 * early. The server's clock must agree.
 */
const AUDIT_END: Statement = {
  text: `INSERT INTO audit_end AS known (id, at, before) VALUES (1, $1, $2) ON CONFLICT (id) DO UPDATE
    SET before = greatest(known.before, least(excluded.before, known.before + least(excluded.at - known.at, ${DAY_MS}))), at = excluded.at
    RETURNING least(before, $2) AS until`,
};

/** The statements that count a queue's due items. The domains' index begins with `waited_for`, so both its values are listed. */
const QUEUES: Readonly<Record<QueueName, string>> = {
  domains: 'SELECT count(*) AS count, min(wake_at) AS since FROM domains WHERE waited_for IN (true, false) AND wake_at <= $1',
  notifications: 'SELECT count(*) AS count, min(due_at) AS since FROM notifications WHERE due_at <= $1',
  file_removals: 'SELECT count(*) AS count, min(due_at) AS since FROM file_removals WHERE due_at <= $1',
};

/** Reads all domains, so each host does it at most once a minute. */
const COUNT_DOMAINS: Statement = {
  text: `SELECT body::jsonb -> 'state' ->> 'name' AS state, coalesce((body::jsonb -> 'certificate' ->> 'notAfter')::bigint, 0) / 3600000 AS hour,
    count(*) AS domains FROM domains GROUP BY 1, 2 ORDER BY 2`,
};
const COUNTED_MS = 60_000;
const COUNT_REQUESTS: Statement = {
  text: "SELECT count(*) AS open FROM accounts WHERE plan_request IS NOT NULL AND plan_request::jsonb -> 'decision' IS NULL",
};

const KEYS: Statement = { text: 'SELECT content FROM installation_keys WHERE name = $1' };
const KEEP: Statement = { text: 'INSERT INTO installation_keys (name, content) VALUES ($1, $2) ON CONFLICT DO NOTHING' };
const OPEN: Statement = { text: 'INSERT INTO outbox_open (id) VALUES ($1) ON CONFLICT DO NOTHING' };
const CLOSE: readonly Statement[] = [{ text: 'DELETE FROM outbox_open' }, { text: 'DELETE FROM notifications' }];
const CROWDED: Statement = {
  text: `SELECT project_id FROM deployments WHERE project_id > $1 GROUP BY project_id HAVING count(*) > $2 ORDER BY project_id LIMIT ${PAGE}`,
};

/** Creates the store. */
export function createInstallationStore(database: Database): InstallationStore {
  let countedAt = Number.NEGATIVE_INFINITY;
  let counts: Promise<DomainCounts> = Promise.resolve(countDomains([]));
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
      const remove = async (table: string, ended: string, bound: number | string) => {
        // Several hosts may do this at once; none waits for rows that another is removing.
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
      await database
        .query<{ until: bigint }>(AUDIT_END, [now, now - AUDIT_KEPT_MS])
        .then(([row]) => remove('audit', `id < $1${KEPT_FOR_400_DAYS}`, auditIdsFrom(Number(row?.until))))
        .catch((error: unknown) => faults.push(error));
      // A table that fails does not stop the others.
      if (faults.length > 0) throw faults[0];
      return removed;
    },
    dueItems: async (now) => {
      const due = Object.entries(QUEUES).map(async ([name, text]) => {
        const [row] = await database.query<{ count: bigint; since: bigint | null }>({ text }, [now]);
        return [name, { count: Number(row?.count), since: row?.since == null ? undefined : Number(row.since) }];
      });
      return Object.fromEntries(await Promise.all(due)) as Record<QueueName, DueItems>;
    },
    domainCounts: () => {
      if (performance.now() - countedAt >= COUNTED_MS) {
        countedAt = performance.now();
        counts = database
          .query<{ state: string; hour: bigint; domains: bigint }>(COUNT_DOMAINS)
          .then((rows) => countDomains(rows.map(({ state, hour, domains }) => ({ state, expiryHour: Number(hour), domains: Number(domains) }))));
        counts.catch(() => {
          countedAt = Number.NEGATIVE_INFINITY;
        });
      }
      return counts;
    },
    openPlanRequests: async () => Number((await database.query<{ open: bigint }>(COUNT_REQUESTS))[0]?.open),
  };
}
