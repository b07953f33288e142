// The queue of files to remove.

import type { FileRemovalStore } from 'petstore-platform';
import { type FileRemoval, filesRemoved } from 'petstore-platform/stores';
import { type Database, durably, type Statement } from './database.ts';
import type { Log } from './log.ts';
import { accountOf } from './projects.ts';

interface Row {
  readonly project_id: string;
  /** Empty for all files of the project. */
  readonly deployment_id: string;
  readonly due_at: bigint;
  readonly bytes: bigint;
}

/** Removals per page. */
const PAGE = 100;

const SCHEDULE: Statement = {
  text: `INSERT INTO file_removals (project_id, deployment_id, due_at, bytes) VALUES ($1, $2, $3, $4)
    ON CONFLICT (project_id, deployment_id) DO UPDATE SET due_at = excluded.due_at`,
};
const OF_PROJECT: Statement = { text: 'SELECT * FROM file_removals WHERE project_id = $1' };
const LIST: Statement = {
  text: `SELECT * FROM file_removals WHERE (project_id, deployment_id) > ($1, $2) ORDER BY project_id, deployment_id LIMIT ${PAGE}`,
};
const BEGIN: Statement = {
  text: `UPDATE file_removals SET begun_at = CASE begun_at WHEN 0 THEN $1::bigint ELSE begun_at END
    WHERE project_id = $2 AND deployment_id = $3 AND due_at <= $1::bigint RETURNING begun_at`,
};
const FINISH: Statement = { text: 'DELETE FROM file_removals WHERE project_id = $1 AND deployment_id = $2 RETURNING project_id' };

/** Creates the queue. */
export function createFileRemovalStore(database: Database, log: Log): FileRemovalStore {
  return {
    schedule: async ({ projectId, deploymentId = '', dueAt, bytes }) =>
      void (await database.query(SCHEDULE, [projectId, deploymentId, dueAt, bytes])),
    ofProject: async (projectId) => (await database.query<Row>(OF_PROJECT, [projectId])).map(toRemoval),
    list: async (after = '') => {
      const [projectId = '', deploymentId = ''] = after.split(' ');
      const rows = await database.query<Row>(LIST, [projectId, deploymentId]);
      const last = rows.at(-1);
      return { items: rows.map(toRemoval), next: rows.length < PAGE || last === undefined ? undefined : `${last.project_id} ${last.deployment_id}` };
    },
    begin: async ({ projectId, deploymentId = '' }, now) => {
      const [row] = await database.query<{ begun_at: bigint }>(BEGIN, [now, projectId, deploymentId]);
      return row && Number(row.begun_at);
    },
    finish: ({ projectId, deploymentId }) =>
      durably(database, async (transaction) => {
        if ((await transaction.query(FINISH, [projectId, deploymentId ?? ''])).length === 0) return;
        log.record(transaction, filesRemoved(await accountOf(transaction, projectId), projectId, deploymentId));
      }),
  };
}

function toRemoval({ project_id: projectId, deployment_id: deploymentId, due_at: dueAt, bytes }: Row): FileRemoval {
  return { projectId, deploymentId: deploymentId === '' ? undefined : deploymentId, dueAt: Number(dueAt), bytes: Number(bytes) };
}
