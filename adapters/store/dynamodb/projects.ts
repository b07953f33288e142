// Projects and deployments in the control table. All projects are in one partition. The same transaction adds a pointer to the account's partition,
// and an item that reserves the project's token.

import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { MOST_DEPLOYMENTS_LISTED, type ProjectStore } from '../../../core/projects/ports.ts';
import { type Deployment, PROJECT_TOMBSTONE_MS, type Project } from '../../../core/projects/project.ts';
import { firstOfPartition, getItem, getItems, partition, writeAll } from './calls.ts';
import { refusedBy } from './faults.ts';
import { removalItem, removalKey, removalsOf } from './file-removals.ts';
import { type Item, integer, json, text } from './items.ts';
import { PROJECTS_PARTITION, TTL_ATTRIBUTE } from './tables.ts';

const ABSENT = 'attribute_not_exists(pk)';
const PRESENT = 'attribute_exists(pk)';

/** Creates the project store on the control table. */
export function createDynamoDbProjectStore(client: DynamoDBClient, table: string): ProjectStore {
  const update = async (id: string, expression: string, values: Item, names?: Readonly<Record<string, string>>): Promise<boolean> => {
    const command = new UpdateItemCommand({
      TableName: table,
      Key: projectKey(id),
      UpdateExpression: expression,
      ConditionExpression: PRESENT,
      ExpressionAttributeValues: values,
      ExpressionAttributeNames: names,
    });
    return (await refusedBy('UpdateItem', client.send(command))) === undefined;
  };

  return {
    createProject: async (project) => {
      const put = (item: Item) => ({ Put: { TableName: table, Item: item, ConditionExpression: ABSENT } });
      const refused = await writeAll(client, [
        put(projectItem(project)),
        put({ pk: { S: `projects#${project.accountId}` }, sk: { S: project.id } }),
        put(tokenKey(project.token)),
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
      ]);
      return refused === undefined;
    },

    setPinned: async ({ projectId, id }, pinned) => {
      const command = new UpdateItemCommand({
        TableName: table,
        Key: deploymentKey(projectId, id),
        UpdateExpression: pinned ? 'SET pinned = :pinned' : 'REMOVE pinned',
        ConditionExpression: PRESENT,
        ...(pinned && { ExpressionAttributeValues: { ':pinned': { BOOL: true } } }),
      });
      return (await refusedBy('UpdateItem', client.send(command))) === undefined;
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
      ]);
      return refused === undefined;
    },

    putConfiguration: (projectId, configuration) =>
      update(projectId, 'SET configuration = :configuration', { ':configuration': { S: JSON.stringify(configuration) } }),

    rename: (projectId, name) => update(projectId, 'SET #name = :name', { ':name': { S: name } }, { '#name': 'name' }),

    deleteProject: async ({ id, accountId, token }, now) => {
      const refused = await writeAll(client, [
        { Delete: { TableName: table, Key: projectKey(id), ConditionExpression: PRESENT } },
        { Delete: { TableName: table, Key: { pk: { S: `projects#${accountId}` }, sk: { S: id } } } },
        { Put: { TableName: table, Item: removalItem({ projectId: id, deploymentId: undefined, dueAt: now, bytes: 0 }) } },
        { Put: { TableName: table, Item: { ...tokenKey(token), [TTL_ATTRIBUTE]: { N: String(Math.ceil((now + PROJECT_TOMBSTONE_MS) / 1_000)) } } } },
      ]);
      return refused === undefined;
    },
  };
}

function projectKey(id: string): Item {
  return { pk: { S: PROJECTS_PARTITION }, sk: { S: id } };
}

function tokenKey(token: string): Item {
  return { pk: { S: 'tokens' }, sk: { S: token } };
}

function projectItem({ id, accountId, name, token, createdAt, currentDeploymentId, configuration }: Project): Item {
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

function toProject(item: Item): Project {
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

function deploymentKey(projectId: string, id: string): Item {
  return { pk: { S: `deployments#${projectId}` }, sk: { S: id } };
}

function deploymentItem({ id, projectId, createdAt, files, bytes }: Deployment): Item {
  return {
    ...deploymentKey(projectId, id),
    createdAt: { N: String(createdAt) },
    files: { N: String(files) },
    bytes: { N: String(bytes) },
  };
}

function toDeployment(item: Item): Deployment {
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
