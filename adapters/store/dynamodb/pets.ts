// Animals in DynamoDB: one partition sorted by id, and an index by status.

import { DeleteItemCommand, type DynamoDBClient, type QueryCommandInput, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { type FieldValue, type NewPet, PET_FIELD_LIST, type PetField } from '../../../core/pets/fields.ts';
import { isSamePet, type Pet } from '../../../core/pets/pet.ts';
import type { CreateResult, Creation, Idempotency, PetStore } from '../../../core/pets/ports.ts';
import { canceledBy, getValue, guarded, putItem, query } from './calls.ts';
import { attributes, BIG_INTEGER, choice, type Field, INTEGER, type Item, kindOf, TEXT, text, timeToLive } from './items.ts';
import { PETS_PARTITION, STATUS_INDEX } from './tables.ts';

/** Maximum number of concurrent creations within one createAll. */
const CONCURRENCY = 16;
const FREE_ID = 'attribute_not_exists(pk)';

/** Returns how a field of an animal is stored. */
function stored(field: PetField): Field<FieldValue> {
  const { write, read } = (field.kind === 'choice' ? choice(field.choices) : field.kind === 'int64' ? BIG_INTEGER : TEXT) as Field<FieldValue>;
  return { write, read: (item, name) => (item[name] === undefined && field.absent !== undefined ? field.absent : read(item, name)) };
}

export const PET = kindOf<Pet>(
  {
    id: INTEGER,
    ...(Object.fromEntries(PET_FIELD_LIST.map((field) => [field.name, stored(field)])) as { [Name in keyof NewPet]: Field<NewPet[Name]> }),
  },
  () => attributes({ pk: PETS_PARTITION }),
);

/** Creates the pet store. */
export function createDynamoDbPetStore(client: DynamoDBClient, tableName: string): PetStore {
  async function create({ pet, idempotency }: Creation, now: number): Promise<CreateResult> {
    return idempotency === undefined ? createPlain(pet) : createIdempotent(pet, idempotency, now);
  }

  async function createPlain(pet: Pet): Promise<CreateResult> {
    const refused = await putItem(client, tableName, PET.write(pet), FREE_ID);
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
            ExpressionAttributeValues: attributes({ ':now': now }),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        { Put: { TableName: tableName, Item: PET.write(pet), ConditionExpression: FREE_ID, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
      ],
    });
    const canceled = await canceledBy('TransactWriteItems', client.send(transact));
    if (canceled === undefined) return { kind: 'created' };
    const [record, holder] = canceled;
    if (record?.code === 'ConditionalCheckFailed') {
      if (text(record.item, 'fingerprint') !== idempotency.fingerprint) return { kind: 'key_reused' };
      if (idempotency.renewable) await renew(record.item, idempotency.expiresAt);
      return { kind: 'replayed', pet: PET.read(record.item.pet?.M ?? {}) };
    }
    if (holder?.code === 'ConditionalCheckFailed') return { kind: 'id_taken', holder: PET.read(holder.item) };
    return { kind: 'in_progress' };
  }

  /** Postpones a record's expiry. A record deleted meanwhile stays deleted. */
  async function renew(record: Item, expiresAt: number): Promise<void> {
    await putItem(client, tableName, { ...record, ...endAttributes(expiresAt) }, 'attribute_exists(pk)');
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
    get: (id) => getValue(client, tableName, attributes({ pk: PETS_PARTITION, id }), PET.read),
    list: async ({ after, status, limit }) => {
      const range: QueryCommandInput =
        status === undefined
          ? {
              TableName: tableName,
              ConsistentRead: true,
              KeyConditionExpression: 'pk = :partition AND id > :after',
              ExpressionAttributeValues: attributes({ ':partition': PETS_PARTITION }),
            }
          : {
              TableName: tableName,
              IndexName: STATUS_INDEX,
              KeyConditionExpression: '#status = :status AND id > :after',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: attributes({ ':status': status }),
            };
      const values = { ...range.ExpressionAttributeValues, ...attributes({ ':after': after }) };
      // Usually one call: a page of 101 animals is far below the 1 MB that a Query reads.
      return (await query(client, { ...range, ExpressionAttributeValues: values, Limit: limit })).map(PET.read);
    },
    remove: async (id) => {
      const command = new DeleteItemCommand({ TableName: tableName, Key: attributes({ pk: PETS_PARTITION, id }), ReturnValues: 'ALL_OLD' });
      return (await guarded('DeleteItem', client.send(command))).Attributes !== undefined;
    },
  };
}

/** The id belongs to another animal or, if the fields are equal, to this one: the SDK has then repeated a write whose response was lost. */
function taken(pet: Pet, item: Item): CreateResult {
  const holder = PET.read(item);
  return isSamePet(holder, pet) ? { kind: 'created' } : { kind: 'id_taken', holder };
}

/** Returns the record of a request that created an animal. */
export function recordItem(pet: Pet, { owner, key, fingerprint, expiresAt }: Omit<Idempotency, 'renewable'>): Item {
  return { ...attributes({ pk: `idempotency#${owner}#${key}`, id: 0, fingerprint, pet: { M: PET.write(pet) } }), ...endAttributes(expiresAt) };
}

function endAttributes(expiresAt: number): Item {
  return { ...attributes({ expiresAt }), ...timeToLive(expiresAt) };
}
