// Faults that no emulator produces: throttling, timeouts, unusual cancellations, malformed items.

import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { createDynamoDbClients } from '../../../adapters/store/dynamodb/calls.ts';
import { keyAttribute } from '../../../adapters/store/dynamodb/items.ts';
import { PET } from '../../../adapters/store/dynamodb/pets.ts';
import { createDynamoDbProjectStores, createDynamoDbStores } from '../../../adapters/store/dynamodb/stores.ts';
import { SCOPES } from '../../../core/access/plans.ts';
import { windowsAt } from '../../../core/limits/windows.ts';
import { NOON, sampleAccount, sampleKey, samplePet } from '../../../testing/samples.ts';
import { storeFaultContract } from '../../../testing/store-faults.ts';
import { mockedClient } from '../../support/mocked-clients.ts';
import { freePort } from '../../support/ports.ts';

const dynamo = mockedClient(DynamoDBClient);
const LOCAL = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };
const clients = createDynamoDbClients(LOCAL);
const tables = { pets: 'pets', usage: 'usage', control: 'control' };
const stores = createDynamoDbStores(clients, tables);
const key = sampleKey('acc_0000000000');
const request = { accountId: key.accountId, digest: key.digest };
const pet = samplePet(7);
const idempotency = { owner: 'a', key: 'k', fingerprint: 'f', expiresAt: NOON + 1 };

beforeEach(() => {
  dynamo.reset();
});

const named = (name: string) => Object.assign(new Error(`${name} happened`), { name });
const conditionFailed = (Item?: Record<string, unknown>) =>
  new ConditionalCheckFailedException({ message: 'no', $metadata: {}, ...(Item && { Item: Item as never }) });
const canceled = (...codes: (string | { Code: string; Item: Record<string, unknown> })[]) =>
  new TransactionCanceledException({
    message: 'no',
    $metadata: {},
    CancellationReasons: codes.map((code) => (typeof code === 'string' ? { Code: code } : (code as never))),
  });

/** The item of an account that admits the key. */
const usageItem = (fields: Record<string, unknown> = {}) => ({
  accountId: { S: key.accountId },
  plan: { S: 'free' },
  ml: { N: '60' },
  dl: { N: '1000' },
  [keyAttribute(key.digest)]: { M: { e: { N: '9999999999999' }, s: { S: 'rw' } } },
  ...fields,
});

for (const fault of [
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'TimeoutError',
  'InternalServerError',
  'ResourceNotFoundException',
]) {
  const ports = [
    'pets',
    'accounts',
    'usage',
    'leases',
    'members',
    'invitations',
    'projects',
    'removals',
    'domains',
    'answers',
    'userRequests',
  ] as const;
  storeFaultContract(
    test,
    async () => {
      dynamo.onAnyCommand().rejects(named(fault));
      return { stores: { ...stores, ...createDynamoDbProjectStores(clients, tables) }, says: fault };
    },
    { name: `DynamoDB, ${fault}`, ports },
  );
}

