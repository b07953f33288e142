// Domains in SQLite. Each is stored as JSON; a write succeeds only if that JSON has not changed since it was read.

import type { DatabaseSync } from 'node:sqlite';
import { domainAdded, domainStateSet } from '../../../core/audit/changes.ts';
import type { Domain } from '../../../core/domains/domain.ts';
import { takeToken } from '../../../core/domains/order-budget.ts';
import type { DomainStore, OrderLimiter } from '../../../core/domains/ports.ts';
import { type DomainQueue, duePage, parseDuePosition } from '../../../core/domains/queue.ts';
import { isProved, isWaitedFor, nextCheckAt } from '../../../core/domains/states.ts';
import { domainNotification } from '../../../core/notifications/domain-notification.ts';
import { byAge } from '../../../core/page.ts';
import type { RecordChange } from './audit.ts';
import { prepareSelect } from './database.ts';
import type { RecordNotification } from './outbox.ts';
import { guarded, transaction } from './transaction.ts';

/** Selects the ids of domains that are due, or whose time was set while the clock was wrong. */
const DUE_SQL = `SELECT id FROM domains WHERE wake_at <= ?1 UNION SELECT id FROM domains WHERE wake_at IS NOT NULL AND changed_at > ?1`;

/** Ranks an account's domains by time and limits their number, so that no account fills the queue. */
const QUEUED_SQL = `
  SELECT body FROM (
    SELECT id, place, at FROM (
      SELECT d.id AS id, d.wake_at AS at, row_number() OVER (PARTITION BY p.account_id ORDER BY d.wake_at, d.id) AS place
      FROM (${DUE_SQL}) due JOIN domains d ON d.id = due.id JOIN projects p ON p.id = d.project_id
      WHERE d.waited_for = ?2 AND d.id NOT IN (SELECT value FROM json_each(?3))
    ) WHERE place <= ?4 ORDER BY place, at, id LIMIT ?5
  ) queued JOIN domains USING (id) ORDER BY place, at, id`;

/** Creates the domain store, which is also the work queue. */
export function createSqliteDomainStore(database: DatabaseSync, notify: RecordNotification, record: RecordChange): DomainStore & DomainQueue {
  const insert = database.prepare(
    'INSERT INTO domains (id, host, project_id, proved_host, active_host, wake_at, waited_for, changed_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const prepare = (sql: string) => prepareSelect(database, sql, ({ body }: { readonly body: string }): Domain => JSON.parse(body));
  const select = prepare('SELECT body FROM domains WHERE id = ?');
  const selectOfProject = prepare('SELECT body FROM domains WHERE project_id = ? AND active_host IS NOT NULL');
  const selectOfHost = prepare('SELECT body FROM domains WHERE host = ?');
  const selectProved = prepareSelect<{ id: string }>(database, 'SELECT id FROM domains WHERE proved_host = ? AND id <> ?');
  const update = database.prepare(
    'UPDATE domains SET proved_host = ?, active_host = ?, wake_at = ?, waited_for = ?, changed_at = ?, body = ? WHERE id = ? AND body = ?',
  );
  const selectDue = prepare(`SELECT body FROM domains WHERE id IN (${DUE_SQL}) AND (wake_at, id) > (?2, ?3) ORDER BY wake_at, id LIMIT ?4`);
  const selectQueued = prepare(QUEUED_SQL);

  return {
    addDomain: async (domain) =>
      transaction(database, () => {
        if (insert.run(domain.id, domain.host, domain.projectId, ...columnsOf(domain)).changes !== 1) return 'exists';
        record(domainAdded(domain));
        return 'added';
      }),
    getDomain: async (id) => guarded(() => select.one(id)),
    listDomains: async (projectId) => guarded(() => selectOfProject.all(projectId).sort(byAge)),
    claimsOf: async (host) => guarded(() => selectOfHost.all(host).sort(byAge)),
    saveDomain: async (next, read) =>
      transaction(database, () => {
        if (isProved(next.state) && selectProved.one(next.host, next.id) !== undefined) return 'host_taken';
        if (update.run(...columnsOf(next), read.id, JSON.stringify(read)).changes !== 1) return 'changed';
        record(domainStateSet(read, next));
        notify(domainNotification(read, next));
        return 'saved';
      }),
    queuedDomains: async ({ waitedFor, now, limit, perAccount, except }) =>
      guarded(() => selectQueued.all(now, waitedFor ? 1 : 0, JSON.stringify(except), perAccount, limit)),
    dueDomains: async (now, limit, after) =>
      guarded(() => {
        const { wakeAt, id } = parseDuePosition(after);
        return duePage(selectDue.all(now, wakeAt, id, limit), limit);
      }),
  };
}

type Columns = [provedHost: string | null, activeHost: string | null, wakeAt: number | null, waitedFor: number, changedAt: number, body: string];

function columnsOf(domain: Domain): Columns {
  const { host, state, changedAt = 0 } = domain;
  const activeHost = state.name === 'removed' ? null : host;
  return [isProved(state) ? host : null, activeHost, nextCheckAt(state) ?? null, isWaitedFor(state) ? 1 : 0, changedAt, JSON.stringify(domain)];
}

/** Creates the limiter. */
export function createSqliteOrderLimiter(database: DatabaseSync): OrderLimiter {
  const select = prepareSelect<{ full_at: number }>(database, 'SELECT full_at FROM order_buckets WHERE key = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO order_buckets (key, full_at) VALUES (?, ?)');
  return {
    take: (buckets, now) =>
      transaction(database, () => {
        const results = buckets.map((bucket) => ({ ...bucket, ...takeToken(bucket, select.one(bucket.key)?.full_at, now) }));
        const empty = results.flatMap((result) => (result.kind === 'empty' ? [result.until] : []));
        if (empty.length > 0) return Math.max(...empty);
        for (const result of results) if (result.kind === 'taken') upsert.run(result.key, result.fullAt);
        return undefined;
      }),
  };
}
