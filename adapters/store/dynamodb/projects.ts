// Projects, in one partition of the control table, and deployments. A project also has a pointer in its account's partition and an item for its
// token.

import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type DeployToken, projectIdOfTokenId } from '../../../core/access/deploy-token.ts';
import { EXPIRED_TOKEN_KEPT_MS } from '../../../core/access/deploy-tokens.ts';
import type { DeployTokenStore } from '../../../core/access/ports.ts';
import * as changes from '../../../core/audit/changes.ts';
import type { Change } from '../../../core/audit/entry.ts';
import { byAge } from '../../../core/page.ts';
import { MOST_DEPLOYMENTS_LISTED, type ProjectStore } from '../../../core/projects/ports.ts';
import { PROJECT_TOMBSTONE_MS, type Project } from '../../../core/projects/project.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import {
  ABSENT,
  deletionOf,
  firstOfPartition,
  getItem,
  getItems,
  getValue,
  isWritten,
  PRESENT,
  partition,
  putOf,
  unchanged,
  updateItem,
  updateOfExisting,
  writeAll,
} from './calls.ts';
import { after, attributes, controlKey, INTEGER, type Item, kindOf, later, named, TEXT, text, timeToLive } from './items.ts';
import { accountOfProject, DEPLOYMENT, deploymentKey, deploymentsPartition, PROJECT, projectKey, tokenKey } from './project-items.ts';
import { removalItem, removalKey, removalsOf } from './sweeps.ts';
import { PROJECTS_PARTITION } from './tables.ts';

/** Returns the partition of the pointers to an account's projects. */
const pointersPartition = (accountId: string) => `projects#${accountId}`;
/** Returns the key of the pointer to a project in its account's list. */
export const pointerKey = ({ id, accountId }: Pick<Project, 'id' | 'accountId'>) => controlKey(pointersPartition(accountId), id);

/** Returns the item that reserves a deleted project's token. @param deletedAt milliseconds since 1970 */
export function tombstoneItem(token: string, deletedAt: number): Item {
  return { ...tokenKey(token), ...timeToLive(deletedAt + PROJECT_TOMBSTONE_MS) };
}

/** Creates the project store on the control table. */
export function createDynamoDbProjectStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): ProjectStore {
  const accountOf = (projectId: string) => accountOfProject(client, table, projectId);

  /** Sets an attribute of a project, if the project has not changed since it was read. */
  async function set(
    id: string,
    attribute: 'name' | 'configuration',
    value: string,
    changeOf: (project: { id: string; accountId: string }) => Change,
    read: Partial<Project> = {},
  ): Promise<boolean> {
    const item = await getItem(client, table, projectKey(id));
    const condition = item && unchangedSince(item, read);
    if (item === undefined || condition === undefined) return false;
    const Update = {
      TableName: table,
      Key: projectKey(id),
      UpdateExpression: 'SET #attribute = :value',
      ConditionExpression: condition.ConditionExpression,
      ExpressionAttributeNames: { ...condition.ExpressionAttributeNames, '#attribute': attribute },
      ExpressionAttributeValues: attributes({ ...condition.ExpressionAttributeValues, ':value': value }),
    };
    return isWritten(client, [{ Update }, ...audit(changeOf({ id, accountId: text(item, 'accountId') }))]);
  }

  return {
    createProject: async (project) => {
      const items = [PROJECT.write(project), pointerKey(project), tokenKey(project.token)];
      return isWritten(client, [...items.map((item) => putOf(table, item, ABSENT)), ...audit(changes.projectCreated(project))]);
    },

    getProject: (id) => getValue(client, table, projectKey(id), PROJECT.read),

    listProjects: async (accountId) => {
      const listed = await partition(client, table, accountId === undefined ? PROJECTS_PARTITION : pointersPartition(accountId));
      const items =
        accountId === undefined
          ? listed
          : await getItems(
              client,
              table,
              listed.map((pointer) => projectKey(text(pointer, 'sk'))),
            );
      return items.map(PROJECT.read).sort(byAge);
    },

    deploy: async (deployment, from) => {
      const accountId = await accountOf(deployment.projectId);
      return isWritten(client, [
        { Update: updateOfExisting(table, projectKey(deployment.projectId), { currentDeploymentId: deployment.id }) },
        putOf(table, DEPLOYMENT.write(deployment)),
        deletionOf(
          table,
          removalKey({ projectId: deployment.projectId, deploymentId: deployment.id }),
          // Until it is published, an upload has an entry in the removal queue. Once the entry is gone, its files have been removed.
          `attribute_not_exists(begunAt)${from === 'upload' ? ' AND dueAt > :now' : ''}`,
          from === 'upload' ? { ':now': deployment.createdAt } : undefined,
        ),
        ...audit(changes.deploymentChanged('deployment.published', accountId, deployment)),
      ]);
    },

    listDeployments: (projectId) =>
      firstOfPartition(client, {
        table,
        pk: deploymentsPartition(projectId),
        of: DEPLOYMENT.read,
        compare: (a, b) => byAge(b, a),
        limit: MOST_DEPLOYMENTS_LISTED,
      }),

    setCurrentDeployment: async (projectId, deploymentId, now) => {
      const accountId = await accountOf(projectId);
      return isWritten(client, [
        { Update: updateOfExisting(table, projectKey(projectId), { currentDeploymentId: deploymentId }) },
        // Fails if the deployment was deleted meanwhile.
        { Update: updateOfExisting(table, deploymentKey(projectId, deploymentId), { servedAt: now }) },
        ...audit(changes.deploymentChanged('deployment.served', accountId, { id: deploymentId, projectId })),
      ]);
    },

    setPinned: async ({ projectId, id }, pinned) => {
      const accountId = await accountOf(projectId);
      return isWritten(client, [
        { Update: updateOfExisting(table, deploymentKey(projectId, id), { pinned: pinned || undefined }) },
        ...audit(changes.deploymentChanged(pinned ? 'deployment.pinned' : 'deployment.unpinned', accountId, { id, projectId })),
      ]);
    },

    getDeployment: ({ projectId, id }) => getValue(client, table, deploymentKey(projectId, id), DEPLOYMENT.read),

    bytesStored: async (projectId) => {
      const [deployments, removals] = await Promise.all([
        partition(client, table, deploymentsPartition(projectId)),
        removalsOf(client, table, projectId),
      ]);
      return [...deployments.map(DEPLOYMENT.read), ...removals].reduce((sum, { bytes }) => sum + bytes, 0);
    },

    deleteDeployment: async ({ projectId, id }, now) => {
      const found = await getItem(client, table, deploymentKey(projectId, id));
      if (found === undefined) return false;
      const accountId = await accountOf(projectId);
      return isWritten(client, [
        {
          Update: {
            TableName: table,
            Key: projectKey(projectId),
            UpdateExpression: 'REMOVE absent',
            ConditionExpression: `${PRESENT} AND (attribute_not_exists(currentDeploymentId) OR currentDeploymentId <> :id)`,
            ExpressionAttributeValues: attributes({ ':id': id }),
          },
        },
        deletionOf(table, deploymentKey(projectId, id), `${PRESENT} AND attribute_not_exists(pinned)`),
        putOf(table, removalItem({ projectId, deploymentId: id, dueAt: now, bytes: DEPLOYMENT.read(found).bytes })),
        ...audit(changes.deploymentChanged('deployment.deleted', accountId, { id, projectId })),
      ]);
    },

    putConfiguration: (projectId, configuration, read) =>
      set(
        projectId,
        'configuration',
        JSON.stringify(configuration),
        (project) => changes.projectConfigured(project, configuration),
        read && { configuration: read },
      ),

    rename: (projectId, name, read) => set(projectId, 'name', name, (project) => changes.projectRenamed(project, name), read),

    deleteProject: async ({ id, accountId, token }, now, read) => {
      const item = read && (await getItem(client, table, projectKey(id)));
      const condition = read === undefined ? { ConditionExpression: PRESENT } : item && unchangedSince(item, read);
      if (condition === undefined) return false;
      return isWritten(client, [
        { Delete: { TableName: table, Key: projectKey(id), ...condition } },
        deletionOf(table, pointerKey({ id, accountId })),
        putOf(table, removalItem({ projectId: id, deploymentId: undefined, dueAt: now, bytes: 0 })),
        putOf(table, tombstoneItem(token, now)),
        ...audit(changes.projectDeleted({ id, accountId })),
      ]);
    },
  };
}

