// What a stage has after a move is what its own stores would have written: the same is done on SQLite and on DynamoDB, and then the items of the one's
// records are compared with those of the other.

import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { BatchWriteItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Item } from '../../../adapters/store/dynamodb/items.ts';
import { createItemTarget, createPetTarget, petRecords } from '../../../adapters/store/dynamodb/move/item-target.ts';
import { isMovedPartition, movedItems, type ReadKind } from '../../../adapters/store/dynamodb/move/moved-items.ts';
import { createDynamoDbOutbox } from '../../../adapters/store/dynamodb/notifications.ts';
import { createDynamoDbProjectStores, createDynamoDbStores } from '../../../adapters/store/dynamodb/stores.ts';
import { type TableNames, TTL_ATTRIBUTE } from '../../../adapters/store/dynamodb/tables.ts';
import { readRecords } from '../../../adapters/store/sqlite/records.ts';
import { openSqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { newInvitationId } from '../../../core/access/invitation.ts';
import { type DomainState, newDomain } from '../../../core/domains/domain.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/limits/windows.ts';
import { RECORD_KINDS, type RecordKindName } from '../../../core/records/kinds.ts';
import { synchronize } from '../../../core/records/synchronize.ts';
import { sampleProject } from '../../../testing/projects.ts';
import { NOON, sampleAccount, sampleKey, samplePet } from '../../../testing/samples.ts';
import { dynamoDbEndpoint, makeTables } from '../../support/dynamodb.ts';
import { testFolder } from '../../support/folders.ts';

const OWNER = 'usr_owner';

const KINDS = Object.keys(RECORD_KINDS) as RecordKindName[];

/** Stores on SQLite and on DynamoDB, and both at once: each call is made at one after the other, and answered by SQLite. */
async function makeTwins() {
  const { clients, tables } = await makeTables();
  const sqlite = openSqliteStores(testFolder());
  onTestFinished(() => sqlite.close());
  sqlite.database.exec('INSERT INTO outbox_open (id) VALUES (1)');
  const dynamoDb = {
    ...createDynamoDbStores(clients, tables),
    ...createDynamoDbProjectStores(clients, tables),
    outbox: createDynamoDbOutbox(clients.retrying, tables.control),
  };
  const read: ReadKind = (kind) => readRecords(sqlite.database, kind);
  return { clients, tables, sqlite, dynamoDb, both: both(sqlite, dynamoDb) as typeof dynamoDb, read };
}

type Methods = Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>;

function both(first: object, second: object): unknown {
  const twin = (name: string) => {
    const [one, other] = [(first as Record<string, Methods>)[name], (second as Record<string, Methods>)[name]];
    return new Proxy(
      {},
      {
        get: (_, method: string) =>
          typeof one?.[method] !== 'function'
            ? one?.[method]
            : async (...given: unknown[]) => {
                const answer = await one[method]?.(...given);
                await other?.[method]?.(...given);
                return answer;
              },
      },
    );
  };
  return new Proxy({}, { get: (_, name: string) => twin(name) });
}

async function itemsIn({ clients, tables }: Awaited<ReturnType<typeof makeTwins>>, table: keyof TableNames): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client: clients.retrying }, { TableName: tables[table] as string })) found.push(...Items);
  return found;
}

/** Items in an order of their own, without those whose time has come. */
function comparable(items: readonly Item[], now: number): readonly string[] {
  const current = items.filter((item) => item[TTL_ATTRIBUTE] === undefined || Number(item[TTL_ATTRIBUTE].N) * 1_000 > now);
  return current.map((item) => inspect({ ...item, digests: item.digests?.SS?.toSorted() }, { sorted: true, depth: 9, breakLength: 1_000 })).sort();
}

const options = { users: new Map<string, string>(), domain: <T>(domain: T) => domain };

