// Projects and their deployments.

import { isDeepStrictEqual } from 'node:util';
import type { Deployment, Project, ProjectStore } from 'petstore-platform';
import {
  type Change,
  deploymentChanged,
  MOST_DEPLOYMENTS_LISTED,
  projectConfigured,
  projectCreated,
  projectDeleted,
  projectRenamed,
} from 'petstore-platform/stores';
import { type Connection, type Database, durably, type Statement, type Transaction, type Value } from './database.ts';
import type { Log } from './log.ts';

interface ProjectRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly token: string;
  readonly created_at: bigint;
  readonly current_deployment_id: string | null;
  readonly configuration: string;
}

interface DeploymentRow {
  readonly id: string;
  readonly project_id: string;
  readonly created_at: bigint;
  readonly files: bigint;
  readonly bytes: bigint;
  readonly served_at: bigint | null;
  readonly pinned: boolean;
}

const HERE = 'deleted_at IS NULL';
const CREATE: Statement = {
  // A project that is created while its account is being suspended is not served either.
  text: `INSERT INTO projects (id, account_id, name, token, created_at, current_deployment_id, configuration, withheld)
    VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce((SELECT suspension IS NOT NULL FROM accounts WHERE id = $2), false)) ON CONFLICT DO NOTHING RETURNING id`,
};
const GET: Statement = { name: 'project', text: `SELECT * FROM projects WHERE id = $1 AND ${HERE}` };
/** Locks the project, so that decisions based on its row stay valid until the commit. */
const GET_LOCKED: Statement = { text: `SELECT * FROM projects WHERE id = $1 AND ${HERE} FOR UPDATE` };
const ACCOUNT_OF: Statement = { text: 'SELECT account_id FROM projects WHERE id = $1' };
const LIST: Statement = { text: `SELECT * FROM projects WHERE ${HERE} AND ($1::text IS NULL OR account_id = $1) ORDER BY created_at, id` };
const CANCEL_REMOVAL: Statement = {
  text: 'DELETE FROM file_removals WHERE project_id = $1 AND deployment_id = $2 AND due_at > $3 AND begun_at = 0 RETURNING project_id',
};
const SET_CURRENT: Statement = { text: 'UPDATE projects SET current_deployment_id = $2 WHERE id = $1' };
const ADD_DEPLOYMENT: Statement = { text: 'INSERT INTO deployments (id, project_id, created_at, files, bytes) VALUES ($1, $2, $3, $4, $5)' };
const DEPLOYMENT: Statement = { text: 'SELECT * FROM deployments WHERE project_id = $1 AND id = $2' };
const DEPLOYMENTS: Statement = { text: 'SELECT * FROM deployments WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2' };
const BYTES: Statement = {
  text: `SELECT (SELECT coalesce(sum(bytes), 0) FROM deployments WHERE project_id = $1)
    + (SELECT coalesce(sum(bytes), 0) FROM file_removals WHERE project_id = $1) AS bytes`,
};
const SERVE_AGAIN: Statement = { text: 'UPDATE deployments SET served_at = $3 WHERE project_id = $1 AND id = $2 RETURNING id' };
const PIN: Statement = { text: 'UPDATE deployments SET pinned = $3 WHERE project_id = $1 AND id = $2 RETURNING id' };
const CONFIGURE: Statement = { text: 'UPDATE projects SET configuration = $2 WHERE id = $1' };
const RENAME: Statement = { text: 'UPDATE projects SET name = $2 WHERE id = $1' };
const DELETE: Statement = { text: 'UPDATE projects SET deleted_at = $2, current_deployment_id = NULL WHERE id = $1' };
const DELETE_DEPLOYMENT: Statement = { text: 'DELETE FROM deployments WHERE project_id = $1 AND id = $2 AND NOT pinned RETURNING bytes' };
const DELETE_DEPLOYMENTS: Statement = { text: 'DELETE FROM deployments WHERE project_id = $1' };
const SCHEDULE: Statement = { text: 'INSERT INTO file_removals (project_id, deployment_id, due_at, bytes) VALUES ($1, $2, $3, $4)' };

/** Returns a project's account, even if the project is deleted; undefined if it does not exist. */
export async function accountOf(connection: Connection, projectId: string): Promise<string | undefined> {
  return (await connection.query<{ account_id: string }>(ACCOUNT_OF, [projectId]))[0]?.account_id;
}

