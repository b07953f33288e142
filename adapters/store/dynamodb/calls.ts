// DynamoDB calls that several stores share.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  type QueryCommandInput,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type Update,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { StoreFault } from '../../../core/refusal.ts';
import { attributes, type Item, type Stored } from './items.ts';

/** Maximum attempts at a transaction that conflicts with another one on the same item. */
const TRIES = 6;
/** Maximum pause after the first conflict, in milliseconds; each further pause is up to twice as long. */
const FIRST_PAUSE_MS = 20;
/** Maximum number of keys per BatchGetItem call (API reference). */
const BATCH = 100;

/** Writes all items or none. @returns undefined if written; otherwise each item's cancellation reason, at least one of them a failed condition */
export async function writeAll(client: DynamoDBClient, items: TransactWriteItem[]): Promise<Cancellation | undefined> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const canceled = await canceledBy('TransactWriteItems', client.send(new TransactWriteItemsCommand({ TransactItems: items })));
    if (canceled === undefined || canceled.some(({ code }) => code === 'ConditionalCheckFailed')) return canceled;
    // Random, so that the same writers don't collide again. SDKs don't retry canceled transactions (Developer Guide, "Transaction conflicts").
    if (attempt < TRIES) await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1));
  }
  throw new StoreFault('unavailable', `DynamoDB TransactWriteItems: ${TRIES} conflicts with other writers in a row`);
}

/** Writes all items or none. @returns whether they are written; if not, a condition has failed */
export async function isWritten(client: DynamoDBClient, items: TransactWriteItem[]): Promise<boolean> {
  return (await writeAll(client, items)) === undefined;
}

/** Describes the write of an item in a transaction. @param condition @default none @param values of the condition */
export function putOf(TableName: string, item: Item, condition?: string, values?: Readonly<Record<string, Stored>>): TransactWriteItem {
  return { Put: { TableName, Item: item, ...conditioned(condition, values) } };
}

/** Describes the deletion of an item in a transaction. The parameters are those of `putOf`. */
export function deletionOf(
  TableName: string,
  Key: Item | undefined,
  condition?: string,
  values?: Readonly<Record<string, Stored>>,
): TransactWriteItem {
  return { Delete: { TableName, Key, ...conditioned(condition, values) } };
}

function conditioned(ConditionExpression: string | undefined, values: Readonly<Record<string, Stored>> | undefined) {
  return {
    ...(ConditionExpression !== undefined && { ConditionExpression }),
    ...(values !== undefined && { ExpressionAttributeValues: attributes(values) }),
  };
}

/** Conditions on an item of the control table. */
export const ABSENT = 'attribute_not_exists(pk)';
export const PRESENT = 'attribute_exists(pk)';

/** Returns the condition that attributes still have the values that were read, in whatever form a release has stored them. */
export function unchanged(item: Item, names: readonly string[]) {
  const values = names.flatMap((name) => (item[name] === undefined ? [] : [[`:${name}`, item[name]] as const]));
  const conditions = names.map((name) => (item[name] === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`));
  return {
    ConditionExpression: [PRESENT, ...conditions].join(' AND '),
    ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])) }),
    ...(values.length > 0 && { ExpressionAttributeValues: Object.fromEntries(values) }),
  };
}

/** Puts an item. @returns undefined if written; otherwise the item that failed the condition, empty if it does not exist */
export function putItem(
  client: DynamoDBClient,
  table: string,
  item: Item,
  condition: string,
  values?: Readonly<Record<string, Stored>>,
): Promise<Item | undefined> {
  const put = { TableName: table, Item: item, ...conditioned(condition, values) };
  const command = new PutItemCommand({ ...put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
  return refusedBy('PutItem', client.send(command));
}

/** Updates an item. @returns the requested attributes; undefined if the condition failed */
export async function updateItem(client: DynamoDBClient, input: UpdateItemCommandInput): Promise<Item | undefined> {
  try {
    return (await guarded('UpdateItem', client.send(new UpdateItemCommand(input)))).Attributes ?? {};
  } catch (error) {
    if (isConditionFailed(error)) return undefined;
    throw error;
  }
}

/** Describes an update that sets attributes, and removes those that are undefined. */
export function updateOf(table: string, key: Item, values: Readonly<Record<string, Stored>>): Update {
  const names = Object.keys(values);
  const set = names.flatMap((name, index) => (values[name] === undefined ? [] : [`#${index} = :${index}`]));
  const removed = names.flatMap((name, index) => (values[name] === undefined ? [`#${index}`] : []));
  return {
    TableName: table,
    Key: key,
    UpdateExpression: [...(set.length > 0 ? [`SET ${set.join(', ')}`] : []), ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : [])].join(
      ' ',
    ),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#${index}`, name])),
    ...(set.length > 0 && { ExpressionAttributeValues: attributes(Object.fromEntries(names.map((name, index) => [`:${index}`, values[name]]))) }),
  };
}

/** Describes an update, as `updateOf` does, of an item that must exist. */
export function updateOfExisting(table: string, key: Item, values: Readonly<Record<string, Stored>>): Update {
  return { ...updateOf(table, key, values), ConditionExpression: `attribute_exists(${Object.keys(key)[0]})` };
}

/** Reads an item with a consistent read. */
export async function getItem(client: DynamoDBClient, table: string, key: Item): Promise<Item | undefined> {
  const command = new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true });
  return (await guarded('GetItem', client.send(command))).Item;
}