/** Makes some of everything that an installation has. */
async function fill(stores: Awaited<ReturnType<typeof makeTwins>>['both']): Promise<{ readonly accountId: string }> {
  const { accounts, usage, members, invitations, projects, deployTokens, removals, domains, outbox, notificationSettings, answers, pets } = stores;
  const account = sampleAccount();
  await accounts.createAccount(account);
  await accounts.createAccount(sampleAccount({ perMinute: 10, perDay: 20 }));
  await accounts.setPlanRequest(account.id, { plan: 'pro', note: 'more', requestedBy: OWNER, requestedAt: NOON });
  await accounts.setSuspension(account.id, { since: NOON, reason: 'unpaid' });
  await accounts.setSecondFactor(account.id, true);

  const add = async (fields: Parameters<typeof sampleKey>[1] = {}) => {
    const { text: _, ...key } = sampleKey(account.id, { hint: 'petstore_…abcd', createdBy: OWNER, ...fields });
    await accounts.addKey(key, 10, NOON);
    return key;
  };
  const [used, banned, paused, rotated, revoked] = [await add(), await add(), await add(), await add(), await add()];
  await add({ expiresAt: NOON + HOUR_MS, scopes: ['pets:read'] });
  await accounts.changeKey({ ...paused, name: 'Paused', pausedAt: NOON }, paused);
  await accounts.expireKey(rotated.id, NOON + DAY_MS, used.id);
  await accounts.revokeKey(revoked.id, { at: NOON, by: OWNER });
  for (const [key, at] of [
    [used, NOON - DAY_MS],
    [used, NOON - HOUR_MS],
    [used, NOON],
    [banned, NOON + 1],
  ] as const)
    await usage.admit({ accountId: account.id, digest: key.digest }, at);
  await usage.countRefusals(account.id, 7, NOON - HOUR_MS);
  await usage.countRefusals(account.id, 3, NOON);
  await usage.ban({ accountId: account.id, digest: banned.digest }, { since: NOON, until: NOON + HOUR_MS, level: 2 });

  await members.addMember(account.id, OWNER, 'owner');
  await members.addMember(account.id, 'usr_member', 'member');
  const id = newInvitationId(account.id, randomBytes);
  const invitation = {
    id,
    accountId: account.id,
    email: 'new@example.org',
    role: 'member',
    invitedBy: OWNER,
    createdAt: NOON,
    mailed: true,
  } as const;
  await invitations.addInvitation({ ...invitation, expiresAt: NOON + DAY_MS, digests: ['one'] }, { open: 5, perDay: 5 });
  await invitations.addDigest(id, 'two');
  await notificationSettings.mute(OWNER, ['domain_live']);
  await notificationSettings.unsubscribeKey(OWNER, 'secret');
  const notify = (n: number) =>
    outbox.add({ id: `quota_warning:${n}`, accountId: account.id, at: NOON, event: { kind: 'quota_warning', day: 20_778, limit: n } });
  await notify(1);
  await notify(2);
  const [entry] = await outbox.ofAccount(account.id);
  const claim = entry && (await outbox.claim(entry, NOON, NOON + MINUTE_MS));
  if (claim === undefined) throw new Error('nothing to claim');
  await outbox.markSent(claim, NOON + 1);
  await outbox.markDone(claim, OWNER);
  await outbox.finish(claim);

  const [shop, gone] = [sampleProject({ id: `prj_${'s'.repeat(10)}`, accountId: account.id }), sampleProject({ accountId: account.id })];
  for (const project of [shop, gone]) await projects.createProject(project);
  for (const n of [1, 2, 3]) await projects.deploy({ id: `dpl_${n}`, projectId: shop.id, createdAt: NOON + n, files: n, bytes: 10 * n });
  await projects.setCurrentDeployment(shop.id, 'dpl_1', NOON + 9);
  await projects.setPinned({ projectId: shop.id, id: 'dpl_2' }, true);
  await projects.deleteDeployment({ projectId: shop.id, id: 'dpl_3' }, NOON + 10);
  await projects.deleteProject(gone, NOON);
  await removals.schedule({ projectId: shop.id, deploymentId: 'dpl_upload', dueAt: NOON + HOUR_MS, bytes: 5 });
  const token = `tok_${shop.id.slice('prj_'.length)}${'t'.repeat(12)}`;
  await deployTokens.addToken({
    id: token,
    projectId: shop.id,
    digest: 'digest',
    name: 'CI',
    createdBy: OWNER,
    createdAt: NOON,
    expiresAt: NOON + DAY_MS,
  });
  await deployTokens.useToken(token, NOON + 5);

  for (const [n, state] of [
    undefined,
    { name: 'live', since: NOON, certificate: 'ref', misses: 0, nextCheckAt: NOON + DAY_MS },
    { name: 'removed', since: NOON, until: NOON + DAY_MS },
  ].entries()) {
    const domain = newDomain({ id: `dom_moved${n}`, host: `n${n}.example.org`, projectId: shop.id, accountId: account.id }, NOON);
    await domains.addDomain(domain);
    if (state !== undefined) await domains.saveDomain({ ...domain, state: state as DomainState }, domain);
  }
  await answers.claim('id 1', 'fingerprint', NOON);
  await answers.keep('id 1', 'sealed');
  await answers.claim('id 2', 'fingerprint', NOON);
  await pets.createAll([{ pet: samplePet(7) }, { pet: samplePet(2 ** 50) }], NOON);
  await pets.create({ pet: samplePet(8), idempotency: { owner: account.id, key: 'k', fingerprint: 'f', expiresAt: NOON + DAY_MS } }, NOON);
  return { accountId: account.id };
}

