// Projects and deployments in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { MOST_DEPLOYMENTS_LISTED, type ProjectStore } from '../../../core/projects/ports.ts';
import type { Deployment, Project } from '../../../core/projects/project.ts';
import { guarded, transaction, written } from './database.ts';
import { prepareSelect } from './select.ts';

interface ProjectRow {
  id: string;
  account_id: string;
  name: string;
  token: string;
  created_at: number;
  current_deployment_id: string | null;
  configuration: string;
}

interface DeploymentRow {
  id: string;
  project_id: string;
  created_at: number;
  files: number;
  bytes: number;
}

/** Creates the project store. */
export function createSqliteProjectStore(database: DatabaseSync): ProjectStore {
  const insertProject = database.prepare(
    'INSERT INTO projects (id, account_id, name, token, created_at, current_deployment_id, configuration) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const selectProject = prepareSelect<ProjectRow>(database, 'SELECT * FROM projects WHERE id = ?');
  const selectAll = prepareSelect<ProjectRow>(database, 'SELECT * FROM projects ORDER BY created_at, id');
  const selectOfAccount = prepareSelect<ProjectRow>(database, 'SELECT * FROM projects WHERE account_id = ? ORDER BY created_at, id');
  const insertDeployment = database.prepare('INSERT INTO deployments (id, project_id, created_at, files, bytes) VALUES (?, ?, ?, ?, ?)');
  const selectDeployments = prepareSelect<DeploymentRow>(
    database,
    'SELECT * FROM deployments WHERE project_id = ? ORDER BY created_at DESC, id DESC LIMIT ?',
  );
  const updateCurrent = database.prepare('UPDATE projects SET current_deployment_id = ? WHERE id = ?');
  const updateCurrentToExisting = database.prepare(
    'UPDATE projects SET current_deployment_id = ?1 WHERE id = ?2 AND EXISTS (SELECT 1 FROM deployments WHERE id = ?1 AND project_id = ?2)',
  );
  const updateConfiguration = database.prepare('UPDATE projects SET configuration = ? WHERE id = ?');

  return {
    createProject: async ({ id, accountId, name, token, createdAt, currentDeploymentId, configuration }) =>
      written(
        () => insertProject.run(id, accountId, name, token, createdAt, currentDeploymentId ?? null, JSON.stringify(configuration)).changes === 1,
      ),
    getProject: async (id) =>
      guarded(() => {
        const row = selectProject.one(id);
        return row && toProject(row);
      }),
    listProjects: async (accountId) => guarded(() => (accountId === undefined ? selectAll.all() : selectOfAccount.all(accountId)).map(toProject)),
    deploy: async ({ id, projectId, createdAt, files, bytes }) =>
      transaction(database, () => {
        if (updateCurrent.run(id, projectId).changes === 0) return false;
        insertDeployment.run(id, projectId, createdAt, files, bytes);
        return true;
      }),
    listDeployments: async (projectId) => guarded(() => selectDeployments.all(projectId, MOST_DEPLOYMENTS_LISTED).map(toDeployment)),
    setCurrentDeployment: async (projectId, deploymentId) => written(() => updateCurrentToExisting.run(deploymentId, projectId).changes === 1),
    putConfiguration: async (projectId, configuration) =>
      written(() => updateConfiguration.run(JSON.stringify(configuration), projectId).changes === 1),
  };
}

function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    token: row.token,
    createdAt: row.created_at,
    currentDeploymentId: row.current_deployment_id ?? undefined,
    configuration: JSON.parse(row.configuration),
  };
}

function toDeployment(row: DeploymentRow): Deployment {
  return { id: row.id, projectId: row.project_id, createdAt: row.created_at, files: row.files, bytes: row.bytes };
}
