// Animals in DynamoDB: one partition sorted by id, and an index by status.

import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type QueryCommandInput,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { isSamePet, type Pet } from '../../../core/pets/pet.ts';
import type { CreateResult, Creation, Idempotency, PetStore } from '../../../core/pets/ports.ts';
import { query } from './calls.ts';
import { canceledBy, guarded, refusedBy } from './faults.ts';
import { type Item, petItem, petKey, text, toPet } from './items.ts';
import { PETS_PARTITION, STATUS_INDEX, TTL_ATTRIBUTE } from './tables.ts';

/** Maximum number of concurrent creations within one createAll. */
const CONCURRENCY = 16;
const FREE_ID = 'attribute_not_exists(pk)';

/** Creates the pet store. */
export function createDynamoDbPetStore(client: DynamoDBClient, tableName: string): PetStore {
  async function create({ pet, idempotency }: Creation, now: number): Promise<CreateResult> {
    return idempotency === undefined ? createPlain(pet) : createIdempotent(pet, idempotency, now);
  }

  async function createPlain(pet: Pet): Promise<CreateResult> {
    const put = new PutItemCommand({
      TableName: tableName,
      Item: petItem(pet),
      ConditionExpression: FREE_ID,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const refused = await refusedBy('PutItem', client.send(put));
    return refused === undefined ? { kind: 'created' } : taken(pet, refused);
  }

  async function createIdempotent(pet: Pet, idempotency: Idempotency, now: number): Promise<CreateResult> {
    const transact = new TransactWriteItemsCommand({
      TransactItems: [
        {
          Put: {
            TableName: tableName,
            Item: recordItem(pet, idempotency),
            ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
            ExpressionAttributeValues: { ':now': { N: String(now) } },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        { Put: { TableName: tableName, Item: petItem(pet), ConditionExpression: FREE_ID, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
      ],
    });
    const canceled = await canceledBy('TransactWriteItems', client.send(transact));
    if (canceled === undefined) return { kind: 'created' };
    const [record, holder] = canceled;
    if (record?.code === 'ConditionalCheckFailed') {
      if (text(record.item, 'fingerprint') !== idempotency.fingerprint) return { kind: 'key_reused' };
      if (idempotency.renewable) await renew(record.item, idempotency.expiresAt);
      return { kind: 'replayed', pet: toPet(record.item.pet?.M ?? {}) };
    }
    if (holder?.code === 'ConditionalCheckFailed') return { kind: 'id_taken', holder: toPet(holder.item) };
    return { kind: 'in_progress' };
  }

  /** Moves a record's end. If it has been deleted meanwhile, it stays deleted. */
  async function renew(record: Item, expiresAt: number): Promise<void> {
    const Item = { ...record, ...endAttributes(expiresAt) };
    const put = new PutItemCommand({ TableName: tableName, Item, ConditionExpression: 'attribute_exists(pk)' });
    await refusedBy('PutItem', client.send(put));
  }

  async function createAll(creations: readonly Creation[], now: number): Promise<readonly CreateResult[]> {
    const results: CreateResult[] = [];
    const entries = creations.entries();
    const worker = async () => {
      for (const [index, creation] of entries) results[index] = await create(creation, now);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    return results;
  }

  return {
    create,
    createAll,
    get: async (id) => {
      const command = new GetItemCommand({ TableName: tableName, Key: petKey(id), ConsistentRead: true });
      const { Item: item } = await guarded('GetItem', client.send(command));
      return item && toPet(item);
    },
    list: async ({ after, status, limit }) => {
      const range: QueryCommandInput =
        status === undefined
          ? {
              TableName: tableName,
              ConsistentRead: true,
              KeyConditionExpression: 'pk = :partition AND id > :after',
              ExpressionAttributeValues: { ':partition': { S: PETS_PARTITION } },
            }
          : {
              TableName: tableName,
              IndexName: STATUS_INDEX,
              KeyConditionExpression: '#status = :status AND id > :after',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: { ':status': { S: status } },
            };
      const values = { ...range.ExpressionAttributeValues, ':after': { N: String(after) } };
      // Usually one call: a page of 101 animals is far below the 1 MB that a Query reads.
      return (await query(client, { ...range, ExpressionAttributeValues: values, Limit: limit })).map(toPet);
    },
    remove: async (id) => {
      const command = new DeleteItemCommand({ TableName: tableName, Key: petKey(id), ReturnValues: 'ALL_OLD' });
      return (await guarded('DeleteItem', client.send(command))).Attributes !== undefined;
    },
  };
}

/**
 * Handles a taken id. The id belongs to another animal, or to this one if the SDK repeated a write whose response was lost. Ids contain 12 random
 * bits besides the time, so an animal with the same id and the same fields comes from our own write.
 */
function taken(pet: Pet, item: Item): CreateResult {
  const holder = toPet(item);
  return isSamePet(holder, pet) ? { kind: 'created' } : { kind: 'id_taken', holder };
}

function recordItem(pet: Pet, { owner, key, fingerprint, expiresAt }: Idempotency): Item {
  return {
    pk: { S: `idempotency#${owner}#${key}` },
    id: { N: '0' },
    fingerprint: { S: fingerprint },
    pet: { M: petItem(pet) },
    ...endAttributes(expiresAt),
  };
}

function endAttributes(expiresAt: number): Item {
  return { expiresAt: { N: String(expiresAt) }, [TTL_ATTRIBUTE]: { N: String(Math.ceil(expiresAt / 1000)) } };
}
