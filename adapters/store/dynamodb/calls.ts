// Calls that several stores make in the same way.

import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  type QueryCommandInput,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { StoreFault } from '../../../core/store-fault.ts';
import { type Cancellation, cancelledBy, guarded } from './faults.ts';
import type { Item } from './items.ts';

/** Tries of a transaction that ran into another one on the same item. */
const TRIES = 5;
/** What BatchGetItem takes (API reference). */
const BATCH = 100;

/**
 * Writes all or nothing.
 *
 * @returns undefined if it was written; else why each item was not, in their order, one of them for its condition
 */
export async function writeAll(client: DynamoDBClient, items: TransactWriteItem[]): Promise<Cancellation | undefined> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const cancelled = await cancelledBy('TransactWriteItems', client.send(new TransactWriteItemsCommand({ TransactItems: items })));
    if (cancelled === undefined || cancelled.some(({ code }) => code === 'ConditionalCheckFailed')) return cancelled;
  }
  throw new StoreFault('unavailable', `DynamoDB TransactWriteItems: in conflict with other writers, ${TRIES} times`);
}

export async function getItem(client: DynamoDBClient, table: string, key: Item): Promise<Item | undefined> {
  const command = new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true });
  return (await guarded('GetItem', client.send(command))).Item;
}

/** What a query finds, in its order: its first `Limit` items, or all. A page ends at 1 MB, however many items of the limit are left. */
export async function query(client: DynamoDBClient, input: QueryCommandInput): Promise<Item[]> {
  const { Limit: limit = Number.POSITIVE_INFINITY } = input;
  const read = async () => {
    const items: Item[] = [];
    for await (const { Items = [] } of paginateQuery({ client }, { ...input })) {
      items.push(...Items);
      if (items.length >= limit) break;
    }
    return items.slice(0, limit);
  };
  return guarded('Query', read());
}

/** All items of a partition, by sort key. */
export function partition(client: DynamoDBClient, table: string, pk: string): Promise<Item[]> {
  return query(client, {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
  });
}

/** Those of the items that there are, in any order. */
export async function getItems(client: DynamoDBClient, table: string, keys: readonly Item[]): Promise<Item[]> {
  const items: Item[] = [];
  let wanted = [...keys];
  while (wanted.length > 0) {
    const command = new BatchGetItemCommand({ RequestItems: { [table]: { Keys: wanted.slice(0, BATCH), ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await guarded('BatchGetItem', client.send(command));
    items.push(...(Responses?.[table] ?? []));
    wanted = [...(UnprocessedKeys?.[table]?.Keys ?? []), ...wanted.slice(BATCH)];
  }
  return items;
}
