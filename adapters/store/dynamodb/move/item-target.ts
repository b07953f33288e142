// A stage's tables as the target of an installation's move. Items are compared with those in the tables, and only those that differ are written.

import { createHash, type Hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
  QueryCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { PET_FIELD_LIST } from '../../../../core/pets/fields.ts';
import { type Pet, petFromStored } from '../../../../core/pets/pet.ts';
import type { StoredRecord } from '../../../../core/records/kinds.ts';
import type { RecordTarget, Synchronized } from '../../../../core/records/synchronize.ts';
import { StoreFault } from '../../../../core/refusal.ts';
import { getItems, guarded } from '../calls.ts';
import { attributes, type Item } from '../items.ts';
import { PET } from '../pets.ts';
import { PETS_PARTITION, type TableNames } from '../tables.ts';
import type { MovedItem } from './moved-items.ts';

/** Maximum number of items per read and per write (API reference: BatchGetItem, BatchWriteItem). */
const READ = 100;
const WRITTEN = 25;
/** Maximum number of batches in progress. */
const AT_ONCE = 8;
/** Maximum attempts to write items that a table has not accepted, and the first pause between them, in milliseconds; the pause doubles each time. */
const TRIES = 10;
const FIRST_PAUSE_MS = 50;

type Table = keyof TableNames;

const KEYS: Readonly<Record<Table, readonly string[]>> = {
  pets: ['pk', 'id'],
  usage: ['accountId'],
  control: ['pk', 'sk'],
  audit: ['accountId', 'id'],
};

/** Tables from which items may be removed. Audit log entries are kept, and records of requests expire soon. */
const MAY_REMOVE: readonly Table[] = ['usage', 'control'];

export interface ItemTarget {
  /** Writes the items that are missing or differ. @param onProgress called with the number of items written so far */
  take(items: Iterable<MovedItem>, onProgress: (items: number) => void): Promise<Synchronized>;
  /** Removes a table's items that were not passed to `take` after the last call of `forget`. @param isOurs whether an item may be removed */
  removeOthers(table: (typeof MAY_REMOVE)[number], isOurs: (key: Item) => boolean): Promise<void>;
  /** Forgets which items were passed to `take`. */
  forget(): void;
  close(): void;
}

/** Creates the target. @param client one that retries */
export function createItemTarget(client: DynamoDBClient, tables: Readonly<Record<Table, string>>): ItemTarget {
  // In a temporary file, because there may be many millions of items.
  const taken = new DatabaseSync('');
  taken.exec('CREATE TABLE taken (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID; BEGIN');
  const remember = taken.prepare('INSERT OR IGNORE INTO taken (name) VALUES (?)');
  const isTaken = taken.prepare('SELECT 1 FROM taken WHERE name = ?');

  /** Writes the items that differ. @returns the previous items, in the same order */
  async function takeBatch({ table, entries }: Batch): Promise<{ readonly there: readonly (string | undefined)[]; readonly written: number }> {
    const found = await getItems(
      client,
      tables[table],
      entries.map(({ item }) => keyOf(table, item)),
    );
    const texts = new Map(found.map((item) => [nameOf(table, item), textOf(item)]));
    const there = entries.map(({ name }) => texts.get(name));
    const others = entries.filter(({ text }, index) => there[index] !== text);
    await write(client, tables[table], others, ({ item: Item }) => ({ PutRequest: { Item } }));
    return { there, written: others.length };
  }

  return {
    take: async (items, onProgress) => {
      const digests = { source: createHash('sha256'), target: createHash('sha256') };
      const counts = { records: 0, written: 0, removed: 0 };
      const underWay: ReturnType<typeof takeBatch>[] = [];
      const end = async (most: number) => {
        for (const work of underWay.splice(0, Math.max(0, underWay.length - most))) {
          const { there, written } = await work;
          counts.written += written;
          for (const text of there) if (text !== undefined) add(digests.target, text);
        }
      };
      const begin = async (batch: Batch) => {
        for (const { name, text } of batch.entries) {
          if (MAY_REMOVE.includes(batch.table)) remember.run(name);
          add(digests.source, text);
        }
        counts.records += batch.entries.length;
        const work = takeBatch(batch);
        // The promise is awaited later; until then, a fault must not count as unhandled.
        work.catch(() => {});
        underWay.push(work);
        await end(AT_ONCE - 1);
        onProgress(counts.records);
      };
      for (const batch of batchesOf(items)) await begin(batch);
      await end(0);
      return { ...counts, source: digests.source.digest('hex'), target: digests.target.digest('hex') };
    },

    removeOthers: async (table, isOurs) => {
      const names = KEYS[table];
      const projection = {
        ProjectionExpression: names.map((_, n) => `#${n}`).join(', '),
        ExpressionAttributeNames: Object.fromEntries(names.map((name, n) => [`#${n}`, name])),
      };
      const scan = async () => {
        for await (const { Items = [] } of paginateScan({ client }, { TableName: tables[table], ConsistentRead: true, ...projection })) {
          const others = Items.filter((key) => isOurs(key) && isTaken.get(nameOf(table, key)) === undefined);
          await write(client, tables[table], others, (Key) => ({ DeleteRequest: { Key } }));
        }
      };
      await guarded('Scan', scan());
    },

    forget: () => taken.exec('DELETE FROM taken'),
    close: () => taken.close(),
  };
}

interface Batch {
  readonly table: Table;
  readonly entries: readonly { readonly name: string; readonly text: string; readonly item: Item }[];
}

/** Yields batches, each of one table and without two items with the same key. */
function* batchesOf(items: Iterable<MovedItem>): Generator<Batch> {
  let batch = new Map<string, Item>();
  let table: Table = 'control';
  const whole = () => ({ table, entries: [...batch].map(([name, item]) => ({ name, text: textOf(item), item })) });
  for (const next of items) {
    const name = nameOf(next.table, next.item);
    if (batch.size === READ || (batch.size > 0 && next.table !== table) || batch.has(name)) {
      yield whole();
      batch = new Map();
    }
    table = next.table;
    batch.set(name, next.item);
  }
  if (batch.size > 0) yield whole();
}

async function write<T>(client: DynamoDBClient, table: string, things: readonly T[], requestFor: (thing: T) => WriteRequest): Promise<void> {
  let waiting = things.map(requestFor);
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    const left: WriteRequest[] = [];
    const batches = Array.from({ length: Math.ceil(waiting.length / WRITTEN) }, (_, n) => waiting.slice(n * WRITTEN, (n + 1) * WRITTEN)).values();
    const worker = async () => {
      for (const batch of batches) {
        const command = new BatchWriteItemCommand({ RequestItems: { [table]: batch } });
        const { UnprocessedItems } = await guarded('BatchWriteItem', client.send(command));
        left.push(...(UnprocessedItems?.[table] ?? []));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    if (left.length > 0 && attempt === TRIES)
      throw new StoreFault('unavailable', `DynamoDB BatchWriteItem: ${table} has refused ${left.length} items ${TRIES} times`);
    if (left.length > 0) await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    waiting = left;
  }
}

// Animals are in one partition, in the order of their ids, so they are compared directly with the source, in large pages.

/** Creates the target of animals. @param client one that retries */
export function createPetTarget(client: DynamoDBClient, table: string): RecordTarget {
  const keyOf = ([id]: StoredRecord) => attributes({ pk: PETS_PARTITION, id: id as bigint });
  return {
    page: async (after) => {
      const command = new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND id > :after',
        ExpressionAttributeValues: attributes({ ':pk': PETS_PARTITION, ':after': (after?.[0] ?? 0n) as bigint }),
      });
      const { Items = [] } = await guarded('Query', client.send(command));
      return Items.map((item) => petRecord(PET.read(item)));
    },
    put: (records) => write(client, table, records, (record) => ({ PutRequest: { Item: PET.write(petOf(record)) } })),
    remove: (records) => write(client, table, records, (record) => ({ DeleteRequest: { Key: keyOf(record) } })),
  };
}