describe('DynamoDB faults', () => {
  test('an admission is attempted only once: a second ADD would count twice', async () => {
    const port = await freePort();
    const clients = createDynamoDbClients({ ...LOCAL, endpoint: `http://127.0.0.1:${port}` });
    expect(await clients.once.config.maxAttempts()).toBe(1);
    expect(await clients.retrying.config.maxAttempts()).toBe(3);
  });

  test('no request waits for the usage history, or fails with it; its counters stay in the item, and are copied in another minute', async () => {
    const { minute } = windowsAt(NOON);
    const copies = () => dynamo.commandCalls(UpdateItemCommand, { TableName: 'control' }).map(({ args: [{ input }] }) => input);
    const removed = () => dynamo.commandCalls(UpdateItemCommand, { TableName: 'usage' }).map(({ args: [{ input }] }) => input.UpdateExpression);
    const work: Promise<void>[] = [];
    const { usage } = createDynamoDbStores(clients, tables, (each) => void work.push(each));
    const admit = (n: number) => {
      const counters = { [`m${minute - 20}`]: { N: '7' }, [`m${minute + n}`]: { N: '1' } };
      dynamo.on(UpdateItemCommand, { TableName: 'usage' }).resolves({ Attributes: usageItem(counters) as never });
      return usage.admit(request, NOON + n * 60_000);
    };
    dynamo.on(UpdateItemCommand, { TableName: 'control' }).rejects(named('AccessDeniedException'));
    expect((await admit(0)).kind).toBe('admitted');
    await Promise.all(work);
    let answer = () => {};
    dynamo.on(UpdateItemCommand, { TableName: 'control' }).callsFake(() => new Promise<object>((resolve) => (answer = () => resolve({}))));
    expect((await admit(1)).kind).toBe('admitted');
    // One copy of an account at a time.
    expect((await admit(2)).kind).toBe('admitted');
    expect([copies().length, removed().some((each) => each?.includes('REMOVE'))]).toEqual([2, false]);
    answer();
    await Promise.all(work);
    expect((await admit(3)).kind).toBe('admitted');
    await Promise.all(work);
    expect(copies()).toHaveLength(2);
    expect(copies().at(-1)).toMatchObject({
      UpdateExpression: expect.stringContaining('= if_not_exists('),
      ExpressionAttributeValues: { [`:w${(minute - 20) % 60}`]: { N: '7' } },
    });
    expect(removed().at(-1)).toContain('REMOVE #o0');
  });

  test('an admission without a consistent item is corrupt', async () => {
    dynamo.on(UpdateItemCommand).resolves({});
    await expect(stores.usage.admit(request, NOON)).rejects.toMatchObject({ kind: 'corrupt' });
    dynamo.on(UpdateItemCommand).resolves({ Attributes: usageItem({ [keyAttribute(key.digest)]: undefined }) as never });
    await expect(stores.usage.admit(request, NOON)).rejects.toMatchObject({ kind: 'corrupt' });
    dynamo.on(UpdateItemCommand).rejects(conditionFailed(usageItem()));
    await expect(stores.usage.admit(request, NOON)).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining('its own item allows'),
    });
  });

  test.each([
    ['an unknown plan', { plan: { S: 'gold' } }],
    ['a missing limit', { ml: undefined }],
    ['a limit that is not a number', { dl: { N: 'many' } }],
    ['a key that is not a map', { [keyAttribute(key.digest)]: { S: 'x' } }],
    ['a ban without an end', { [`b:${key.digest}`]: { M: { l: { N: '1' } } } }],
    ['a counter of type string', { [`m${NOON / 60_000}`]: { S: '7' } }],
  ])('an account item with %s is corrupt, and admits no key', async (_what, fields) => {
    const item = Object.fromEntries(Object.entries(usageItem(fields)).filter(([, value]) => value !== undefined));
    dynamo.on(UpdateItemCommand).rejects(conditionFailed(item));
    await expect(stores.usage.admit(request, NOON)).rejects.toMatchObject({ name: 'StoreFault', kind: 'corrupt' });
  });

  test.each([
    ['without a name', { name: undefined }],
    ['with an unknown status', { status: { S: 'lost' } }],
    ['with an id that is not a number', { id: { N: 'x' } }],
    ['with a fractional category', { categoryId: { N: '1.5' } }],
  ])('an animal %s is corrupt', async (_what, fields) => {
    const item = Object.fromEntries(Object.entries({ ...PET.write(pet), ...fields }).filter(([, value]) => value !== undefined));
    dynamo.on(GetItemCommand).resolves({ Item: item as never });
    dynamo.on(QueryCommand).resolves({ Items: [item as never] });
    await expect(stores.pets.get(7)).rejects.toMatchObject({ kind: 'corrupt', message: expect.stringContaining('malformed item') });
    await expect(stores.pets.list({ after: 0, status: 'sold', limit: 2 })).rejects.toMatchObject({ kind: 'corrupt' });
  });

  test('a key with invalid scopes is corrupt', async () => {
    dynamo.on(GetItemCommand).resolves({
      Item: {
        pk: { S: 'keys#a' },
        sk: { S: 'k' },
        digest: { S: 'd' },
        name: { S: 'n' },
        scopes: { S: 'all' },
        createdAt: { N: '1' },
        expiresAt: { N: '1' },
      },
    });
    await expect(stores.accounts.getKey(key.id)).rejects.toMatchObject({ kind: 'corrupt' });
  });

  test('a write that the SDK repeats after a lost answer reports created, not taken', async () => {
    dynamo.on(PutItemCommand).rejects(conditionFailed(PET.write(pet)));
    expect(await stores.pets.create({ pet }, NOON)).toEqual({ kind: 'created' });
    expect(await stores.pets.create({ pet: { ...pet, name: 'Other' } }, NOON)).toEqual({ kind: 'id_taken', holder: pet });
  });

  test('a transaction conflict means that a creation is in progress; other cancellations are faults', async () => {
    dynamo.on(TransactWriteItemsCommand).rejects(canceled('TransactionConflict', 'None'));
    expect(await stores.pets.create({ pet, idempotency }, NOON)).toEqual({ kind: 'in_progress' });
    for (const error of [canceled('ThrottlingError', 'None'), canceled()]) {
      dynamo.on(TransactWriteItemsCommand).rejects(error);
      await expect(stores.pets.create({ pet, idempotency }, NOON)).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringContaining('canceled'),
      });
    }
  });

  test('a conflicting account update is tried six times, with a pause before each further one', async () => {
    const conflict = canceled('TransactionConflict', 'None');
    dynamo.on(TransactWriteItemsCommand).rejectsOnce(conflict).rejectsOnce(conflict).resolves({});
    expect(await stores.accounts.createAccount(sampleAccount())).toBe(true);
    dynamo.reset();
    dynamo.on(TransactWriteItemsCommand).rejects(conflict);
    await expect(stores.accounts.createAccount(sampleAccount())).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('conflicts with other writers'),
    });
    expect(dynamo.commandCalls(TransactWriteItemsCommand)).toHaveLength(6);
  });

  test('a page that DynamoDB cuts short is read in full', async () => {
    const [first, second] = [samplePet(1), samplePet(2)];
    dynamo
      .on(QueryCommand)
      .resolvesOnce({ Items: [PET.write(first)], LastEvaluatedKey: { pk: { S: 'pets' }, id: { N: '1' } } })
      .resolvesOnce({ Items: [PET.write(second)] });
    expect(await stores.pets.list({ after: 0, status: undefined, limit: 20 })).toEqual([first, second]);
    dynamo.reset();
    dynamo
      .on(QueryCommand)
      .resolvesOnce({ LastEvaluatedKey: { pk: { S: 'accounts' }, sk: { S: 'x' } } })
      .resolvesOnce({});
    expect(await stores.accounts.listAccounts()).toEqual([]);
  });

  test('due domains are read up to the limit and no further, across pages that DynamoDB cuts short', async () => {
    const { domains } = createDynamoDbProjectStores(clients, tables);
    const page = (...ids: string[]) => ({
      Items: ids.map((id) => ({ body: { S: JSON.stringify({ id, state: { name: 'verifying', since: NOON } }) } })),
      LastEvaluatedKey: { pk: { S: 'x' } },
    });
    dynamo.on(QueryCommand).resolvesOnce(page('dom_1')).resolvesOnce(page('dom_2', 'dom_3')).rejects(new Error('read too far'));
    expect((await domains.dueDomains(NOON, 2)).items.map(({ id }) => id)).toEqual(['dom_1', 'dom_2']);
  });

  test('no operation scans a table', async () => {
    dynamo.onAnyCommand().resolves({});
    await stores.accounts.listAccounts();
    await stores.accounts.listKeys(key.accountId);
    await stores.pets.list({ after: 0, status: 'sold', limit: 20 });
    await stores.usage.usage(key.accountId, NOON);
    const used = new Set(dynamo.calls().map(({ firstArg }) => firstArg.constructor.name));
    expect([...used].sort()).toEqual(['GetItemCommand', 'QueryCommand']);
  });

  test('a warm list, get or create makes two storage calls, even with an idempotency key', async () => {
    dynamo.on(UpdateItemCommand).resolves({ Attributes: usageItem() as never });
    dynamo.on(QueryCommand).resolves({ Items: [] });
    dynamo.onAnyCommand().resolves({});
    dynamo.on(UpdateItemCommand).resolves({ Attributes: usageItem() as never });
    for (const work of [
      () => stores.pets.list({ after: 0, status: undefined, limit: 21 }),
      () => stores.pets.get(7),
      () => stores.pets.create({ pet }, NOON),
      () => stores.pets.create({ pet, idempotency }, NOON),
    ]) {
      dynamo.resetHistory();
      expect(await stores.usage.admit(request, NOON)).toMatchObject({ kind: 'admitted', scopes: SCOPES });
      await work();
      expect(dynamo.calls()).toHaveLength(2);
    }
  });
});