/** Creates the project store. */
export function createProjectStore(database: Database, log: Log): ProjectStore {
  /**
   * Changes a project, which is locked meanwhile.
   *
   * @param work returns what has changed, or undefined if nothing has
   * @returns whether anything has changed
   */
  const change = (id: string, work: (project: Project, transaction: Transaction) => Promise<Change | undefined>) =>
    durably(database, async (transaction) => {
      const [row] = await transaction.query<ProjectRow>(GET_LOCKED, [id]);
      const done = row && (await work(toProject(row), transaction));
      log.record(transaction, done);
      return done !== undefined;
    });
  const isUnchanged = (project: Project, read: Partial<Project> | undefined) =>
    read === undefined || isDeepStrictEqual({ ...project, ...read }, project);
  const changed = async (transaction: Transaction, statement: Statement, values: readonly Value[]) =>
    (await transaction.query(statement, values)).length === 1;

  return {
    createProject: (project) =>
      durably(database, async (transaction) => {
        const { id, accountId, name, token, createdAt, currentDeploymentId = null, configuration } = project;
        if (!(await changed(transaction, CREATE, [id, accountId, name, token, createdAt, currentDeploymentId, JSON.stringify(configuration)])))
          return false;
        log.record(transaction, projectCreated(project));
        return true;
      }),
    getProject: async (id) => (await database.query<ProjectRow>(GET, [id])).map(toProject)[0],
    listProjects: async (accountId) => (await database.query<ProjectRow>(LIST, [accountId ?? null])).map(toProject),
    deploy: (deployment, from) =>
      change(deployment.projectId, async ({ accountId }, transaction) => {
        const { id, projectId, createdAt, files, bytes } = deployment;
        if (from === 'upload' && !(await changed(transaction, CANCEL_REMOVAL, [projectId, id, createdAt]))) return undefined;
        transaction.send(SET_CURRENT, [projectId, id]);
        transaction.send(ADD_DEPLOYMENT, [id, projectId, createdAt, files, bytes]);
        return deploymentChanged('deployment.published', accountId, deployment);
      }),
    getDeployment: async ({ projectId, id }) => (await database.query<DeploymentRow>(DEPLOYMENT, [projectId, id])).map(toDeployment)[0],
    listDeployments: async (projectId) => (await database.query<DeploymentRow>(DEPLOYMENTS, [projectId, MOST_DEPLOYMENTS_LISTED])).map(toDeployment),
    bytesStored: async (projectId) => Number((await database.query<{ bytes: bigint }>(BYTES, [projectId]))[0]?.bytes ?? 0),
    setCurrentDeployment: (projectId, id, now) =>
      change(projectId, async ({ accountId }, transaction) => {
        if (!(await changed(transaction, SERVE_AGAIN, [projectId, id, now]))) return undefined;
        transaction.send(SET_CURRENT, [projectId, id]);
        return deploymentChanged('deployment.served', accountId, { id, projectId });
      }),
    setPinned: ({ projectId, id }, pinned) =>
      change(projectId, async ({ accountId }, transaction) => {
        if (!(await changed(transaction, PIN, [projectId, id, pinned]))) return undefined;
        return deploymentChanged(pinned ? 'deployment.pinned' : 'deployment.unpinned', accountId, { id, projectId });
      }),
    deleteDeployment: ({ projectId, id }, now) =>
      change(projectId, async ({ accountId, currentDeploymentId }, transaction) => {
        if (currentDeploymentId === id) return undefined;
        const [removed] = await transaction.query<{ bytes: bigint }>(DELETE_DEPLOYMENT, [projectId, id]);
        if (removed === undefined) return undefined;
        transaction.send(SCHEDULE, [projectId, id, now, removed.bytes]);
        return deploymentChanged('deployment.deleted', accountId, { id, projectId });
      }),
    putConfiguration: (projectId, configuration, read) =>
      change(projectId, async (project, transaction) => {
        if (!isUnchanged(project, read && { configuration: read })) return undefined;
        transaction.send(CONFIGURE, [projectId, JSON.stringify(configuration)]);
        return projectConfigured(project, configuration);
      }),
    rename: (projectId, name, read) =>
      change(projectId, async (project, transaction) => {
        if (!isUnchanged(project, read)) return undefined;
        transaction.send(RENAME, [projectId, name]);
        return projectRenamed(project, name);
      }),
    deleteProject: ({ id }, now, read) =>
      change(id, async (project, transaction) => {
        if (!isUnchanged(project, read)) return undefined;
        transaction.send(DELETE, [id, now]);
        transaction.send(DELETE_DEPLOYMENTS, [id]);
        transaction.send(SCHEDULE, [id, '', now, 0]);
        return projectDeleted(project);
      }),
  };
}

function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    token: row.token,
    createdAt: Number(row.created_at),
    currentDeploymentId: row.current_deployment_id ?? undefined,
    configuration: JSON.parse(row.configuration),
  };
}

function toDeployment(row: DeploymentRow): Deployment {
  return {
    id: row.id,
    projectId: row.project_id,
    createdAt: Number(row.created_at),
    files: Number(row.files),
    bytes: Number(row.bytes),
    ...(row.served_at !== null && { servedAt: Number(row.served_at) }),
    ...(row.pinned && { pinned: true }),
  };
}
