// Removes expired rows from SQLite, in steps that take milliseconds, so that requests are answered in between, however many rows there are. Removed
// rows are no longer shown or needed, so a crash or a repetition does no harm.

import type { DatabaseSync } from 'node:sqlite';
import { EXPIRED_KEY_KEPT_MS, REVOKED_KEPT_MS } from '../../../core/access/account.ts';
import { EXPIRED_TOKEN_KEPT_MS } from '../../../core/access/deploy-tokens.ts';
import { filesRemoved } from '../../../core/audit/changes.ts';
import { AUDIT_KEPT_MS, auditIdsFrom } from '../../../core/audit/entry.ts';
import { oldestShown } from '../../../core/limits/history.ts';
import { DAY_MS, windowsAt } from '../../../core/limits/windows.ts';
import { KEPT_MS } from '../../../core/notifications/schedule.ts';
import type { FileRemoval, FileRemovalStore } from '../../../core/projects/ports.ts';
import { PROJECT_TOMBSTONE_MS } from '../../../core/projects/project.ts';
import type { RecordChange } from './audit.ts';
import { asProperties, prepareSelect } from './database.ts';
import { prepareAccountOf } from './projects.ts';
import { guarded, transaction, written } from './transaction.ts';
import { blockOf } from './usage-history.ts';

/** Maximum number of rows that one transaction removes. */
export const REMOVED_AT_ONCE = 500;

/** Rows that expire. `ended` is a condition with one parameter, whose value `before` computes from the time, in milliseconds since 1970. */
interface Expiry {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: string;
  readonly ended: string;
  readonly before: (now: number) => number;
  /** The column with the rows' expiry time. Rows expire within days, so a time more than a month ahead was written while the clock was wrong. */
  readonly end?: string;
}

/** In milliseconds. */
const TOO_FAR_MS = 31 * DAY_MS;

const usageHistory = (kind: Parameters<typeof blockOf>[0], window: 'minute' | 'day'): Expiry => ({
  table: 'usage_history',
  key: 'account_id, kind, block',
  ended: `kind = '${kind}' AND block < ?`,
  before: (now) => blockOf(kind, oldestShown(now)[window]),
});

/** The order matters: a project is removed after the rows that refer to it, and so is an account. Each condition uses an index. */
export const EXPIRIES: readonly Expiry[] = [
  { table: 'idempotency', key: 'owner, key', ended: 'expires_at <= ?', before: (now) => now, end: 'expires_at' },
  { table: 'answers', key: 'id', ended: 'expires_at <= ?', before: (now) => now, end: 'expires_at' },
  { table: 'api_keys', key: 'digest', ended: 'expires_at <= ?', before: (now) => now - EXPIRED_KEY_KEPT_MS },
  { table: 'revoked_keys', key: 'id', ended: 'revoked_at <= ?', before: (now) => now - REVOKED_KEPT_MS },
  { table: 'deploy_tokens', key: 'id', ended: 'expires_at <= ?', before: (now) => now - EXPIRED_TOKEN_KEPT_MS },
  { table: 'invitations', key: 'account_id, email', ended: 'expires_at <= ?', before: (now) => now },
  { table: 'invitation_days', key: 'account_id', ended: 'day < ?', before: (now) => windowsAt(now).day - 1 },
  { table: 'notifications', key: 'id', ended: 'at <= ?', before: (now) => now - KEPT_MS, end: 'at' },
  { table: 'oidc', key: 'model, id', ended: 'expires_at <= ?', before: (now) => now },
  { table: 'ended_sessions', key: 'id', ended: 'expires_at <= ?', before: (now) => now, end: 'expires_at' },
  { table: 'password_resets', key: 'digest', ended: 'expires_at <= ?', before: (now) => now, end: 'expires_at' },
  usageHistory('minutes', 'minute'),
  usageHistory('refused_minutes', 'minute'),
  usageHistory('days', 'day'),
  usageHistory('refused_days', 'day'),
  // Only failures of the last hour count.
  { table: 'acme_failures', key: 'reference', ended: 'failed_at <= ?', before: (now) => now - DAY_MS },
  // A full bucket is equivalent to none.
  { table: 'order_buckets', key: 'key', ended: 'full_at <= ?', before: (now) => now, end: 'full_at' },
  { table: 'kept_certificates', key: 'host', ended: 'not_after <= ?', before: (now) => now },
  { table: 'domains', key: 'id', ended: "active_host IS NULL AND body ->> '$.state.until' <= ?", before: (now) => now },
  {
    table: 'projects',
    key: 'id',
    ended: `deleted_at <= ?
      AND NOT EXISTS (SELECT 1 FROM domains WHERE project_id = projects.id)
      AND NOT EXISTS (SELECT 1 FROM deployments WHERE project_id = projects.id)
      AND NOT EXISTS (SELECT 1 FROM file_removals WHERE project_id = projects.id)
      AND NOT EXISTS (SELECT 1 FROM own_addresses WHERE project_id = projects.id)`,
    before: (now) => now - PROJECT_TOMBSTONE_MS,
  },
  {
    table: 'accounts',
    key: 'id',
    ended: `deleted_at <= ?
      AND NOT EXISTS (SELECT 1 FROM projects WHERE account_id = accounts.id)
      AND NOT EXISTS (SELECT 1 FROM members WHERE account_id = accounts.id)`,
    before: (now) => now,
  },
];

/**
 * Entries of the audit log can't be restored, so this limit follows the clock, but by a day a sweep at most: a jump of the clock, even one that lasts,
 * ends no entry early. Time when no sweep ran counts as a day, and entries are kept longer.
 */
