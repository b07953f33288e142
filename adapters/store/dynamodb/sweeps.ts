// The sweeps' progress in the control table: sweep / <name> has a sweep's progress; sweep#<thing> / reported has the time of a thing's first report.

import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { filesRemoved } from '../../../core/audit/changes.ts';
import { isTaken, type SweepProgress, type SweepStore } from '../../../core/domains/queue.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import type { FileRemoval, FileRemovalStore } from '../../../core/projects/ports.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { deletionOf, getItem, guarded, PRESENT, partition, putItem, query, updateItem, writeAll } from './calls.ts';
import { attributes, controlKey, type Item, integer, json, text, timeToLive } from './items.ts';
import { accountOfProject, deploymentsPartition } from './project-items.ts';

/** How long a report is stored. */
const REPORTED_MS = 7 * DAY_MS;

/** Creates the store of the sweeps' progress. */
export function createDynamoDbSweepStore(client: DynamoDBClient, table: string): SweepStore {
  const keyOf = (name: string) => controlKey('sweep', name);

  const itemOf = (name: string, run: string, progress: SweepProgress, until: number): Item => ({
    ...keyOf(name),
    ...attributes({ takenBy: run, takenUntil: until, progress: JSON.stringify(progress) }),
  });

  const progressOf = (item: Item | undefined): SweepProgress => (item === undefined ? {} : json(item, 'progress'));

  return {
    read: async (name) => progressOf(await getItem(client, table, keyOf(name))),

    take: async (name, run, now, until) => {
      const found = await getItem(client, table, keyOf(name));
      if (found !== undefined && isTaken(integer(found, 'takenUntil'), now, until)) return undefined;
      const progress = progressOf(found);
      const taken = itemOf(name, run, progress, until);
      // Each run stores its own name, so of several runs that have read the same progress, only one succeeds.
      const before = { ':before': found ? text(found, 'takenBy') : run };
      const refused = await putItem(client, table, taken, 'attribute_not_exists(pk) OR takenBy = :before', before);
      return refused === undefined ? progress : undefined;
    },

    save: async (name, run, progress, until) => {
      const item = itemOf(name, run, progress, until);
      return (await putItem(client, table, item, 'takenBy = :run', { ':run': run })) === undefined;
    },

    firstReported: async (thing, now) => {
      const item = { ...controlKey(`sweep#${thing}`, 'reported'), ...attributes({ since: now }), ...timeToLive(now + REPORTED_MS) };
      // TTL deletion can take days, so the age is also checked here.
      const known = await putItem(client, table, item, 'attribute_not_exists(pk) OR since <= :forgotten', { ':forgotten': now - REPORTED_MS });
      return known === undefined ? now : integer(known, 'since');
    },
  };
}

// The queue of file removals in the control table: removals / <project>, or <project>#<deployment>.

const PARTITION = 'removals';
/** Number of removals per page. */
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
      // Both writes are one step, so that a removal completed by two sweeps has only one audit log entry.
      await writeAll(client, [deletionOf(table, removalKey(removal), PRESENT), ...audit(filesRemoved(accountId, projectId, deploymentId))]);
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

/** Returns the key of a removal. */
export function removalKey({ projectId, deploymentId }: Pick<FileRemoval, 'projectId' | 'deploymentId'>): Item {
  return controlKey(PARTITION, deploymentId === undefined ? projectId : `${projectId}#${deploymentId}`);
}

/** Returns the item of a removal. */
export function removalItem(removal: FileRemoval): Item {
  return { ...removalKey(removal), ...attributes({ dueAt: removal.dueAt, bytes: removal.bytes }) };
}

function toRemoval(item: Item): FileRemoval {
  const [projectId = '', deploymentId] = text(item, 'sk').split('#');
  return { projectId, deploymentId, dueAt: integer(item, 'dueAt'), bytes: integer(item, 'bytes') };
}
