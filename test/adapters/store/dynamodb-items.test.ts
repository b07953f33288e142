// The stored form of every kind of item. Stages have such items: a change here is a migration.

import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { createAuditWrites, createDynamoDbAuditLog } from '../../../adapters/store/dynamodb/audit.ts';
import { createDynamoDbClients } from '../../../adapters/store/dynamodb/calls.ts';
import { createDynamoDbOutbox } from '../../../adapters/store/dynamodb/notifications.ts';
import { createDynamoDbOrderLimiter } from '../../../adapters/store/dynamodb/order-limiter.ts';
import { createDynamoDbProjectStores, createDynamoDbStores } from '../../../adapters/store/dynamodb/stores.ts';
import { createDynamoDbSweepStore } from '../../../adapters/store/dynamodb/sweeps.ts';
import type { Account, KeyRecord } from '../../../core/access/account.ts';
import type { DeployToken } from '../../../core/access/deploy-token.ts';
import type { Invitation } from '../../../core/access/invitation.ts';
import type { Domain } from '../../../core/domains/domain.ts';
import type { Notification } from '../../../core/notifications/notification.ts';
import type { Pet } from '../../../core/pets/pet.ts';
import type { Deployment, Project } from '../../../core/projects/project.ts';
import { NOON, samplePet } from '../../../testing/samples.ts';
import { mockedClient } from '../../support/mocked-clients.ts';

type Item = Record<string, AttributeValue>;

const dynamo = mockedClient(DynamoDBClient);
const clients = createDynamoDbClients({ region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } });
const tables = { pets: 'pets', usage: 'usage', control: 'control' };
const stores = { ...createDynamoDbStores(clients, tables), ...createDynamoDbProjectStores(clients, tables) };
const outbox = createDynamoDbOutbox(clients.retrying, 'control');
const sweeps = createDynamoDbSweepStore(clients.retrying, 'control');
const audit = createDynamoDbAuditLog(
  clients.retrying,
  'audit',
  createAuditWrites('audit', { clock: () => NOON, actor: () => ({ kind: 'user', id: 'usr_1' }) }),
);

const digest = 'A'.repeat(43);
const PET: Pet = { ...samplePet(7), name: 'Rex', categoryId: 2n ** 62n, status: 'sold' };
const ACCOUNT: Account = { id: 'acc_0000000000', name: 'Shop', plan: 'pro', limits: { perMinute: 300, perDay: 10_000 }, createdAt: NOON };
const ASKED = { plan: 'business', note: '', requestedBy: 'usr_1', requestedAt: NOON } as const;
const KEY: KeyRecord = {
  ...{ id: `key_0000000000${'A'.repeat(12)}`, accountId: ACCOUNT.id, digest, name: 'Till', hint: 'petstore_live_8sK2…zFw9', createdBy: 'usr_1' },
  ...{ scopes: ['pets:read', 'pets:write'], createdAt: NOON, expiresAt: NOON + 1 },
};
const REVOKED = { at: NOON + 2, by: 'operator' };
const PROJECT: Project = {
  ...{ id: 'prj_0000000000', accountId: ACCOUNT.id, name: 'Site', token: 'abc', createdAt: NOON, currentDeploymentId: 'dpl_1' },
  configuration: { domains: { redirects: [] } },
};
const DEPLOYMENT: Deployment = { id: 'dpl_1', projectId: PROJECT.id, createdAt: NOON, files: 2, bytes: 3 };
const REMOVAL = { projectId: PROJECT.id, deploymentId: 'dpl_1', dueAt: NOON, bytes: 3 };
const TOKEN: DeployToken = {
  ...{ id: `tok_${'0'.repeat(22)}`, projectId: PROJECT.id, digest, name: 'CI', createdBy: 'usr_1', createdAt: NOON, expiresAt: NOON + 1 },
};
const INVITATION: Invitation = {
  ...{ id: `inv_${'0'.repeat(22)}`, accountId: ACCOUNT.id, email: 'ann@example.com', role: 'member', invitedBy: 'operator' },
  ...{ createdAt: NOON, expiresAt: NOON + 1, mailed: true, digests: [digest] },
};
const DOMAIN: Domain = {
  ...{ id: 'dom_1', host: 'shop.test', projectId: PROJECT.id, accountId: ACCOUNT.id, createdAt: NOON, generation: 0, history: [] },
  state: { name: 'removed', since: NOON, until: NOON + 1 },
};
const NOTICE: Notification = { id: 'n', accountId: ACCOUNT.id, at: NOON, event: { kind: 'member_added', userId: 'usr_1' } };
/** Fields that were added since have the type of their values. */
const ADDED: Item = Object.fromEntries(
  Object.entries(PET).flatMap(([name, value]) =>
    ['id', 'name', 'categoryId', 'status'].includes(name) ? [] : [[name, typeof value === 'string' ? { S: value } : { N: String(value) }]],
  ),
);
const PET_ITEM: Item = {
  ...{ pk: { S: 'pets' }, id: { N: '7' }, name: { S: 'Rex' }, categoryId: { N: '4611686018427387904' }, status: { S: 'sold' } },
  ...ADDED,
};
const ENTRY = { subject: ACCOUNT.id, actor: { kind: 'user', id: 'usr_1' }, details: { name: 'Shop' } } as const;

