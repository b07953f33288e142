// The queue of file removals in the control table: removals / <project>, or <project>#<deployment>.

import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { filesRemoved } from '../../../core/audit/changes.ts';
import type { FileRemoval, FileRemovalStore } from '../../../core/projects/ports.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { partition, query, updateItem, writeAll } from './calls.ts';
import { guarded } from './faults.ts';
import { attributes, controlKey, type Item, integer, text } from './items.ts';
import { accountOfProject, deploymentsPartition } from './project-items.ts';

const PARTITION = 'removals';
/** Removals in a page. */
const PAGE = 100;

/** Creates the queue on the control table. */
export function createDynamoDbFileRemovalStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): FileRemovalStore {
  const remove = (Key: Item) => guarded('DeleteItem', client.send(new DeleteItemCommand({ TableName: table, Key })));
  return {
    schedule: async (removal) => void (await guarded('PutItem', client.send(new PutItemCommand({ TableName: table, Item: removalItem(removal) })))),

    ofProject: (projectId) => removalsOf(client, table, projectId),

    list: async (after) => {
      const command = new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: attributes({ ':pk': PARTITION }),
        Limit: PAGE,
        ...(after !== undefined && { ExclusiveStartKey: controlKey(PARTITION, after) }),
      });
      const { Items = [], LastEvaluatedKey } = await guarded('Query', client.send(command));
      return { items: Items.map(toRemoval), next: LastEvaluatedKey && text(LastEvaluatedKey, 'sk') };
    },

    begin: async (removal, now) => {
      const begun = await updateItem(client, {
        TableName: table,
        Key: removalKey(removal),
        UpdateExpression: 'SET begunAt = if_not_exists(begunAt, :now)',
        ConditionExpression: 'dueAt <= :now',
        ExpressionAttributeValues: attributes({ ':now': now }),
        ReturnValues: 'UPDATED_NEW',
      });
      return begun && integer(begun, 'begunAt');
    },

    finish: async (removal) => {
      if (removal.deploymentId === undefined) {
        for (const { pk, sk } of await partition(client, table, deploymentsPartition(removal.projectId))) if (pk && sk) await remove({ pk, sk });
      }
      const { projectId, deploymentId } = removal;
      const accountId = await accountOfProject(client, table, projectId);
      // Once: a removal that two sweeps complete has one entry.
      await writeAll(client, [
        { Delete: { TableName: table, Key: removalKey(removal), ConditionExpression: 'attribute_exists(pk)' } },
        ...audit(filesRemoved(accountId, projectId, deploymentId)),
      ]);
    },
  };
}

/** A project's removals. */
export async function removalsOf(client: DynamoDBClient, table: string, projectId: string): Promise<readonly FileRemoval[]> {
  const items = await query(client, {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :project)',
    ExpressionAttributeValues: attributes({ ':pk': PARTITION, ':project': projectId }),
  });
  return items.map(toRemoval).filter((removal) => removal.projectId === projectId);
}

/** The key of a removal. */
export function removalKey({ projectId, deploymentId }: Pick<FileRemoval, 'projectId' | 'deploymentId'>): Item {
  return controlKey(PARTITION, deploymentId === undefined ? projectId : `${projectId}#${deploymentId}`);
}

/** The item of a removal. */
export function removalItem(removal: FileRemoval): Item {
  return { ...removalKey(removal), ...attributes({ dueAt: removal.dueAt, bytes: removal.bytes }) };
}

function toRemoval(item: Item): FileRemoval {
  const [projectId = '', deploymentId] = text(item, 'sk').split('#');
  return { projectId, deploymentId, dueAt: integer(item, 'dueAt'), bytes: integer(item, 'bytes') };
}