/** Reads the value of an item with a consistent read. @param key undefined if there can be no such item */
export async function getValue<Value>(
  client: DynamoDBClient,
  table: string,
  key: Item | undefined,
  of: (item: Item) => Value,
): Promise<Value | undefined> {
  const item = key && (await getItem(client, table, key));
  return item && of(item);
}

/** Returns the results of a query in order: the first `Limit` items, or all. May read several pages, because DynamoDB limits a page to 1 MB. */
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

const ofPartition = (table: string, pk: string): QueryCommandInput => ({
  TableName: table,
  ConsistentRead: true,
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: attributes({ ':pk': pk }),
});

/** Returns all items of a partition, sorted by sort key. */
export function partition(client: DynamoDBClient, table: string, pk: string): Promise<Item[]> {
  return query(client, ofPartition(table, pk));
}

/** Returns the first values of a partition of any size. Only these, and one page, are in memory. @param compare their order @param limit how many */
export function firstOfPartition<Value>(
  client: DynamoDBClient,
  { table, pk, of, compare, limit }: FirstOfPartition<Value>,
): Promise<readonly Value[]> {
  const read = async () => {
    let first: Value[] = [];
    for await (const { Items = [] } of paginateQuery({ client }, ofPartition(table, pk))) {
      first = [...first, ...Items.map(of)].sort(compare).slice(0, limit);
    }
    return first;
  };
  return guarded('Query', read());
}

interface FirstOfPartition<Value> {
  readonly table: string;
  readonly pk: string;
  readonly of: (item: Item) => Value;
  readonly compare: (a: Value, b: Value) => number;
  readonly limit: number;
}

/** Returns the items that exist, in any order. */
export async function getItems(client: DynamoDBClient, table: string, keys: readonly Item[]): Promise<Item[]> {
  const items: Item[] = [];
  let wanted = [...keys];
  while (wanted.length > 0) {
    const command = new BatchGetItemCommand({ RequestItems: { [table]: { Keys: wanted.slice(0, BATCH), ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await guarded('BatchGetItem', client.send(command));
    items.push(...(Responses?.[table] ?? []));
    const left = UnprocessedKeys?.[table]?.Keys ?? [];
    // The remaining keys were throttled.
    if (left.length > 0) await sleep(Math.random() * 2 * FIRST_PAUSE_MS);
    wanted = [...left, ...wanted.slice(BATCH)];
  }
  return items;
}

// SDK clients. All calls may be retried except admission, which counts with ADD and is not idempotent.

/** Timeouts for connecting and for the response, in milliseconds: a caller waits for at most two calls. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 2_000;
/** Maximum duration of one attempt, in milliseconds. */
export const LONGEST_CALL_MS = CONNECTION_TIMEOUT_MS + REQUEST_TIMEOUT_MS;

export interface DynamoDbClients {
  readonly retrying: DynamoDBClient;
  /** The client with `maxAttempts: 1`. */
  readonly once: DynamoDBClient;
}

/** Creates both clients. @param config endpoint, region and credentials where the environment does not provide them */
export function createDynamoDbClients(config: DynamoDBClientConfig = {}): DynamoDbClients {
  const requestHandler = { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true };
  return {
    retrying: new DynamoDBClient({ requestHandler, maxAttempts: 3, ...config }),
    once: new DynamoDBClient({ requestHandler, ...config, maxAttempts: 1 }),
  };
}

/** Awaits a call and turns any error other than a failed condition into a StoreFault. */
export async function guarded<T>(operation: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException || error instanceof TransactionCanceledException) throw error;
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new StoreFault('unavailable', `DynamoDB ${operation}: ${reason}`, { cause: error });
  }
}

function isConditionFailed(error: unknown): error is ConditionalCheckFailedException {
  return error instanceof ConditionalCheckFailedException;
}

/** Awaits a conditional write. @returns undefined if written; otherwise the item that failed the condition, empty if it does not exist */
export async function refusedBy(operation: string, call: Promise<unknown>): Promise<Item | undefined> {
  try {
    await guarded(operation, call);
    return undefined;
  } catch (error) {
    if (isConditionFailed(error)) return error.Item ?? {};
    throw error;
  }
}

/** The cancellation reason for each item of a transaction, in order; `None` for items that would have succeeded. */
export type Cancellation = readonly { readonly code: string; readonly item: Item }[];

/** Awaits a transaction. @returns undefined if written; otherwise the cancellation reasons */
export async function canceledBy(operation: string, call: Promise<unknown>): Promise<Cancellation | undefined> {
  try {
    await guarded(operation, call);
    return undefined;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const reasons = (error.CancellationReasons ?? []).map(({ Code, Item }) => ({ code: Code ?? 'None', item: Item ?? {} }));
    const unexpected = reasons.find(({ code }) => !['None', 'ConditionalCheckFailed', 'TransactionConflict'].includes(code));
    if (unexpected !== undefined || reasons.length === 0) {
      throw new StoreFault('unavailable', `DynamoDB ${operation}: canceled, ${unexpected?.code ?? 'no reason given'}`, { cause: error });
    }
    return reasons;
  }
}