interface Kind {
  readonly write: () => Promise<unknown>;
  readonly items: readonly Item[];
  /** Attributes that only updates write. */
  readonly later?: Item;
  /** Reads the first item. */
  readonly read?: () => Promise<unknown>;
  readonly value?: unknown;
  /** Those of the first item without which it is malformed. */
  readonly needed?: readonly string[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  'an animal': {
    write: () => stores.pets.create({ pet: PET }, NOON),
    items: [PET_ITEM],
    read: () => stores.pets.get(7),
    value: PET,
    needed: ['id', 'name', 'categoryId', 'status'],
  },
  'an idempotency key': {
    write: () => stores.pets.create({ pet: PET, idempotency: { owner: 'o', key: 'k', fingerprint: 'f', expiresAt: NOON + 1 } }, NOON),
    items: [
      {
        ...{ pk: { S: 'idempotency#o#k' }, id: { N: '0' }, fingerprint: { S: 'f' }, pet: { M: PET_ITEM } },
        ...{ expiresAt: { N: '1795255200001' }, expiresAtSeconds: { N: '1795255201' } },
      },
      PET_ITEM,
    ],
  },
  'an account': {
    write: () => stores.accounts.createAccount(ACCOUNT),
    items: [
      {
        ...{ pk: { S: 'accounts' }, sk: { S: ACCOUNT.id }, name: { S: 'Shop' }, plan: { S: 'pro' }, perMinute: { N: '300' }, perDay: { N: '10000' } },
        createdAt: { N: '1795255200000' },
      },
      { accountId: { S: ACCOUNT.id }, plan: { S: 'pro' }, ml: { N: '300' }, dl: { N: '10000' } },
    ],
    later: { planRequest: { S: JSON.stringify(ASKED) }, suspension: { S: '{"since":1,"reason":"r"}' }, requiresSecondFactor: { S: 'true' } },
    read: () => stores.accounts.getAccount(ACCOUNT.id),
    value: { ...ACCOUNT, planRequest: ASKED, suspension: { since: 1, reason: 'r' }, requiresSecondFactor: true },
    needed: ['sk', 'name', 'plan', 'perMinute', 'perDay', 'createdAt'],
  },
  'an API key': {
    write: () => {
      dynamo.on(GetItemCommand).resolves({ Item: { accountId: { S: ACCOUNT.id } } });
      // What admission knows of a key is in its account's item.
      return stores.accounts.addKey({ ...KEY, lastUsedAt: NOON, successor: 'key_2' }, 10, NOON);
    },
    items: [
      {
        ...{ pk: { S: `keys#${ACCOUNT.id}` }, sk: { S: KEY.id }, digest: { S: digest }, name: { S: 'Till' }, hint: { S: 'petstore_live_8sK2…zFw9' } },
        ...{ scopes: { S: 'pets:read,pets:write' }, createdBy: { S: 'usr_1' }, createdAt: { N: '1795255200000' } },
        ...{ expiresAt: { N: '1795255200001' }, expiresAtSeconds: { N: '1803031201' } },
      },
    ],
    later: { lastUsedAt: { N: '60000' }, successor: { S: 'key_2' } },
    read: () => stores.accounts.getKey(KEY.id),
    value: { ...KEY, lastUsedAt: 60_000, successor: 'key_2' },
    needed: ['sk', 'pk', 'digest', 'name', 'scopes', 'createdAt', 'expiresAt'],
  },
  'a revoked key': {
    write: () => {
      const Item = { pk: { S: `keys#${ACCOUNT.id}` }, sk: { S: KEY.id }, digest: { S: digest }, name: { S: 'Till' }, scopes: { S: 'pets:read' } };
      const at = { createdAt: { N: '1' }, expiresAt: { N: '253402300799999' } };
      dynamo.on(GetItemCommand, { TableName: 'control' }).resolves({ Item: { ...Item, ...at, successor: { S: 'key_2' } } });
      dynamo.on(GetItemCommand, { TableName: 'usage' }).resolves({ Item: { [`u${digest.slice(0, 6)}`]: { N: '1' } } });
      return stores.accounts.revokeKey(KEY.id, REVOKED);
    },
    items: [
      {
        ...{ pk: { S: `revoked-keys#${ACCOUNT.id}` }, sk: { S: `001795255200002#${KEY.id}` }, keyId: { S: KEY.id }, name: { S: 'Till' } },
        ...{ scopes: { S: 'pets:read' }, createdAt: { N: '1' }, expiresAt: { N: '253402300799999' }, lastUsedAt: { N: '60000' } },
        ...{ revokedAt: { N: '1795255200002' }, revokedBy: { S: 'operator' }, expiresAtSeconds: { N: '1803031201' } },
      },
    ],
    read: async () => (await stores.accounts.listRevokedKeys(ACCOUNT.id, 0))[0],
    value: {
      ...{ id: KEY.id, accountId: ACCOUNT.id, name: 'Till', scopes: ['pets:read'], createdAt: 1, expiresAt: 253402300799999, lastUsedAt: 60_000 },
      revoked: REVOKED,
    },
    needed: ['keyId', 'pk', 'name', 'scopes', 'createdAt', 'expiresAt', 'revokedAt', 'revokedBy'],
  },
  'a project': {
    write: () => stores.projects.createProject(PROJECT),
    items: [
      {
        ...{ pk: { S: 'projects' }, sk: { S: PROJECT.id }, accountId: { S: ACCOUNT.id }, name: { S: 'Site' }, token: { S: 'abc' } },
        ...{ createdAt: { N: '1795255200000' }, currentDeploymentId: { S: 'dpl_1' }, configuration: { S: '{"domains":{"redirects":[]}}' } },
      },
      { pk: { S: `projects#${ACCOUNT.id}` }, sk: { S: PROJECT.id } },
      { pk: { S: 'tokens' }, sk: { S: 'abc' } },
    ],
    read: () => stores.projects.getProject(PROJECT.id),
    value: PROJECT,
    needed: ['sk', 'accountId', 'name', 'token', 'createdAt', 'configuration'],
  },
  'a project without a deployment': {
    write: () => stores.projects.createProject({ ...PROJECT, currentDeploymentId: undefined }),
    items: [
      {
        ...{ pk: { S: 'projects' }, sk: { S: PROJECT.id }, accountId: { S: ACCOUNT.id }, name: { S: 'Site' }, token: { S: 'abc' } },
        ...{ createdAt: { N: '1795255200000' }, configuration: { S: '{"domains":{"redirects":[]}}' } },
      },
      { pk: { S: `projects#${ACCOUNT.id}` }, sk: { S: PROJECT.id } },
      { pk: { S: 'tokens' }, sk: { S: 'abc' } },
    ],
    read: () => stores.projects.getProject(PROJECT.id),
    value: { ...PROJECT, currentDeploymentId: undefined },
  },
  'a deleted project': {
    write: () => stores.projects.deleteProject(PROJECT, NOON),
    items: [
      { pk: { S: 'removals' }, sk: { S: PROJECT.id }, dueAt: { N: '1795255200000' }, bytes: { N: '0' } },
      { pk: { S: 'tokens' }, sk: { S: 'abc' }, expiresAtSeconds: { N: '1803031200' } },
    ],
  },
  'a deployment': {
    write: () => stores.projects.deploy({ ...DEPLOYMENT, servedAt: 1, pinned: true }),
    items: [
      {
        ...{ pk: { S: `deployments#${PROJECT.id}` }, sk: { S: 'dpl_1' }, createdAt: { N: '1795255200000' }, files: { N: '2' }, bytes: { N: '3' } },
      },
    ],
    later: { servedAt: { N: '1' }, pinned: { BOOL: true } },
    read: () => stores.projects.getDeployment({ projectId: PROJECT.id, id: 'dpl_1' }),
    value: { ...DEPLOYMENT, servedAt: 1, pinned: true },
    needed: ['sk', 'pk', 'createdAt', 'files', 'bytes'],
  },
  'a removal': {
    write: () => stores.removals.schedule(REMOVAL),
    items: [{ pk: { S: 'removals' }, sk: { S: `${PROJECT.id}#dpl_1` }, dueAt: { N: '1795255200000' }, bytes: { N: '3' } }],
    read: async () => (await stores.removals.list()).items[0],
    value: REMOVAL,
    needed: ['sk', 'dueAt', 'bytes'],
  },
  'a deploy token': {
    write: () => stores.deployTokens.addToken({ ...TOKEN, lastUsedAt: 1 }),
    items: [
      {
        ...{ pk: { S: `deploy-tokens#${PROJECT.id}` }, sk: { S: TOKEN.id }, digest: { S: digest }, name: { S: 'CI' }, createdBy: { S: 'usr_1' } },
        ...{ createdAt: { N: '1795255200000' }, expiresAt: { N: '1795255200001' }, expiresAtSeconds: { N: '1797847201' } },
      },
    ],
    later: { lastUsedAt: { N: '1' } },
    read: () => stores.deployTokens.getToken(TOKEN.id),
    value: { ...TOKEN, lastUsedAt: 1 },
    needed: ['sk', 'pk', 'digest', 'name', 'createdBy', 'createdAt', 'expiresAt'],
  },
  'an invitation': {
    write: () => stores.invitations.addInvitation(INVITATION, { open: 9, perDay: 9 }),
    items: [
      {
        ...{ pk: { S: `invitations#${ACCOUNT.id}` }, sk: { S: 'ann@example.com' }, id: { S: INVITATION.id }, role: { S: 'member' } },
        ...{ invitedBy: { S: 'operator' }, createdAt: { N: '1795255200000' }, expiresAt: { N: '1795255200001' }, mailed: { BOOL: true } },
        ...{ digests: { SS: [digest] }, expiresAtSeconds: { N: '1795255201' } },
      },
    ],
    read: async () => (await stores.invitations.listInvitations(ACCOUNT.id))[0],
    value: INVITATION,
    needed: ['sk', 'pk', 'id', 'role', 'invitedBy', 'createdAt', 'expiresAt'],
  },
  'an invitation without a link': {
    write: () => stores.invitations.addInvitation({ ...INVITATION, mailed: false, digests: [] }, { open: 9, perDay: 9 }),
    items: [
      {
        ...{ pk: { S: `invitations#${ACCOUNT.id}` }, sk: { S: 'ann@example.com' }, id: { S: INVITATION.id }, role: { S: 'member' } },
        ...{ invitedBy: { S: 'operator' }, createdAt: { N: '1795255200000' }, expiresAt: { N: '1795255200001' }, mailed: { BOOL: false } },
        expiresAtSeconds: { N: '1795255201' },
      },
    ],
    read: async () => (await stores.invitations.listInvitations(ACCOUNT.id))[0],
    value: { ...INVITATION, mailed: false, digests: [] },
  },
  'a member': {
    write: () => stores.members.addMember(ACCOUNT.id, 'usr_1', 'member'),
    items: [
      { pk: { S: 'members#usr_1' }, sk: { S: ACCOUNT.id }, role: { S: 'member' } },
      { pk: { S: `account-members#${ACCOUNT.id}` }, sk: { S: 'usr_1' }, role: { S: 'member' } },
    ],
    read: async () => (await stores.members.membershipsOf('usr_1'))[0],
    value: { accountId: ACCOUNT.id, role: 'member' },
    needed: ['sk'],
  },
  'a domain': {
    write: () => stores.domains.addDomain({ ...DOMAIN, state: { name: 'verifying', since: NOON } as Domain['state'] }),
    items: [
      {
        ...{ pk: { S: 'domain#dom_1' }, sk: { S: 'domain' }, waits: { S: 'domains' }, wakeAt: { N: '1795255200000' } },
        body: { S: JSON.stringify({ ...DOMAIN, state: { name: 'verifying', since: NOON } }) },
      },
      { pk: { S: `domains#${PROJECT.id}` }, sk: { S: 'shop.test' }, domainId: { S: 'dom_1' } },
      { pk: { S: 'host#shop.test' }, sk: { S: 'dom_1' } },
    ],
    read: async () => (await stores.domains.dueDomains(NOON, 1)).items[0],
    value: { ...DOMAIN, state: { name: 'verifying', since: NOON } },
    needed: ['body'],
  },
  'a removed domain': {
    write: () => stores.domains.saveDomain(DOMAIN, { ...DOMAIN, state: { name: 'removing', since: NOON } as Domain['state'] }),
    items: [
      { pk: { S: 'domain#dom_1' }, sk: { S: 'domain' }, body: { S: JSON.stringify(DOMAIN) }, expiresAtSeconds: { N: '1795255201' } },
      { pk: { S: 'host#shop.test' }, sk: { S: 'dom_1' }, expiresAtSeconds: { N: '1795255201' } },
    ],
  },
  'a proved domain': {
    write: () => {
      const verifying = { name: 'verifying', since: NOON } as Domain['state'];
      return stores.domains.saveDomain({ ...DOMAIN, state: { name: 'verified', since: NOON } as Domain['state'] }, { ...DOMAIN, state: verifying });
    },
    items: [
      {
        ...{ pk: { S: 'domain#dom_1' }, sk: { S: 'domain' }, waits: { S: 'domains' }, wakeAt: { N: '1795255200000' } },
        body: { S: JSON.stringify({ ...DOMAIN, state: { name: 'verified', since: NOON } }) },
      },
      { pk: { S: 'host#shop.test' }, sk: { S: 'proved' }, domainId: { S: 'dom_1' } },
    ],
  },
  'a notification': {
    write: () => outbox.add(NOTICE),
    items: [
      {
        ...{ pk: { S: `notifications#${ACCOUNT.id}` }, sk: { S: 'n' }, body: { S: JSON.stringify(NOTICE) }, attempts: { N: '0' } },
        ...{ waits: { S: 'notifications' }, wakeAt: { N: '1795255200000' }, expiresAtSeconds: { N: '1795514400' } },
      },
    ],
    later: { done: { SS: ['usr_1'] }, sentAt: { N: '1' } },
    read: async () => (await outbox.ofAccount(ACCOUNT.id))[0],
    value: { notification: NOTICE, attempts: 0, done: ['usr_1'], sentAt: 1, finished: false },
    needed: ['body', 'attempts'],
  },
  'an entry of the audit log': {
    write: () => audit.record({ action: 'account.created', accountId: ACCOUNT.id, subject: ACCOUNT.id, details: { name: 'Shop' } }),
    items: [
      {
        ...{ accountId: { S: ACCOUNT.id }, id: expect.anything(), day: { S: '2026-11-21' }, at: { N: '1795255200000' } },
        ...{ action: { S: 'account.created' }, subject: { S: ACCOUNT.id }, actor: { S: '{"kind":"user","id":"usr_1"}' } },
        ...{ details: { S: '{"name":"Shop"}' }, expiresAtSeconds: { N: '1829815200' } },
      },
    ],
    later: { id: { S: 'aud_1' } },
    read: async () => (await audit.entries({ accountId: ACCOUNT.id }, 1)).items[0],
    value: { ...ENTRY, id: 'aud_1', at: NOON, accountId: ACCOUNT.id, action: 'account.created' },
    needed: ['accountId', 'id', 'at', 'action', 'subject', 'actor'],
  },
  'an entry that belongs to no account': {
    write: () => audit.record({ action: 'user.removed', subject: 'usr_2' }),
    items: [
      {
        ...{ accountId: { S: '-' }, id: expect.anything(), day: { S: '2026-11-21' }, at: { N: '1795255200000' }, action: { S: 'user.removed' } },
        ...{ subject: { S: 'usr_2' }, actor: { S: '{"kind":"user","id":"usr_1"}' }, expiresAtSeconds: { N: '1829815200' } },
      },
    ],
    later: { id: { S: 'aud_1' } },
    read: async () => (await audit.entries({ accountId: '-' }, 1)).items[0],
    value: { id: 'aud_1', at: NOON, action: 'user.removed', subject: 'usr_2', actor: { kind: 'user', id: 'usr_1' } },
  },
  'an answer': {
    write: () => stores.answers.claim('a', 'f', NOON),
    items: [
      {
        ...{ pk: { S: 'answer#a' }, sk: { S: 'answer' }, fingerprint: { S: 'f' }, claimedUntil: { N: '1795255260000' } },
        ...{ expiresAt: { N: '1795341600000' }, expiresAtSeconds: { N: '1795341600' } },
      },
    ],
  },
  "a user's choice of emails": {
    write: () => stores.notificationSettings.mute('usr_1', ['domain_live']),
    items: [{ pk: { S: 'user#usr_1' }, sk: { S: 'notifications' }, muted: { S: '["domain_live"]' } }],
    read: () => stores.notificationSettings.mutedBy('usr_1'),
    value: ['domain_live'],
    needed: ['muted'],
  },
  'a bucket of certificate orders': {
    write: () => {
      dynamo.onAnyCommand().resolves({ Responses: {} });
      return createDynamoDbOrderLimiter(clients.retrying, 'control').take([{ key: 'acc_1', size: 2, refillMs: 1_500 }], NOON);
    },
    items: [{ pk: { S: 'orders#acc_1' }, sk: { S: 'bucket' }, fullAt: { N: '1795255201500' }, expiresAtSeconds: { N: '1795255202' } }],
  },
  'the progress of a sweep': {
    write: () => sweeps.save('domains' as never, 'run', {}, NOON),
    items: [{ pk: { S: 'sweep' }, sk: { S: 'domains' }, takenBy: { S: 'run' }, takenUntil: { N: '1795255200000' }, progress: { S: '{}' } }],
    read: () => sweeps.read('domains' as never),
    value: {},
    needed: ['progress'],
  },
  'a thing that a sweep has reported': {
    write: () => sweeps.firstReported('thing', NOON),
    items: [{ pk: { S: 'sweep#thing' }, sk: { S: 'reported' }, since: { N: '1795255200000' }, expiresAtSeconds: { N: '1795860000' } }],
  },
};

beforeEach(() => {
  dynamo.reset();
  dynamo.onAnyCommand().resolves({});
});

/** The items that were put, in order. */
const put = () =>
  dynamo.calls().flatMap(({ firstArg: command }) => {
    if (command instanceof PutItemCommand) return [command.input.Item];
    return command instanceof TransactWriteItemsCommand ? (command.input.TransactItems ?? []).flatMap(({ Put }) => (Put ? [Put.Item] : [])) : [];
  });

/** Reads a kind from its item with these attributes. */
function reading({ items, later, read }: Kind, change: (item: Item) => void = () => {}): Promise<unknown> {
  const item = { ...items[0], ...later };
  change(item);
  dynamo.on(GetItemCommand, { TableName: 'usage' }).resolves({});
  for (const TableName of ['pets', 'control', 'audit']) {
    dynamo.on(GetItemCommand, { TableName }).resolves({ Item: item });
    dynamo.on(QueryCommand, { TableName }).resolves({ Items: [item] });
  }
  dynamo.on(UpdateItemCommand).resolves({ Attributes: item });
  return read?.() ?? Promise.resolve();
}

describe('the items in DynamoDB', () => {
  for (const [name, kind] of Object.entries(KINDS)) {
    test(`${name} is stored as in earlier releases`, async () => {
      await kind.write();
      expect(put()).toEqual(kind.items);
    });
    if (kind.read === undefined) continue;
    test(`${name} is read as it was stored`, async () => {
      expect(await reading(kind)).toStrictEqual(kind.value);
    });
    for (const attribute of kind.needed === undefined ? [] : Object.keys({ ...kind.items[0], ...kind.later })) {
      const isNeeded = kind.needed?.includes(attribute);
      test(`${name} without ${attribute} is ${isNeeded ? 'malformed' : 'read all the same'}`, async () => {
        const read = reading(kind, (item) => delete item[attribute]);
        if (isNeeded) await expect(read).rejects.toMatchObject({ kind: 'corrupt', message: `malformed item: attribute ${attribute} is missing` });
        else await expect(read).resolves.toBeDefined();
      });
      if (!isNeeded) continue;
      test(`${name} whose ${attribute} has another type is malformed`, async () => {
        const read = reading(kind, (item) => Object.assign(item, { [attribute]: { BOOL: false } }));
        await expect(read).rejects.toMatchObject({ kind: 'corrupt', message: `malformed item: attribute ${attribute} is {"BOOL":false}` });
      });
    }
  }

  test.each([
    ['an animal', 'status'],
    ['an account', 'plan'],
    ['an API key', 'scopes'],
    ['a revoked key', 'scopes'],
    ['an invitation', 'role'],
  ])('%s whose %s is none of those there are is malformed', async (name, attribute) => {
    const read = reading(KINDS[name] as Kind, (item) => Object.assign(item, { [attribute]: { S: 'other' } }));
    await expect(read).rejects.toMatchObject({ kind: 'corrupt', message: `malformed item: attribute ${attribute} is "other"` });
  });
});
