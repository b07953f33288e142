// The state of an installation in SQLite, and which projects have too many deployments, read from indexes or from counts that the database keeps.

import type { DatabaseSync } from 'node:sqlite';
import { countDomains } from '../../../core/domains/states.ts';
import type { Page } from '../../../core/page.ts';
import { type DueItems, type InstallationState, QUEUE_NAMES, type QueueName } from '../../../core/ports.ts';
import { prepareSelect } from './database.ts';
import { guarded } from './transaction.ts';

/** The column of each queue's table that says when an item is due. */
const DUE_COLUMNS: Readonly<Record<QueueName, string>> = { domains: 'wake_at', notifications: 'due_at', file_removals: 'due_at' };

/** Creates the state. Accounts stored by another adapter are not counted. */
export function createSqliteInstallationState(database: DatabaseSync): InstallationState {
  const queues = QUEUE_NAMES.map((name) => {
    const column = DUE_COLUMNS[name];
    const sql = `SELECT count(*) AS count, min(${column}) AS since FROM ${name} WHERE ${column} <= ?`;
    return { name, select: prepareSelect<{ count: number; since: number | null }>(database, sql) };
  });
  const counts = prepareSelect<{ state: string; expiryHour: number; domains: number }>(
    database,
    'SELECT state, expiry_hour AS expiryHour, domains FROM domain_counts WHERE domains > 0 ORDER BY expiry_hour',
  );
  const requests = prepareSelect<{ open: number }>(
    database,
    "SELECT count(*) AS open FROM accounts WHERE plan_request IS NOT NULL AND plan_request ->> '$.decision' IS NULL AND deleted_at IS NULL",
  );
  return {
    dueItems: async (now) =>
      guarded(() => {
        const found = queues.map(({ name, select }) => {
          const { count = 0, since = null } = select.one(now) ?? {};
          return [name, { count, since: since ?? undefined }];
        });
        return Object.fromEntries(found) as Record<QueueName, DueItems>;
      }),
    domainCounts: async () => guarded(() => countDomains(counts.all())),
    openPlanRequests: async () => guarded(() => requests.one()?.open ?? 0),
  };
}

/** Number of projects per page. */
const PAGE = 100;

/** Creates the list of projects with more than `most` deployments, by id. @returns a function that reads a page; `after` is the last page's `next` */
export function prepareCrowdedProjects(database: DatabaseSync, most: number): (after?: string) => Page<string> {
  const select = prepareSelect<{ project_id: string }>(
    database,
    'SELECT project_id FROM deployments WHERE project_id > ? GROUP BY project_id HAVING count(*) > ? ORDER BY project_id LIMIT ?',
  );
  return (after = '') =>
    guarded(() => {
      const ids = select.all(after, most, PAGE).map(({ project_id }) => project_id);
      return { items: ids, next: ids.length < PAGE ? undefined : ids.at(-1) };
    });
}
