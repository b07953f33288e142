import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { createDynamoDbProjectStores, createDynamoDbStores } from '../../../adapters/store/dynamodb/stores.ts';
import { DAY_MS, DAYS_KEPT, MINUTE_MS, MINUTES_KEPT, windowsAt } from '../../../core/limits/windows.ts';
import { accountStoreContract } from '../../contracts/account-store.ts';
import { admissionModelProperty } from '../../contracts/admission-model.ts';
import { answerStoreContract } from '../../contracts/answer-store.ts';
import { domainStoreContract } from '../../contracts/domain-store.ts';
import { leaseStoreContract } from '../../contracts/lease-store.ts';
import { memberStoreContract } from '../../contracts/member-store.ts';
import { petStoreContract } from '../../contracts/pet-store.ts';
import { projectStoreContract } from '../../contracts/project-store.ts';
import { usageStoreContract } from '../../contracts/usage-store.ts';
import { dynamoDbEndpoint, makeTables } from '../../support/dynamodb.ts';
import { NOON, sampleAccount, sampleKey } from '../../support/samples.ts';

const makeStores = async () => {
  const { clients, tables } = await makeTables();
  return createDynamoDbStores(clients, tables);
};

const makeAllStores = async () => {
  const { clients, tables } = await makeTables();
  return { ...createDynamoDbStores(clients, tables), ...createDynamoDbProjectStores(clients, tables) };
};

describe.runIf(dynamoDbEndpoint !== undefined)('DynamoDB Local', () => {
  answerStoreContract('DynamoDB', makeAllStores);
  memberStoreContract('DynamoDB', makeAllStores);
  projectStoreContract('DynamoDB', makeAllStores);
  domainStoreContract('DynamoDB', makeAllStores);
  petStoreContract('DynamoDB', async () => (await makeStores()).pets);
  accountStoreContract('DynamoDB', makeStores);
  usageStoreContract('DynamoDB', makeStores);
  admissionModelProperty('DynamoDB', makeStores, 15);
  leaseStoreContract('DynamoDB', makeStores, 2);

  test('keeps the item of an account with ten keys under 1 KB, and free of old windows', async () => {
    const { clients, tables } = await makeTables();
    const stores = createDynamoDbStores(clients, tables);
    const account = sampleAccount({ perMinute: 1_000_000_000, perDay: 1_000_000_000 });
    await stores.accounts.createAccount(account);
    const keys = Array.from({ length: 10 }, () => sampleKey(account.id));
    for (const { text: _, ...record } of keys) await stores.accounts.addKey(record, 10, NOON);
    // Several days of traffic, then more minutes than are kept; a busy minute has a larger count.
    for (let day = 9; day > 0; day -= 1) await stores.usage.admit({ accountId: account.id, digest: String(keys[0]?.digest) }, NOON - day * DAY_MS);
    for (let minute = 0; minute < MINUTES_KEPT + 4; minute += 1) {
      for (const { digest } of keys) await stores.usage.admit({ accountId: account.id, digest }, NOON + minute * MINUTE_MS);
      await stores.leases.take(
        { accountId: account.id, digest: String(keys[0]?.digest) },
        { take: 50_000, back: 0, limits: account.limits },
        NOON + minute * MINUTE_MS,
      );
    }
    const item = await readItem();
    expect(sizeOf(item)).toBeLessThan(1_024);
    const { minute, day } = windowsAt(NOON + (MINUTES_KEPT + 3) * MINUTE_MS);
    const countersOf = (letter: string) => Object.keys(item).filter((name) => name.startsWith(letter) && name !== `${letter}l`);
    expect(countersOf('m').sort()).toEqual(Array.from({ length: MINUTES_KEPT }, (_, n) => `m${minute - MINUTES_KEPT + 1 + n}`));
    expect(countersOf('d').sort()).toEqual(Array.from({ length: DAYS_KEPT }, (_, n) => `d${day - DAYS_KEPT + 1 + n}`));
    expect(Object.keys(item).filter((name) => /^u.{6}$/.test(name))).toHaveLength(10);

    // If many processes each see the account only once, stale windows stay until one process finds too many.
    for (let day = 1; day < 12; day += 1) {
      await createDynamoDbStores(clients, tables).usage.admit({ accountId: account.id, digest: String(keys[0]?.digest) }, NOON + day * DAY_MS);
    }
    expect(Object.keys(await readItem()).filter((name) => /^[md]\d/.test(name)).length).toBeLessThan(DAYS_KEPT + MINUTES_KEPT + 8);

    // A ban that no longer counts is removed by a later request.
    const request = (index: number) => ({ accountId: account.id, digest: String(keys[index]?.digest) });
    const banned = async () => Object.keys(await readItem()).filter((name) => name.startsWith('b:'));
    await stores.usage.ban(request(2), { since: NOON, until: NOON + 1, level: 1 });
    expect(await banned()).toHaveLength(1);
    const nextDay = NOON + 12 * DAY_MS;
    for (const at of [nextDay, nextDay + MINUTE_MS]) await stores.usage.admit(request(0), at);
    expect(await banned()).toEqual([]);

    // A revoked key leaves nothing behind.
    await stores.usage.ban(request(1), { since: NOON, until: NOON, level: 1 });
    for (const { id } of keys) expect(await stores.accounts.revokeKey(id)).toBe(true);
    expect(Object.keys(await readItem()).filter((name) => /^([kb]:|u.{6}$)/.test(name))).toEqual([]);

    // Refusals are counted in a separate item, and old ones are removed.
    for (let day = 0; day < DAYS_KEPT + 5; day += 1) await stores.usage.countRefusals(account.id, 1, NOON + day * DAY_MS);
    expect(Object.keys(await readItem(`${account.id}#refusals`))).toHaveLength(1 + DAYS_KEPT);
    expect(Object.keys(await readItem()).filter((name) => name.startsWith('r'))).toEqual([]);

    async function readItem(id = account.id) {
      const { Item = {} } = await clients.retrying.send(new GetItemCommand({ TableName: tables.usage, Key: { accountId: { S: id } } }));
      return Item;
    }
  });

  test('two processes together admit exactly as many requests as the limit allows, across a minute boundary', async () => {
    const { clients, tables } = await makeTables();
    const [one, two] = [createDynamoDbStores(clients, tables), createDynamoDbStores(clients, tables)];
    const account = sampleAccount({ perMinute: 20, perDay: 1_000 });
    const { text: _, ...key } = sampleKey(account.id);
    await one.accounts.createAccount(account);
    await one.accounts.addKey(key, 10, NOON);
    const request = { accountId: account.id, digest: key.digest };
    const calls = Array.from({ length: 120 }, (_, n) => (n % 2 === 0 ? one : two).usage.admit(request, n % 3 === 0 ? NOON - 1 : NOON));
    const admitted = (await Promise.all(calls)).filter(({ kind }) => kind === 'admitted');
    expect(admitted).toHaveLength(40);
  });
});

/** Approximates the size that DynamoDB counts: names and values in UTF-8, numbers with one byte per two digits. */
function sizeOf(value: unknown): number {
  return Object.entries(value as Record<string, Record<string, unknown>>).reduce((sum, [name, attribute]) => {
    if (attribute.M !== undefined) return sum + name.length + 3 + sizeOf(attribute.M);
    if (attribute.N !== undefined) return sum + name.length + Math.ceil(String(attribute.N).length / 2) + 1;
    return sum + name.length + String(attribute.S).length;
  }, 0);
}