const AUDIT_END = `INSERT INTO audit_end (id, at, before) VALUES (1, ?1, ?2) ON CONFLICT DO UPDATE
  SET before = max(before, min(excluded.before, before + min(excluded.at - at, ${DAY_MS}))), at = excluded.at RETURNING min(before, ?2) AS end`;

/** Returns the statement that removes some expired rows. */
export function removalSql({ table, key, ended }: Pick<Expiry, 'table' | 'key' | 'ended'>): string {
  return `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${ended} LIMIT ${REMOVED_AT_ONCE})`;
}

/**
 * Removes all expired rows. @param now milliseconds since 1970 @param rest called between two transactions; resolves once waiting requests are
 * answered
 * @returns how many rows were removed, by table @throws AggregateError, after all tables have been tried
 */
export async function removeExpiredRows(
  database: DatabaseSync,
  now: number,
  { isTimeLeft, rest }: { readonly isTimeLeft: () => boolean; readonly rest: () => Promise<void> },
): Promise<Readonly<Record<string, number>>> {
  const removed: Record<string, number> = {};
  const faults: unknown[] = [];
  const inSteps = async (table: string, step: () => number) => {
    for (let count = 1; count > 0 && isTimeLeft(); ) {
      count = await transaction(database, step);
      removed[table] = (removed[table] ?? 0) + count;
      if (count > 0) await rest();
    }
  };
  const remove = (table: string, key: string, ended: string, bound: number | string) => {
    const statement = database.prepare(removalSql({ table, key, ended }));
    return inSteps(table, () => Number(statement.run(bound).changes)).catch((error: unknown) => faults.push(error));
  };
  for (const { table, key, ended, before, end } of EXPIRIES) {
    await remove(table, key, ended, before(now));
    if (end !== undefined) await remove(table, key, `${end} > ?`, now + TOO_FAR_MS);
  }
  await transaction(database, () => Number(database.prepare(AUDIT_END).get(now, now - AUDIT_KEPT_MS)?.end))
    .then((end) => remove('audit', 'id', 'id < ?', auditIdsFrom(end)))
    .catch((error: unknown) => faults.push(error));
  const importedLines = prepareImportedLines(database, now);
  await inSteps('imported_lines', importedLines).catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw new AggregateError(faults, 'expired rows could not be removed');
  return removed;
}

/** Prepares the removal of expired sources' lines; a source is removed after its last line. */
function prepareImportedLines(database: DatabaseSync, now: number): () => number {
  const select = prepareSelect<{ id: number }>(database, 'SELECT id FROM import_sources WHERE expires_at <= ? LIMIT 1');
  const removeLines = database.prepare(
    `DELETE FROM imported_lines WHERE source_id = ?1 AND line IN (SELECT line FROM imported_lines WHERE source_id = ?1 LIMIT ${REMOVED_AT_ONCE})`,
  );
  const removeSource = database.prepare('DELETE FROM import_sources WHERE id = ?');
  return () => {
    const source = select.one(now);
    if (source === undefined) return 0;
    const lines = Number(removeLines.run(source.id).changes);
    return lines > 0 ? lines : Number(removeSource.run(source.id).changes);
  };
}

const REMOVAL = asProperties('project_id, deployment_id, due_at, bytes');

/** Number of removals per page. */
const PAGE = 100;

/** Creates the queue. */
export function createSqliteFileRemovalStore(database: DatabaseSync, record: RecordChange): FileRemovalStore {
  const accountOf = prepareAccountOf(database);
  const upsert = database.prepare(
    'INSERT INTO file_removals (project_id, deployment_id, due_at, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET due_at = excluded.due_at',
  );
  const selectOfProject = prepareSelect(database, `SELECT ${REMOVAL} FROM file_removals WHERE project_id = ?`, toRemoval);
  const selectPage = prepareSelect(
    database,
    `SELECT ${REMOVAL} FROM file_removals WHERE (project_id, deployment_id) > (?, ?) ORDER BY project_id, deployment_id LIMIT ?`,
    toRemoval,
  );
  const updateBegun = database.prepare(
    'UPDATE file_removals SET begun_at = CASE begun_at WHEN 0 THEN ?1 ELSE begun_at END WHERE project_id = ?2 AND deployment_id = ?3 AND due_at <= ?1 RETURNING begun_at',
  );
  const remove = database.prepare('DELETE FROM file_removals WHERE project_id = ? AND deployment_id = ?');
  return {
    schedule: async ({ projectId, deploymentId, dueAt, bytes }) =>
      void (await written(() => upsert.run(projectId, deploymentId ?? '', dueAt, bytes))),
    ofProject: async (projectId) => guarded(() => selectOfProject.all(projectId)),
    list: async (after = '') =>
      guarded(() => {
        const [projectId = '', deploymentId = ''] = after.split(' ');
        const items = selectPage.all(projectId, deploymentId, PAGE);
        const last = items.length < PAGE ? undefined : items.at(-1);
        return { items, next: last && `${last.projectId} ${last.deploymentId ?? ''}` };
      }),
    begin: async ({ projectId, deploymentId }, now) =>
      written(() => (updateBegun.get(now, projectId, deploymentId ?? '') as { begun_at: number } | undefined)?.begun_at),
    finish: async ({ projectId, deploymentId }) =>
      transaction(database, () => {
        if (remove.run(projectId, deploymentId ?? '').changes === 1) record(filesRemoved(accountOf(projectId), projectId, deploymentId));
      }),
  };
}

/** @param row if it has no deployment, all files of the project are removed */
function toRemoval(row: FileRemoval): FileRemoval {
  return { ...row, deploymentId: row.deploymentId || undefined };
}
