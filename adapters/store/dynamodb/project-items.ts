// Projects and deployments as items of the control table.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Deployment, Project } from '../../../core/projects/project.ts';
import { getValue } from './calls.ts';
import { after, attributes, controlKey, FLAG, INTEGER, type Item, jsonField, kindOf, later, named, orUndefined, TEXT, text } from './items.ts';
import { PROJECTS_PARTITION } from './tables.ts';

const DEPLOYMENTS = 'deployments#';

/** Returns the account of a project; undefined if there is no such project. */
export function accountOfProject(client: DynamoDBClient, table: string, projectId: string): Promise<string | undefined> {
  return getValue(client, table, projectKey(projectId), (item) => text(item, 'accountId'));
}

/** Returns the key of a project. */
export function projectKey(id: string): Item {
  return controlKey(PROJECTS_PARTITION, id);
}

/** Returns the key of the item that reserves a project's token. */
export function tokenKey(token: string): Item {
  return controlKey('tokens', token);
}

export const PROJECT = kindOf<Project>(
  {
    id: named('sk', TEXT),
    accountId: TEXT,
    name: TEXT,
    token: TEXT,
    createdAt: INTEGER,
    currentDeploymentId: orUndefined(TEXT),
    configuration: jsonField(),
  },
  () => attributes({ pk: PROJECTS_PARTITION }),
);

/** Returns the partition of a project's deployments. */
export const deploymentsPartition = (projectId: string) => DEPLOYMENTS + projectId;

/** Returns the key of a deployment. */
export function deploymentKey(projectId: string, id: string): Item {
  return controlKey(deploymentsPartition(projectId), id);
}

export const DEPLOYMENT = kindOf<Deployment>({
  id: named('sk', TEXT),
  projectId: named('pk', after(DEPLOYMENTS)),
  createdAt: INTEGER,
  files: INTEGER,
  bytes: INTEGER,
  servedAt: later(INTEGER),
  pinned: later(FLAG),
});
