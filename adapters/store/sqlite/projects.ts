// Projects and deployments in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { DeployToken } from '../../../core/access/deploy-token.ts';
import type { DeployTokenStore } from '../../../core/access/ports.ts';
import * as changes from '../../../core/audit/changes.ts';
import type { Change } from '../../../core/audit/entry.ts';
import { MOST_DEPLOYMENTS_LISTED, type ProjectStore } from '../../../core/projects/ports.ts';
import type { Deployment, Project } from '../../../core/projects/project.ts';
import type { RecordChange } from './audit.ts';
import { asProperties, prepareSelect, type RowOf, withoutNull } from './database.ts';
import { changed, guarded, isNotStored, transaction, written } from './transaction.ts';

type ProjectRow = Omit<Project, 'currentDeploymentId' | 'configuration'> & {
  readonly currentDeploymentId: string | null;
  readonly configuration: string;
};
type DeploymentRow = Omit<RowOf<Deployment>, 'pinned'> & { readonly pinned: number };

const PROJECT = asProperties('id, account_id, name, token, created_at, current_deployment_id, configuration');
const DEPLOYMENT = asProperties('id, project_id, created_at, files, bytes, served_at, pinned');
const TOKEN = asProperties('id, project_id, digest, name, created_by, created_at, expires_at, last_used_at');

/** Returns a function that finds the account of a project, even of a deleted one; undefined if there is no such project. */
export function prepareAccountOf(database: DatabaseSync): (projectId: string) => string | undefined {
  const select = prepareSelect<{ account_id: string }>(database, 'SELECT account_id FROM projects WHERE id = ?');
  return (projectId) => select.one(projectId)?.account_id;
}

