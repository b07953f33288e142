// The queue of file removals in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { filesRemoved } from '../../../core/audit/changes.ts';
import type { FileRemoval, FileRemovalStore } from '../../../core/projects/ports.ts';
import type { RecordChange } from './audit.ts';
import { prepareSelect } from './database.ts';
import { prepareAccountOf } from './projects.ts';
import { guarded, transaction, written } from './transaction.ts';

interface RemovalRow {
  project_id: string;
  /** Empty for all files of the project. */
  deployment_id: string;
  due_at: number;
  bytes: number;
}

/** Removals in a page. */
const PAGE = 100;

/** Creates the queue. */
export function createSqliteFileRemovalStore(database: DatabaseSync, record: RecordChange): FileRemovalStore {
  const accountOf = prepareAccountOf(database);
  const upsert = database.prepare(
    'INSERT INTO file_removals (project_id, deployment_id, due_at, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET due_at = excluded.due_at',
  );
  const selectOfProject = prepareSelect<RemovalRow>(database, 'SELECT * FROM file_removals WHERE project_id = ?');
  const selectPage = prepareSelect<RemovalRow>(
    database,
    'SELECT * FROM file_removals WHERE (project_id, deployment_id) > (?, ?) ORDER BY project_id, deployment_id LIMIT ?',
  );
  const updateBegun = database.prepare(
    'UPDATE file_removals SET begun_at = CASE begun_at WHEN 0 THEN ?1 ELSE begun_at END WHERE project_id = ?2 AND deployment_id = ?3 AND due_at <= ?1 RETURNING begun_at',
  );
  const remove = database.prepare('DELETE FROM file_removals WHERE project_id = ? AND deployment_id = ?');
  return {
    schedule: async ({ projectId, deploymentId, dueAt, bytes }) =>
      void (await written(() => upsert.run(projectId, deploymentId ?? '', dueAt, bytes))),
    ofProject: async (projectId) => guarded(() => selectOfProject.all(projectId).map(toRemoval)),
    list: async (after = '') =>
      guarded(() => {
        const [projectId = '', deploymentId = ''] = after.split(' ');
        const rows = selectPage.all(projectId, deploymentId, PAGE);
        const last = rows.at(-1);
        return {
          items: rows.map(toRemoval),
          next: rows.length < PAGE || last === undefined ? undefined : `${last.project_id} ${last.deployment_id}`,
        };
      }),
    begin: async ({ projectId, deploymentId }, now) =>
      written(() => (updateBegun.get(now, projectId, deploymentId ?? '') as { begun_at: number } | undefined)?.begun_at),
    finish: async ({ projectId, deploymentId }) =>
      transaction(database, () => {
        if (remove.run(projectId, deploymentId ?? '').changes === 1) record(filesRemoved(accountOf(projectId), projectId, deploymentId));
      }),
  };
}

function toRemoval({ project_id: projectId, deployment_id: deploymentId, due_at: dueAt, bytes }: RemovalRow): FileRemoval {
  return { projectId, deploymentId: deploymentId === '' ? undefined : deploymentId, dueAt, bytes };
}
