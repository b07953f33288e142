import { DeleteItemCommand, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { createAuditWrites } from '../../../adapters/store/dynamodb/audit.ts';
import { type Item, itemSize, WRITE_UNIT_BYTES } from '../../../adapters/store/dynamodb/items.ts';
import { createDynamoDbOutbox } from '../../../adapters/store/dynamodb/notifications.ts';
import { createDynamoDbOrderLimiter } from '../../../adapters/store/dynamodb/order-limiter.ts';
import { createDynamoDbAccessStores, createDynamoDbProjectStores, createDynamoDbStores } from '../../../adapters/store/dynamodb/stores.ts';
import { createDynamoDbSweepStore } from '../../../adapters/store/dynamodb/sweeps.ts';
import { TTL_ATTRIBUTE } from '../../../adapters/store/dynamodb/tables.ts';
import { createDynamoDbTrafficStore } from '../../../adapters/store/dynamodb/usage/traffic.ts';
import { createDynamoDbUsageSurvey } from '../../../adapters/store/dynamodb/usage/usage-history.ts';
import { NEVER } from '../../../core/access/account.ts';
import type { Actor } from '../../../core/audit/entry.ts';
import { DAY_MS, DAYS_KEPT, MINUTE_MS, MINUTES_KEPT, windowsAt } from '../../../core/limits/windows.ts';
import { accountStoreContract } from '../../../testing/account-store.ts';
import { admissionModelProperty } from '../../../testing/admission-model.ts';
import { answerStoreContract } from '../../../testing/answer-store.ts';
import { auditLogContract } from '../../../testing/audit-log.ts';
import { deployTokenStoreContract } from '../../../testing/deploy-token-store.ts';
import { domainStoreContract } from '../../../testing/domain-store.ts';
import { fileRemovalStoreContract } from '../../../testing/file-removal-store.ts';
import { invitationStoreContract } from '../../../testing/invitation-store.ts';
import { leaseStoreContract } from '../../../testing/lease-store.ts';
import { memberStoreContract } from '../../../testing/member-store.ts';
import { minuteCounterContract } from '../../../testing/minute-counter.ts';
import { notificationOutboxContract } from '../../../testing/notification-outbox.ts';
import { notificationSettingsContract } from '../../../testing/notification-settings.ts';
import { notificationsOfChangesContract } from '../../../testing/notifications-of-changes.ts';
import { orderLimiterContract } from '../../../testing/order-limiter.ts';
import { petStoreContract } from '../../../testing/pet-store.ts';
import { projectStoreContract } from '../../../testing/project-store.ts';
import { makeProject } from '../../../testing/projects.ts';
import { NOON, REVOKED, sampleAccount, sampleKey } from '../../../testing/samples.ts';
import { makeAccount } from '../../../testing/suite.ts';
import { sweepStoreContract } from '../../../testing/sweep-store.ts';
import { type HistoryWrites, type UsageProcesses, usageHistoryContract } from '../../../testing/usage-history.ts';
import { usageStoreContract } from '../../../testing/usage-store.ts';
import { usageSurveyContract } from '../../../testing/usage-survey.ts';
import { dynamoDbEndpoint, makeTables } from '../../support/dynamodb.ts';

const HOUR_MS = 3_600_000;

const makeStores = async () => {
  const { clients, tables } = await makeTables();
  return createDynamoDbStores(clients, tables);
};

const makeAllStores = async () => {
  const { clients, tables } = await makeTables();
  return {
    ...createDynamoDbStores(clients, tables),
    ...createDynamoDbProjectStores(clients, tables),
    outbox: createDynamoDbOutbox(clients.retrying, tables.control),
    survey: createDynamoDbUsageSurvey(clients.retrying, tables.usage, 100),
  };
};

/** Processes that share the tables. Writes to the history are all that the control table gets from admission. */
async function openProcesses(): Promise<UsageProcesses> {
  const { clients, tables } = await makeTables();
  const start = () => {
    let writes: HistoryWrites = 'done';
    const work = new Set<Promise<void>>();
    const send: typeof clients.retrying.send = async (command: { input: object }) => {
      const isHistory = command instanceof UpdateItemCommand && command.input.TableName === tables.control;
      if (isHistory && writes === 'lost') throw new Error('lost');
      const answer = await clients.retrying.send(command as never);
      if (isHistory && writes === 'unanswered') throw new Error('unanswered');
      return answer as never;
    };
    const retrying = Object.create(clients.retrying, { send: { value: send } });
    const stores = createDynamoDbStores({ ...clients, retrying }, tables, (each) => {
      work.add(each);
    });
    return {
      ...stores,
      settle: async () => void (await Promise.all(work)),
      historyWrites: (are: HistoryWrites) => {
        writes = are;
      },
    };
  };
  return { start };
}

describe.runIf(dynamoDbEndpoint !== undefined)('DynamoDB Local', () => {
  answerStoreContract(
    test,
    async () => {
      const { clients, tables } = await makeTables();
      const [{ answers }, elsewhere] = [createDynamoDbProjectStores(clients, tables), createDynamoDbProjectStores(clients, tables)];
      return { answers, elsewhere: elsewhere.answers };
    },
    { name: 'DynamoDB' },
  );
  memberStoreContract(test, makeAllStores, { name: 'DynamoDB' });
  invitationStoreContract(test, makeAllStores, { name: 'DynamoDB' });
  deployTokenStoreContract(test, async () => (await makeAllStores()).deployTokens, { name: 'DynamoDB' });
  minuteCounterContract(test, async () => (await makeAllStores()).userRequests, { name: 'DynamoDB' });
  projectStoreContract(test, makeAllStores, { name: 'DynamoDB' });
  fileRemovalStoreContract(test, async () => (await makeAllStores()).removals, { name: 'DynamoDB' });
  domainStoreContract(test, makeAllStores, { name: 'DynamoDB' });
  sweepStoreContract(
    test,
    async () => {
      const { clients, tables } = await makeTables();
      return createDynamoDbSweepStore(clients.retrying, tables.control);
    },
    { name: 'DynamoDB' },
  );
  test('visits add up by project and day, also those that are added at once, and are read day by day', async () => {
    const { clients, tables } = await makeTables();
    const traffic = createDynamoDbTrafficStore(clients, tables.control);
    const of = (projectId: string, day: string, requests = 1) => ({ projectId, day, requests, bytes: 2 ** 40 * requests });
    await Promise.all(
      Array.from({ length: 20 }, () => traffic.add([of('prj_a', '2026-02-28'), of('prj_b', '2026-02-28', 2), of('prj_a', '2026-03-01')])),
    );
    await traffic.add([of('prj_a', '2026-03-02')]);
    expect(await traffic.between('2026-02-28', '2026-03-01')).toEqual([
      of('prj_a', '2026-02-28', 20),
      of('prj_b', '2026-02-28', 40),
      of('prj_a', '2026-03-01', 20),
    ]);
    expect(await traffic.between('2026-03-02', '2026-03-01')).toEqual([]);
  });
  test('visits whose addition was not answered count once at most, and the others are added', async () => {
    const { clients, tables } = await makeTables();
    let lost = 1;
    for (const client of [clients.once, clients.retrying])
      client.middlewareStack.add(
        (next) => async (args) => {
          const answer = await next(args);
          if (lost-- > 0) throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
          return answer;
        },
        { step: 'deserialize', priority: 'low' },
      );
    const traffic = createDynamoDbTrafficStore(clients, tables.control);
    const day = '2026-03-01';
    const given = Array.from({ length: 30 }, (_, n) => ({ projectId: `prj_${n}`, day, requests: 1, bytes: 1 }));
    await expect(traffic.add(given)).rejects.toThrow('no answer');
    expect(new Set((await traffic.between(day, day)).map(({ requests }) => requests))).toEqual(new Set([1]));
    expect(await traffic.between(day, day)).toHaveLength(30);
  });
  orderLimiterContract(
    test,
    async () => {
      const { clients, tables } = await makeTables();
      return createDynamoDbOrderLimiter(clients.retrying, tables.control);
    },
    { name: 'DynamoDB' },
  );
  notificationOutboxContract(test, async () => (await makeAllStores()).outbox, { name: 'DynamoDB' });
  notificationSettingsContract(test, async () => (await makeAllStores()).notificationSettings, { name: 'DynamoDB' });
  test('twenty changes of one project at the same time are all made, each with its entry', async () => {
    const stores = await makeAllStores();
    const project = await makeProject(stores);
    const names = Array.from({ length: 20 }, (_, n) => `Name ${n}`);
    expect(await Promise.all(names.map((name) => stores.projects.rename(project.id, name)))).toEqual(names.map(() => true));
    const { items = [] } = (await stores.audit?.entries({ accountId: project.accountId }, 100)) ?? {};
    expect(items.filter(({ action }) => action === 'project.renamed')).toHaveLength(20);
  });

  auditLogContract(
    test,
    async () => {
      const { clients, tables } = await makeTables();
      let current = (): Actor => ({ kind: 'service' });
      const writes = createAuditWrites(tables.audit, { actor: () => current() });
      const { audit, ...stores } = createDynamoDbProjectStores(clients, tables, writes);
      if (audit === undefined) throw new Error('no table for the audit log');
      return {
        ...createDynamoDbAccessStores(clients, tables, undefined, writes),
        ...stores,
        audit,
        act: (actor) => {
          current = actor;
        },
      };
    },
    { name: 'DynamoDB' },
  );
  notificationsOfChangesContract(test, makeAllStores, { name: 'DynamoDB' });
  usageSurveyContract(test, makeAllStores, { name: 'DynamoDB' });
  petStoreContract(test, async () => (await makeStores()).pets, { name: 'DynamoDB' });
  accountStoreContract(test, makeAllStores, { name: 'DynamoDB' });
  usageStoreContract(test, makeStores, { name: 'DynamoDB' });
  usageHistoryContract((name, run) => test(name, run), openProcesses, { name: 'DynamoDB', runs: 12 });
  admissionModelProperty(test, makeStores, { name: 'DynamoDB', runs: 15 });
  leaseStoreContract(test, makeStores, { name: 'DynamoDB', runs: 2 });

  test('keeps the item of an account with ten keys under 1 KB, and free of old windows', async () => {
    const { clients, tables } = await makeTables();
    const work: Promise<void>[] = [];
    const open = () => createDynamoDbStores(clients, tables, (each) => void work.push(each));
    const stores = open();
    const account = sampleAccount({ perMinute: 1_000_000_000, perDay: 1_000_000_000 });
    await stores.accounts.createAccount(account);
    const keys = Array.from({ length: 10 }, () => sampleKey(account.id));
    for (const { text: _, ...record } of keys) await stores.accounts.addKey(record, 10, NOON);
    // Several days of traffic, then more minutes than are kept; a busy minute has a larger count.
    for (let day = 9; day > 0; day -= 1) {
      await stores.usage.admit({ accountId: account.id, digest: String(keys[0]?.digest) }, NOON - day * DAY_MS);
      await Promise.all(work);
    }
    for (let minute = 0; minute < MINUTES_KEPT + 4; minute += 1) {
      for (const { digest } of keys) {
        await stores.usage.admit({ accountId: account.id, digest }, NOON + minute * MINUTE_MS);
        await Promise.all(work);
      }
      await stores.leases.take(
        { accountId: account.id, digest: String(keys[0]?.digest) },
        { take: 50_000, back: 0, limits: account.limits },
        NOON + minute * MINUTE_MS,
      );
    }
    const item = await readItem();
    expect(itemSize(item)).toBeLessThanOrEqual(WRITE_UNIT_BYTES);
    const { minute, day } = windowsAt(NOON + (MINUTES_KEPT + 3) * MINUTE_MS);
    const countersOf = (letter: string) => Object.keys(item).filter((name) => name.startsWith(letter) && name !== `${letter}l`);
    expect(countersOf('m').sort()).toEqual(Array.from({ length: MINUTES_KEPT }, (_, n) => `m${minute - MINUTES_KEPT + 1 + n}`));
    expect(countersOf('d').sort()).toEqual(Array.from({ length: DAYS_KEPT }, (_, n) => `d${day - DAYS_KEPT + 1 + n}`));
    expect(Object.keys(item).filter((name) => /^u.{6}$/.test(name))).toHaveLength(10);

    // If many processes each see the account only once, stale windows stay until one process finds too many.
    for (let day = 1; day < 12; day += 1) {
      await open().usage.admit({ accountId: account.id, digest: String(keys[0]?.digest) }, NOON + day * DAY_MS);
      await Promise.all(work);
    }
    expect(Object.keys(await readItem()).filter((name) => /^[md]\d/.test(name)).length).toBeLessThan(DAYS_KEPT + MINUTES_KEPT + 8);

    // With all ten keys banned, it is still one write unit: the other requests of the account cost no more than before.
    const request = (index: number) => ({ accountId: account.id, digest: String(keys[index]?.digest) });
    const nextDay = NOON + 12 * DAY_MS;
    const ban = { since: nextDay, until: nextDay + DAY_MS, level: 12 };
    for (const index of keys.keys()) if (index > 0) await stores.usage.ban(request(index), ban);
    for (const at of [nextDay, nextDay + MINUTE_MS]) expect((await stores.usage.admit(request(0), at)).kind).toBe('admitted');
    await stores.usage.ban(request(0), ban);
    expect(itemSize(await readItem())).toBeLessThanOrEqual(WRITE_UNIT_BYTES);

    // A ban that no longer counts leaves both items with the next request.
    const bansIn = (of: Item) => Object.keys(of).filter((name) => name.startsWith('b'));
    expect([bansIn(await readItem()).length, bansIn(await readItem(`${account.id}#refusals`)).length]).toEqual([10, 10]);
    expect((await stores.usage.admit(request(0), ban.until + DAY_MS)).kind).toBe('admitted');
    expect([bansIn(await readItem()), bansIn(await readItem(`${account.id}#refusals`))]).toEqual([[], []]);

    // A revoked key leaves nothing behind.
    await stores.usage.ban(request(1), { since: NOON, until: NOON, level: 1 });
    for (const { id } of keys) expect(await stores.accounts.revokeKey(id, REVOKED)).toBe(true);
    expect(Object.keys(await readItem()).filter((name) => /^(k:|b|u.{6}$)/.test(name))).toEqual([]);
    expect(bansIn(await readItem(`${account.id}#refusals`))).toEqual([]);

    // DynamoDB deletes its record after 90 days.
    const sk = `${String(REVOKED.at).padStart(15, '0')}#${keys[0]?.id}`;
    const record = { TableName: tables.control, Key: { pk: { S: `revoked-keys#${account.id}` }, sk: { S: sk } } };
    expect((await clients.retrying.send(new GetItemCommand(record))).Item).toMatchObject({
      [TTL_ATTRIBUTE]: { N: String((REVOKED.at + 90 * DAY_MS) / 1_000) },
    });

    // Refusals are counted in a separate item, and old ones are removed, several at a time.
    for (let day = 0; day < 60; day += 1) await stores.usage.countRefusals(account.id, 1, NOON + day * DAY_MS);
    const refusals = Object.keys(await readItem(`${account.id}#refusals`)).sort();
    expect(refusals.filter((name) => name.startsWith('r')).slice(-30)).toEqual(
      Array.from({ length: 30 }, (_, n) => `r${windowsAt(NOON).day + 30 + n}`),
    );
    expect(refusals.length).toBeLessThan(1 + 30 + 1 + 1 + 16);
    expect(Object.keys(await readItem()).filter((name) => name.startsWith('r'))).toEqual([]);

    async function readItem(id = account.id) {
      const { Item = {} } = await clients.retrying.send(new GetItemCommand({ TableName: tables.usage, Key: { accountId: { S: id } } }));
      return Item;
    }
  });

  test('a key whose scopes an earlier version stored in another order can be changed', async () => {
    const { clients, tables } = await makeTables();
    const { accounts, usage } = createDynamoDbStores(clients, tables);
    const {
      account,
      key: { text: _, ...key },
      kind,
    } = await makeAccount({ accounts, usage });
    await clients.retrying.send(
      new UpdateItemCommand({
        TableName: tables.control,
        Key: { pk: { S: `keys#${account.id}` }, sk: { S: key.id } },
        UpdateExpression: 'SET scopes = :scopes',
        ExpressionAttributeValues: { ':scopes': { S: 'pets:write,pets:read' } },
      }),
    );
    expect(await accounts.changeKey({ ...key, pausedAt: NOON }, key)).toBe(true);
    expect([await accounts.getKey(key.id), await kind()]).toEqual([{ ...key, pausedAt: NOON }, 'paused']);
  });

  test('what has ended is deleted by the table: expired keys, deploy tokens, and the tokens of deleted projects', async () => {
    const { clients, tables } = await makeTables();
    const stores = { ...createDynamoDbStores(clients, tables), ...createDynamoDbProjectStores(clients, tables) };
    const endOf = async (pk: string, sk: string) => {
      const command = new GetItemCommand({ TableName: tables.control, Key: { pk: { S: pk }, sk: { S: sk } } });
      const { Item: item } = await clients.retrying.send(command);
      return item?.[TTL_ATTRIBUTE]?.N;
    };
    const seconds = (at: number) => String(at / 1_000);
    const project = await makeProject(stores);
    const accountId = project.accountId;
    const [eternal, dated] = [sampleKey(accountId), sampleKey(accountId, { expiresAt: NOON + DAY_MS })];
    for (const { text: _, ...key } of [eternal, dated]) expect(await stores.accounts.addKey(key, 10, NOON)).toBe('added');
    expect(await endOf(`keys#${accountId}`, eternal.id)).toBeUndefined();
    expect(await endOf(`keys#${accountId}`, dated.id)).toBe(seconds(NOON + 91 * DAY_MS));
    await stores.accounts.expireKey(eternal.id, NOON, dated.id);
    expect(await endOf(`keys#${accountId}`, eternal.id)).toBe(seconds(NOON + 90 * DAY_MS));
    const { text: _dated, ...read } = dated;
    expect(await stores.accounts.changeKey({ ...read, expiresAt: NEVER }, read)).toBe(true);
    expect(await endOf(`keys#${accountId}`, dated.id)).toBeUndefined();
    expect(await stores.accounts.changeKey(read, { ...read, expiresAt: NEVER })).toBe(true);
    expect(await endOf(`keys#${accountId}`, dated.id)).toBe(seconds(NOON + 91 * DAY_MS));

    // The table has deleted the item of a key that the usage table still has: the next key is added all the same.
    const { text: _, ...next } = sampleKey(accountId);
    await stores.usage.admit({ accountId, digest: dated.digest }, NOON);
    const gone = { TableName: tables.control, Key: { pk: { S: `keys#${accountId}` }, sk: { S: dated.id } } };
    await clients.retrying.send(new DeleteItemCommand(gone));
    expect(await stores.accounts.addKey(next, 10, NOON + 91 * DAY_MS)).toBe('added');
    expect((await stores.accounts.listKeys(accountId)).map(({ id }) => id).sort()).toEqual([eternal.id, next.id].sort());

    await stores.projects.deleteProject(project, NOON);
    expect(await endOf('tokens', project.token)).toBe(seconds(NOON + 90 * DAY_MS));
    const token = { id: `tok_${'0'.repeat(22)}`, projectId: `prj_${'0'.repeat(10)}`, digest: 'd', name: 'CI', createdBy: 'usr_1', createdAt: NOON };
    await stores.deployTokens.addToken({ ...token, expiresAt: NOON });
    expect(await endOf(`deploy-tokens#${token.projectId}`, token.id)).toBe(seconds(NOON + 30 * DAY_MS));
  });

  test('one process copies the counters of a minute, however many count in the next one; the copies expire', async () => {
    const { clients, tables } = await makeTables();
    const copies: UpdateItemCommand[] = [];
    const work: Promise<void>[] = [];
    const send: typeof clients.retrying.send = (command: { input: object }) => {
      if (command instanceof UpdateItemCommand && command.input.TableName === tables.control) copies.push(command);
      return clients.retrying.send(command as never) as never;
    };
    const counting = { ...clients, retrying: Object.create(clients.retrying, { send: { value: send } }) };
    const processes = Array.from({ length: 10 }, () => createDynamoDbStores(counting, tables, (each) => void work.push(each)));
    const account = sampleAccount({ perMinute: 1_000, perDay: 100_000 });
    const { text: _, ...key } = sampleKey(account.id);
    await processes[0]?.accounts.createAccount(account);
    await processes[0]?.accounts.addKey(key, 10, NOON);
    const minutes = 130;
    for (let minute = 0; minute < minutes; minute += 1) {
      const at = NOON + minute * MINUTE_MS;
      // Each minute begins in another process.
      await processes[minute % 10]?.usage.admit({ accountId: account.id, digest: key.digest }, at);
      await Promise.all(processes.slice(1).map(({ usage }) => usage.admit({ accountId: account.id, digest: key.digest }, at)));
      await Promise.all(work.splice(0));
    }
    // One a minute, and more only while both hours of a turn have counters in the account's item.
    const bytes = itemSize(
      (await clients.retrying.send(new GetItemCommand({ TableName: tables.usage, Key: { accountId: { S: account.id } } }))).Item ?? {},
    );
    expect(copies.length).toBeLessThan(1.15 * minutes);
    expect(bytes).toBeLessThan(400);
    const read = (sk: string) =>
      clients.retrying.send(new GetItemCommand({ TableName: tables.control, Key: { pk: { S: `usage-history#${account.id}` }, sk: { S: sk } } }));
    const hour = NOON / HOUR_MS;
    const { Item = {} } = await read(`minutes#00${hour}`);
    expect(Object.keys(Item).filter((name) => name.startsWith('w'))).toHaveLength(60);
    expect([Item.w0?.N, Item.w59?.N, Item[TTL_ATTRIBUTE]?.N]).toEqual(['10', '10', String((NOON + 26 * HOUR_MS) / 1_000)]);
    expect(itemSize(Item)).toBeLessThan(WRITE_UNIT_BYTES);
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
