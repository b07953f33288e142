// Projects and deployments as items of the control table.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Deployment, Project } from '../../../core/projects/project.ts';
import { getItem } from './calls.ts';
import { type Item, integer, json, text } from './items.ts';
import { PROJECTS_PARTITION } from './tables.ts';

/** The account of a project; undefined if there is no such project. */
export async function accountOfProject(client: DynamoDBClient, table: string, projectId: string): Promise<string | undefined> {
  const item = await getItem(client, table, projectKey(projectId));
  return item && text(item, 'accountId');
}

/** The key of a project. */
export function projectKey(id: string): Item {
  return { pk: { S: PROJECTS_PARTITION }, sk: { S: id } };
}

/** The key of the item that reserves a project's token. */
export function tokenKey(token: string): Item {
  return { pk: { S: 'tokens' }, sk: { S: token } };
}

/** The item of a project. */
export function projectItem({ id, accountId, name, token, createdAt, currentDeploymentId, configuration }: Project): Item {
  return {
    ...projectKey(id),
    accountId: { S: accountId },
    name: { S: name },
    token: { S: token },
    createdAt: { N: String(createdAt) },
    ...(currentDeploymentId !== undefined && { currentDeploymentId: { S: currentDeploymentId } }),
    configuration: { S: JSON.stringify(configuration) },
  };
}

/** The project of an item. */
export function toProject(item: Item): Project {
  return {
    id: text(item, 'sk'),
    accountId: text(item, 'accountId'),
    name: text(item, 'name'),
    token: text(item, 'token'),
    createdAt: integer(item, 'createdAt'),
    currentDeploymentId: item.currentDeploymentId?.S,
    configuration: json(item, 'configuration'),
  };
}

/** The key of a deployment. */
export function deploymentKey(projectId: string, id: string): Item {
  return { pk: { S: `deployments#${projectId}` }, sk: { S: id } };
}

/** The item of a deployment. */
export function deploymentItem({ id, projectId, createdAt, files, bytes }: Deployment): Item {
  return {
    ...deploymentKey(projectId, id),
    createdAt: { N: String(createdAt) },
    files: { N: String(files) },
    bytes: { N: String(bytes) },
  };
}

/** The deployment of an item. */
export function toDeployment(item: Item): Deployment {
  return {
    id: text(item, 'sk'),
    projectId: text(item, 'pk').slice('deployments#'.length),
    createdAt: integer(item, 'createdAt'),
    files: integer(item, 'files'),
    bytes: integer(item, 'bytes'),
    ...(item.servedAt && { servedAt: integer(item, 'servedAt') }),
    ...(item.pinned?.BOOL && { pinned: true }),
  };
}