const CHANGING = ['name', 'currentDeploymentId', 'configuration'] as const;

/** Returns the condition that a project's item still has the values that were read; undefined if it has already changed. */
function unchangedSince(item: Item, read: Partial<Project>) {
  const stored = PROJECT.read(item);
  if (!isDeepStrictEqual({ ...stored, ...read }, stored)) return undefined;
  const compared = CHANGING.filter((attribute) => attribute in read);
  return unchanged(item, compared);
}

// Deploy tokens in the control table: deploy-tokens#<project> / <token>. A token's id contains its project's id.

const PARTITION = 'deploy-tokens#';

/** Creates the store on the control table. */
export function createDynamoDbDeployTokenStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): DeployTokenStore {
  const getToken = (tokenId: string) => getValue(client, table, keyOf(tokenId), TOKEN.read);

  return {
    addToken: async (token) => {
      const accountId = await accountOfProject(client, table, token.projectId);
      await writeAll(client, [putOf(table, TOKEN.write(token)), ...audit(changes.deployTokenChanged('deploy_token.issued', accountId, token))]);
    },

    listTokens: async (projectId) => (await partition(client, table, `${PARTITION}${projectId}`)).map(TOKEN.read).sort(byAge),

    getToken,

    useToken: async (tokenId, at) => {
      const key = keyOf(tokenId);
      if (key !== undefined) await updateItem(client, updateOfExisting(table, key, { lastUsedAt: at }));
    },

    removeToken: async (tokenId) => {
      const token = await getToken(tokenId);
      if (token === undefined) return false;
      const accountId = await accountOfProject(client, table, token.projectId);
      return isWritten(client, [
        deletionOf(table, keyOf(tokenId), PRESENT),
        ...audit(changes.deployTokenChanged('deploy_token.revoked', accountId, token)),
      ]);
    },
  };
}

function keyOf(tokenId: string): Item | undefined {
  const projectId = projectIdOfTokenId(tokenId);
  return projectId === undefined ? undefined : controlKey(PARTITION + projectId, tokenId);
}

export const TOKEN = kindOf<DeployToken>(
  {
    id: named('sk', TEXT),
    projectId: named('pk', after(PARTITION)),
    digest: TEXT,
    name: TEXT,
    createdBy: TEXT,
    createdAt: INTEGER,
    expiresAt: INTEGER,
    lastUsedAt: later(INTEGER),
  },
  ({ expiresAt }) => timeToLive(expiresAt + EXPIRED_TOKEN_KEPT_MS),
);