describe.runIf(dynamoDbEndpoint !== undefined)('DynamoDB Local', () => {
  test('the items of all kinds are those that the stores write', async () => {
    const twins = await makeTwins();
    await fill(twins.both);
    const now = NOON + MINUTE_MS;
    const moved = KINDS.filter((kind) => !kind.startsWith('usage')).flatMap((kind) => [...movedItems(kind, twins.read, { ...options, now })]);
    for (const table of ['control', 'pets'] as const) {
      const written = (await itemsIn(twins, table)).filter(({ pk }) => !/^(usage-history#|answer#|pets$)/.test(pk?.S ?? ''));
      expect(
        comparable(
          moved.filter((each) => each.table === table).map(({ item }) => item),
          now,
        ),
      ).toEqual(comparable(written, now));
    }
  });

  test('admission, limits, bans and history go on where they were, and a second pass finds nothing to write', async () => {
    const source = await makeTwins();
    const { accountId } = await fill(source.sqlite as unknown as typeof source.both);
    const { clients, tables, dynamoDb } = await makeTwins();
    const target = createItemTarget(clients.retrying, { ...tables, audit: tables.audit ?? '' });
    const now = NOON + 1_000;
    const take = async (users = options.users) => {
      const taken = [];
      for (const kind of KINDS) {
        const made =
          kind === 'pets'
            ? synchronize(kind, petRecords(source.read(kind)), createPetTarget(clients.retrying, tables.pets))
            : target.take(movedItems(kind, source.read, { ...options, users, now }), () => {});
        taken.push({ kind, ...(await made) });
      }
      return taken;
    };
    await take();
    for (const { kind, records, written, source: from, target: to } of await take())
      expect([kind, records, written, from]).toEqual([kind, records, 0, to]);

    const { sqlite } = source;
    expect(await dynamoDb.usage.usage(accountId, now)).toEqual(await sqlite.usage.usage(accountId, now));
    expect(await dynamoDb.accounts.listKeys(accountId)).toEqual(await sqlite.accounts.listKeys(accountId));
    for (const key of await sqlite.accounts.listKeys(accountId)) {
      const request = { accountId, digest: key.digest };
      for (let n = 0; n < 70; n += 1)
        expect([key.name, await dynamoDb.usage.admit(request, now)]).toEqual([key.name, await sqlite.usage.admit(request, now)]);
    }
    expect((await dynamoDb.audit?.entries({}, 1_000))?.items).toEqual((await sqlite.audit.entries({}, 1_000)).items);

    // What is gone meanwhile is removed; what only the stage has stays. Users have other ids there.
    target.forget();
    await source.sqlite.invitations.removeInvitation((await source.sqlite.invitations.listInvitations(accountId))[0]?.id ?? '');
    await source.sqlite.pets.remove(7);
    await dynamoDb.userRequests.count('usr_1', 5, now);
    await take(new Map([[OWNER, 'sub-of-owner']]));
    await target.removeOthers('control', ({ pk }) => isMovedPartition(pk?.S ?? ''));
    expect(await dynamoDb.invitations.listInvitations(accountId)).toEqual([]);
    expect((await dynamoDb.pets.list({ after: 0, status: undefined, limit: 10 })).map(({ id }) => id)).toEqual([8, 2 ** 50]);
    expect(await dynamoDb.userRequests.count('usr_1', 5, now)).toBe(2);
    expect((await dynamoDb.members.membersOf(accountId)).map(({ userId }) => userId).sort()).toEqual(['sub-of-owner', 'usr_member']);
    expect(await dynamoDb.members.membershipsOf('sub-of-owner')).toEqual([{ accountId, role: 'owner' }]);
    expect(await dynamoDb.members.membershipsOf(OWNER)).toEqual([]);
    target.close();
  });

  test('what a busy table has not taken, or not read, is asked again, and nothing is counted twice', async () => {
    const source = await makeTwins();
    await fill(source.sqlite as unknown as typeof source.both);
    const { clients, tables } = await makeTwins();
    let busy = 0;
    // Every other batch is left undone in part, as by a throttled partition: DynamoDB Local never is.
    const send: typeof clients.retrying.send = async (command: { input: object }) => {
      const [[table, asked] = []] = Object.entries((command.input as { RequestItems?: Record<string, unknown> }).RequestItems ?? {});
      if (table === undefined || busy++ % 2 === 1) return clients.retrying.send(command as never) as never;
      if (command instanceof BatchWriteItemCommand) return { UnprocessedItems: { [table]: asked } } as never;
      return { UnprocessedKeys: { [table]: asked } } as never;
    };
    const client = Object.create(clients.retrying, { send: { value: send } });
    const target = createItemTarget(client, { ...tables, audit: tables.audit ?? '' });
    const pets = createPetTarget(client, tables.pets);
    const now = NOON + 1_000;
    for (const pass of [1, 2])
      for (const kind of KINDS) {
        const made =
          kind === 'pets'
            ? synchronize(kind, petRecords(source.read(kind)), pets)
            : target.take(movedItems(kind, source.read, { ...options, now }), () => {});
        const { records, written, source: from, target: to } = await made;
        expect([kind, written]).toEqual([kind, pass === 1 ? records : 0]);
        if (pass === 2) expect(to).toBe(from);
      }
    expect(busy).toBeGreaterThan(20);
    target.close();
  });
});
