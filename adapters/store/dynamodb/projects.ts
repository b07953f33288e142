// Projects and deployments in the control table. All projects are in one partition. The same transaction adds a pointer to the account's partition,
// and an item that reserves the project's token.

import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { deploymentChanged, projectConfigured, projectCreated, projectDeleted, projectRenamed } from '../../../core/audit/changes.ts';
import type { Change } from '../../../core/audit/entry.ts';
import { MOST_DEPLOYMENTS_LISTED, type ProjectStore } from '../../../core/projects/ports.ts';
import { PROJECT_TOMBSTONE_MS, type Project } from '../../../core/projects/project.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { firstOfPartition, getItem, getItems, partition, writeAll } from './calls.ts';
import { removalItem, removalKey, removalsOf } from './file-removals.ts';
import { type Item, text } from './items.ts';
import { accountOfProject, deploymentItem, deploymentKey, projectItem, projectKey, toDeployment, tokenKey, toProject } from './project-items.ts';
import { PROJECTS_PARTITION, TTL_ATTRIBUTE } from './tables.ts';

const ABSENT = 'attribute_not_exists(pk)';
const PRESENT = 'attribute_exists(pk)';

/** Creates the project store on the control table. */
export function createDynamoDbProjectStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): ProjectStore {
  const accountOf = (projectId: string) => accountOfProject(client, table, projectId);

  /** Sets an attribute of a project, if the project still is what was read of it. */
  async function set(
    id: string,
    attribute: 'name' | 'configuration',
    value: string,
    changeOf: (project: { id: string; accountId: string }) => Change,
    read: Partial<Project> = {},
  ): Promise<boolean> {
    const item = await getItem(client, table, projectKey(id));
    const unchanged = item && unchangedSince(item, read);
    if (item === undefined || unchanged === undefined) return false;
    const Update = {
      TableName: table,
      Key: projectKey(id),
      UpdateExpression: 'SET #attribute = :value',
      ConditionExpression: unchanged.ConditionExpression,
      ExpressionAttributeNames: { ...unchanged.ExpressionAttributeNames, '#attribute': attribute },
      ExpressionAttributeValues: { ...unchanged.ExpressionAttributeValues, ':value': { S: value } },
    };
    return (await writeAll(client, [{ Update }, ...audit(changeOf({ id, accountId: text(item, 'accountId') }))])) === undefined;
  }

  return {
    createProject: async (project) => {
      const put = (item: Item) => ({ Put: { TableName: table, Item: item, ConditionExpression: ABSENT } });
      const refused = await writeAll(client, [
        put(projectItem(project)),
        put({ pk: { S: `projects#${project.accountId}` }, sk: { S: project.id } }),
        put(tokenKey(project.token)),
        ...audit(projectCreated(project)),
      ]);
      return refused === undefined;
    },

    getProject: async (id) => {
      const item = await getItem(client, table, projectKey(id));
      return item && toProject(item);
    },

    listProjects: async (accountId) => {
      const items =
        accountId === undefined
          ? await partition(client, table, PROJECTS_PARTITION)
          : await getItems(
              client,
              table,
              (await partition(client, table, `projects#${accountId}`)).map((pointer) => projectKey(text(pointer, 'sk'))),
            );
      return items.map(toProject).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    },

    deploy: async (deployment, from) => {
      const accountId = await accountOf(deployment.projectId);
      const refused = await writeAll(client, [
        {
          Update: {
            TableName: table,
            Key: projectKey(deployment.projectId),
            UpdateExpression: 'SET currentDeploymentId = :id',
            ConditionExpression: PRESENT,
            ExpressionAttributeValues: { ':id': { S: deployment.id } },
          },
        },
        { Put: { TableName: table, Item: deploymentItem(deployment) } },
        {
          Delete: {
            TableName: table,
            Key: removalKey({ projectId: deployment.projectId, deploymentId: deployment.id }),
            // Of an upload there must be one: otherwise its files are removed already.
            ConditionExpression: `attribute_not_exists(begunAt)${from === 'upload' ? ' AND attribute_exists(pk)' : ''}`,
          },
        },
        ...audit(deploymentChanged('deployment.published', accountId, deployment)),
      ]);
      return refused === undefined;
    },

    listDeployments: (projectId) =>
      firstOfPartition(client, {
        table,
        pk: `deployments#${projectId}`,
        of: toDeployment,
        compare: (a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1),
        limit: MOST_DEPLOYMENTS_LISTED,
      }),

    setCurrentDeployment: async (projectId, deploymentId, now) => {
      const Key = deploymentKey(projectId, deploymentId);
      const accountId = await accountOf(projectId);
      const refused = await writeAll(client, [
        {
          Update: {
            TableName: table,
            Key: projectKey(projectId),
            UpdateExpression: 'SET currentDeploymentId = :id',
            ConditionExpression: PRESENT,
            ExpressionAttributeValues: { ':id': { S: deploymentId } },
          },
        },
        // It must not be deleted meanwhile.
        {
          Update: {
            TableName: table,
            Key,
            UpdateExpression: 'SET servedAt = :now',
            ConditionExpression: PRESENT,
            ExpressionAttributeValues: { ':now': { N: String(now) } },
          },
        },
        ...audit(deploymentChanged('deployment.served', accountId, { id: deploymentId, projectId })),
      ]);
      return refused === undefined;
    },

    setPinned: async ({ projectId, id }, pinned) => {
      const accountId = await accountOf(projectId);
      const refused = await writeAll(client, [
        {
          Update: {
            TableName: table,
            Key: deploymentKey(projectId, id),
            UpdateExpression: pinned ? 'SET pinned = :pinned' : 'REMOVE pinned',
            ConditionExpression: PRESENT,
            ...(pinned && { ExpressionAttributeValues: { ':pinned': { BOOL: true } } }),
          },
        },
        ...audit(deploymentChanged(pinned ? 'deployment.pinned' : 'deployment.unpinned', accountId, { id, projectId })),
      ]);
      return refused === undefined;
    },

    getDeployment: async ({ projectId, id }) => {
      const item = await getItem(client, table, deploymentKey(projectId, id));
      return item && toDeployment(item);
    },

    bytesStored: async (projectId) => {
      const [deployments, removals] = await Promise.all([partition(client, table, `deployments#${projectId}`), removalsOf(client, table, projectId)]);
      return [...deployments.map(toDeployment), ...removals].reduce((sum, { bytes }) => sum + bytes, 0);
    },

    deleteDeployment: async ({ projectId, id }, now) => {
      const found = await getItem(client, table, deploymentKey(projectId, id));
      if (found === undefined) return false;
      const accountId = await accountOf(projectId);
      const refused = await writeAll(client, [
        {
          Update: {
            TableName: table,
            Key: projectKey(projectId),
            UpdateExpression: 'REMOVE absent',
            ConditionExpression: `${PRESENT} AND (attribute_not_exists(currentDeploymentId) OR currentDeploymentId <> :id)`,
            ExpressionAttributeValues: { ':id': { S: id } },
          },
        },
        { Delete: { TableName: table, Key: deploymentKey(projectId, id), ConditionExpression: `${PRESENT} AND attribute_not_exists(pinned)` } },
        { Put: { TableName: table, Item: removalItem({ projectId, deploymentId: id, dueAt: now, bytes: toDeployment(found).bytes }) } },
        ...audit(deploymentChanged('deployment.deleted', accountId, { id, projectId })),
      ]);
      return refused === undefined;
    },

    putConfiguration: (projectId, configuration, read) =>
      set(
        projectId,
        'configuration',
        JSON.stringify(configuration),
        (project) => projectConfigured(project, configuration),
        read && { configuration: read },
      ),

    rename: (projectId, name, read) => set(projectId, 'name', name, (project) => projectRenamed(project, name), read),

    deleteProject: async ({ id, accountId, token }, now, read) => {
      const item = read && (await getItem(client, table, projectKey(id)));
      const unchanged = read === undefined ? { ConditionExpression: PRESENT } : item && unchangedSince(item, read);
      if (unchanged === undefined) return false;
      const refused = await writeAll(client, [
        { Delete: { TableName: table, Key: projectKey(id), ...unchanged } },
        { Delete: { TableName: table, Key: { pk: { S: `projects#${accountId}` }, sk: { S: id } } } },
        { Put: { TableName: table, Item: removalItem({ projectId: id, deploymentId: undefined, dueAt: now, bytes: 0 }) } },
        { Put: { TableName: table, Item: { ...tokenKey(token), [TTL_ATTRIBUTE]: { N: String(Math.ceil((now + PROJECT_TOMBSTONE_MS) / 1_000)) } } } },
        ...audit(projectDeleted({ id, accountId })),
      ]);
      return refused === undefined;
    },
  };
}

/** The attributes of a project that change. */
const CHANGING = ['name', 'currentDeploymentId', 'configuration'] as const;

/**
 * Returns the condition that a project's item is still this one, in what was read of the project; undefined if it is another one by now. The item's own
 * texts are compared, which another release may have written in another form.
 */
function unchangedSince(item: Item, read: Partial<Project>) {
  const stored = toProject(item);
  if (!isDeepStrictEqual({ ...stored, ...read }, stored)) return undefined;
  const compared = CHANGING.filter((attribute) => attribute in read);
  const present = compared.flatMap((attribute) => (item[attribute] === undefined ? [] : [[attribute, item[attribute]] as const]));
  const conditions = compared.map((each) => (item[each] === undefined ? `attribute_not_exists(#${each})` : `#${each} = :${each}`));
  return {
    ConditionExpression: [PRESENT, ...conditions].join(' AND '),
    ...(compared.length > 0 && { ExpressionAttributeNames: Object.fromEntries(compared.map((each) => [`#${each}`, each])) }),
    ...(present.length > 0 && { ExpressionAttributeValues: Object.fromEntries(present.map(([each, value]) => [`:${each}`, value])) }),
  };
}