/** Returns animals in this target's form. An animal that is older than a field gets the value that the field has for such animals. */
export function* petRecords(records: Iterable<StoredRecord>): Generator<StoredRecord> {
  for (const record of records) yield petRecord(petOf(record));
}

function petOf([id, ...fields]: StoredRecord): Pet {
  return petFromStored(Number(id), (_, index) => fields[index] as string | bigint | null);
}

function petRecord(pet: Pet): StoredRecord {
  return [BigInt(pet.id), ...PET_FIELD_LIST.map(({ name }) => pet[name])];
}

function keyOf(table: Table, item: Item): Item {
  return Object.fromEntries(KEYS[table].map((name) => [name, item[name] as AttributeValue]));
}

function nameOf(table: Table, item: Item): string {
  return JSON.stringify([table, ...KEYS[table].map((name) => item[name]?.S ?? item[name]?.N)]);
}

function add(digest: Hash, text: string): void {
  digest.update(text).update('\n');
}

/** Returns an item as text, which is the same only for equal items. The order of attributes and of sets (the only lists) does not matter. */
function textOf(item: Item): string {
  return JSON.stringify(ordered(item));
}

function ordered(value: unknown): unknown {
  // This comes first, because a buffer is an object with its own JSON form.
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.toSorted();
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, ordered(each)]));
}