/** Creates the project store. */
export function createSqliteProjectStore(database: DatabaseSync, record: RecordChange): ProjectStore {
  const accountOf = prepareAccountOf(database);
  const insertProject = database.prepare(
    // A project created while its account is being suspended is not served either.
    `INSERT INTO projects (id, account_id, name, token, created_at, current_deployment_id, configuration, withheld)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, coalesce((SELECT suspension IS NOT NULL FROM accounts WHERE id = ?2), 0)) ON CONFLICT DO NOTHING`,
  );
  const selectProject = prepareSelect(database, `SELECT ${PROJECT} FROM projects WHERE id = ? AND deleted_at IS NULL`, toProject);
  const selectAll = prepareSelect(database, `SELECT ${PROJECT} FROM projects WHERE deleted_at IS NULL ORDER BY created_at, id`, toProject);
  const selectOfAccount = prepareSelect(
    database,
    `SELECT ${PROJECT} FROM projects WHERE account_id = ? AND deleted_at IS NULL ORDER BY created_at, id`,
    toProject,
  );
  const insertDeployment = database.prepare('INSERT INTO deployments (id, project_id, created_at, files, bytes) VALUES (?, ?, ?, ?, ?)');
  const selectDeployments = prepareSelect(
    database,
    `SELECT ${DEPLOYMENT} FROM deployments WHERE project_id = ? ORDER BY created_at DESC, id DESC LIMIT ?`,
    toDeployment,
  );
  const updateCurrent = database.prepare('UPDATE projects SET current_deployment_id = ? WHERE id = ? AND deleted_at IS NULL');
  const updateCurrentToExisting = database.prepare(
    'UPDATE projects SET current_deployment_id = ?1 WHERE id = ?2 AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM deployments WHERE id = ?1 AND project_id = ?2)',
  );
  const updateServedAt = database.prepare('UPDATE deployments SET served_at = ? WHERE id = ?');
  const updatePinned = database.prepare('UPDATE deployments SET pinned = ? WHERE id = ? AND project_id = ?');
  const updateConfiguration = database.prepare('UPDATE projects SET configuration = ? WHERE id = ? AND deleted_at IS NULL');
  const updateName = database.prepare('UPDATE projects SET name = ? WHERE id = ? AND deleted_at IS NULL');
  const markDeleted = database.prepare('UPDATE projects SET deleted_at = ?, current_deployment_id = NULL WHERE id = ? AND deleted_at IS NULL');
  const deleteUnused = database.prepare(
    'DELETE FROM deployments WHERE id = ?1 AND project_id = ?2 AND pinned = 0 AND NOT EXISTS (SELECT 1 FROM projects WHERE id = ?2 AND current_deployment_id = ?1)',
  );
  const deleteDeployments = database.prepare('DELETE FROM deployments WHERE project_id = ?');
  const cancelRemoval = database.prepare('DELETE FROM file_removals WHERE project_id = ? AND deployment_id = ? AND due_at > ? AND begun_at = 0');
  const selectDeployment = prepareSelect(database, `SELECT ${DEPLOYMENT} FROM deployments WHERE project_id = ? AND id = ?`, toDeployment);
  const selectBytes = prepareSelect<{ bytes: number }>(
    database,
    `SELECT (SELECT coalesce(sum(bytes), 0) FROM deployments WHERE project_id = ?1)
          + (SELECT coalesce(sum(bytes), 0) FROM file_removals WHERE project_id = ?1) AS bytes`,
  );
  const scheduleRemoval = database.prepare('INSERT INTO file_removals (project_id, deployment_id, due_at, bytes) VALUES (?, ?, ?, ?)');

  /** Whether a project has not changed since it was read; true if nothing was read. */
  const isUnchanged = (id: string, read: Partial<Project> | undefined) => {
    const project = read && selectProject.one(id);
    return read === undefined || (project !== undefined && isDeepStrictEqual({ ...project, ...read }, project));
  };

  const change = (id: string, write: () => boolean, changeOf: (project: { id: string; accountId: string }) => Change) =>
    transaction(database, () => {
      const accountId = accountOf(id);
      if (accountId === undefined || !write()) return false;
      record(changeOf({ id, accountId }));
      return true;
    });

  return {
    createProject: async (project) => {
      const { id, accountId, name, token, createdAt, currentDeploymentId, configuration } = project;
      return changed(
        database,
        () => insertProject.run(id, accountId, name, token, createdAt, currentDeploymentId ?? null, JSON.stringify(configuration)),
        () => record(changes.projectCreated(project)),
      );
    },
    getProject: async (id) => guarded(() => selectProject.one(id)),
    listProjects: async (accountId) => guarded(() => (accountId === undefined ? selectAll.all() : selectOfAccount.all(accountId))),
    deploy: async (deployment, from) =>
      transaction(database, () => {
        const { id, projectId, createdAt, files, bytes } = deployment;
        if (selectProject.one(projectId) === undefined) return false;
        if (from === 'upload' && cancelRemoval.run(projectId, id, createdAt).changes === 0) return false;
        updateCurrent.run(id, projectId);
        insertDeployment.run(id, projectId, createdAt, files, bytes);
        record(changes.deploymentChanged('deployment.published', accountOf(projectId), deployment));
        return true;
      }),
    listDeployments: async (projectId) => guarded(() => selectDeployments.all(projectId, MOST_DEPLOYMENTS_LISTED)),
    getDeployment: async ({ projectId, id }) => guarded(() => selectDeployment.one(projectId, id)),
    bytesStored: async (projectId) => guarded(() => selectBytes.one(projectId)?.bytes ?? 0),
    setCurrentDeployment: (projectId, deploymentId, now) =>
      change(
        projectId,
        () => updateCurrentToExisting.run(deploymentId, projectId).changes === 1 && updateServedAt.run(now, deploymentId).changes === 1,
        ({ accountId }) => changes.deploymentChanged('deployment.served', accountId, { id: deploymentId, projectId }),
      ),
    setPinned: ({ projectId, id }, pinned) =>
      change(
        projectId,
        () => updatePinned.run(Number(pinned), id, projectId).changes === 1,
        ({ accountId }) => changes.deploymentChanged(pinned ? 'deployment.pinned' : 'deployment.unpinned', accountId, { id, projectId }),
      ),
    putConfiguration: (projectId, configuration, read) =>
      change(
        projectId,
        () =>
          isUnchanged(projectId, read && { configuration: read }) && updateConfiguration.run(JSON.stringify(configuration), projectId).changes === 1,
        (project) => changes.projectConfigured(project, configuration),
      ),
    deleteDeployment: async ({ projectId, id }, now) =>
      transaction(database, () => {
        const deployment = selectDeployment.one(projectId, id);
        if (deployment === undefined || deleteUnused.run(id, projectId).changes === 0) return false;
        scheduleRemoval.run(projectId, id, now, deployment.bytes);
        record(changes.deploymentChanged('deployment.deleted', accountOf(projectId), { id, projectId }));
        return true;
      }),
    rename: (projectId, name, read) =>
      change(
        projectId,
        () => isUnchanged(projectId, read) && updateName.run(name, projectId).changes === 1,
        (project) => changes.projectRenamed(project, name),
      ),
    deleteProject: async ({ id, accountId }, now, read) =>
      transaction(database, () => {
        if (!isUnchanged(id, read) || markDeleted.run(now, id).changes === 0) return false;
        deleteDeployments.run(id);
        scheduleRemoval.run(id, '', now, 0);
        record(changes.projectDeleted({ id, accountId }));
        return true;
      }),
  };
}

function toProject({ currentDeploymentId, configuration, ...row }: ProjectRow): Project {
  return { ...row, currentDeploymentId: currentDeploymentId ?? undefined, configuration: JSON.parse(configuration) };
}

function toDeployment({ pinned, ...row }: DeploymentRow): Deployment {
  return { ...withoutNull<Omit<Deployment, 'pinned'>>(row), ...(pinned === 1 && { pinned: true }) };
}

/** Creates the store. */
export function createSqliteDeployTokenStore(database: DatabaseSync, record: RecordChange): DeployTokenStore {
  const accountOf = prepareAccountOf(database);
  const insert = database.prepare(
    'INSERT INTO deploy_tokens (id, project_id, digest, name, created_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const selectAll = prepareSelect(
    database,
    `SELECT ${TOKEN} FROM deploy_tokens WHERE project_id = ? ORDER BY created_at, id`,
    withoutNull<DeployToken>,
  );
  const selectOne = prepareSelect(database, `SELECT ${TOKEN} FROM deploy_tokens WHERE id = ?`, withoutNull<DeployToken>);
  const use = database.prepare('UPDATE deploy_tokens SET last_used_at = max(ifnull(last_used_at, 0), ?) WHERE id = ?');
  const remove = prepareSelect(database, `DELETE FROM deploy_tokens WHERE id = ? RETURNING ${TOKEN}`, withoutNull<DeployToken>);
  return {
    addToken: async (token) =>
      transaction(database, () => {
        const { id, projectId, digest, name, createdBy, createdAt, expiresAt } = token;
        insert.run(id, projectId, digest, name, createdBy, createdAt, expiresAt);
        record(changes.deployTokenChanged('deploy_token.issued', accountOf(projectId), token));
      }),
    listTokens: async (projectId) => guarded(() => selectAll.all(projectId)),
    getToken: async (tokenId) => guarded(() => selectOne.one(tokenId)),
    // While nothing can be stored, requests that only read still succeed.
    useToken: (tokenId, at) =>
      written(() => void use.run(at, tokenId)).catch((error: unknown) => {
        if (!isNotStored(error)) throw error;
      }),
    removeToken: async (tokenId) =>
      transaction(database, () => {
        const removed = remove.one(tokenId);
        if (removed !== undefined) record(changes.deployTokenChanged('deploy_token.revoked', accountOf(removed.projectId), removed));
        return removed !== undefined;
      }),
  };
}
