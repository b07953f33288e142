// The contract suites of everything that hosts share.

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { expect } from 'expect';
import { type AdapterContext, DAY_MS, StoreFault } from 'petstore-platform';
import { createOidcStorage } from 'petstore-platform/stores';
import {
  accountStoreContract,
  acmeOrdersContract,
  auditLogContract,
  certificateVaultContract,
  deployTokenStoreContract,
  domainQueueContract,
  domainStoreContract,
  factorStoreContract,
  fileRemovalStoreContract,
  installationStoreContract,
  invitationStoreContract,
  memberStoreContract,
  NOON,
  notificationOutboxContract,
  notificationSettingsContract,
  notificationsOfChangesContract,
  orderLimiterContract,
  ownAddressStoreContract,
  projectStoreContract,
  providerStoreContract,
  recordStoreContract,
  sampleAccount,
  sandboxRecordsContract,
  servedMapContract,
  sessionStoreContract,
  siteStoreContract,
  storeFaultContract,
  sweepStoreContract,
  uploadStoreContract,
  userStoreContract,
} from 'petstore-platform/testing';
import type { Database } from '../src/database.ts';
import { type Leases, startLeases } from '../src/leases.ts';
import { createPlatform } from '../src/platform.ts';
import { CONTEXT, openDatabase, openForHosts } from './databases.ts';

const PostgreSQL = { name: 'PostgreSQL' };
/** Tests that are not about passwords need no slow ones. */
const QUICK = { N: 2, r: 8, p: 1, maxmem: 2 ** 20 };

/** The host of tests that have one. */
const ALONE: Leases = { host: 'a', claim: async () => true, release: async () => {}, stop: async () => {} };

const platformOn = (database: Database, context: AdapterContext = CONTEXT, leases = ALONE) => createPlatform(database, context, leases, QUICK);
const open = async (context?: AdapterContext) => platformOn(await openDatabase(), context);
/** Stores with an outbox that adds what changes cause. */
async function openWithOutbox() {
  const platform = await open();
  await platform.installation.setOutboxOpen(true);
  return platform;
}

/** The stores of two hosts. */
async function openTwo() {
  const databases = await openForHosts(2);
  const hosts = await Promise.all(
    databases.map(async (database) => {
      const leases = await startLeases(database);
      return { leases, ...platformOn(database, CONTEXT, leases) };
    }),
  );
  return hosts as [(typeof hosts)[number], (typeof hosts)[number]];
}

const addAccountTo =
  ({ accounts }: Awaited<ReturnType<typeof open>>) =>
  async (id: string) =>
    void (await accounts.createAccount({ ...sampleAccount(), id }));

accountStoreContract(test, openWithOutbox, PostgreSQL);
memberStoreContract(test, open, PostgreSQL);
invitationStoreContract(test, openWithOutbox, PostgreSQL);
deployTokenStoreContract(test, async () => (await open()).deployTokens, PostgreSQL);
projectStoreContract(
  test,
  async () => {
    const { fileRemovals: removals, ...platform } = await open();
    return { ...platform, removals };
  },
  PostgreSQL,
);
fileRemovalStoreContract(test, async () => (await open()).fileRemovals, PostgreSQL);
domainStoreContract(test, open, PostgreSQL);
domainQueueContract(
  test,
  async () => {
    const [one, two] = await openTwo();
    return { ...one, domains: { ...one.domains, ...one.domainQueue }, elsewhere: two.domainQueue };
  },
  PostgreSQL,
);
sweepStoreContract(test, async () => (await open()).sweeps, PostgreSQL);
orderLimiterContract(test, async () => (await open()).orderLimiter, PostgreSQL);
auditLogContract(
  test,
  async () => {
    let actor: AdapterContext['actor'] = () => ({ kind: 'service' });
    const { fileRemovals: removals, sandboxRecords: sandbox, ...platform } = await open({ ...CONTEXT, actor: () => actor() });
    return {
      ...platform,
      removals,
      sandbox,
      act: (next) => {
        actor = next;
      },
    };
  },
  PostgreSQL,
);
notificationOutboxContract(test, async () => (await openWithOutbox()).outbox, PostgreSQL);
notificationSettingsContract(test, async () => (await open()).notificationSettings, PostgreSQL);
notificationsOfChangesContract(test, openWithOutbox, PostgreSQL);
factorStoreContract(test, async () => (await open()).factors, PostgreSQL);
providerStoreContract(test, async () => (await open()).signIns, PostgreSQL);
certificateVaultContract(test, async () => (await open()).certificates, PostgreSQL);
acmeOrdersContract(
  test,
  async () => {
    const [one, two] = await openTwo();
    return { orders: one.acmeOrders, elsewhere: two.acmeOrders };
  },
  PostgreSQL,
);
sandboxRecordsContract(test, async () => (await open()).sandboxRecords, PostgreSQL);
installationStoreContract(
  test,
  async () => {
    const { fileRemovals: removals, ...platform } = await open();
    return { ...platform, removals };
  },
  PostgreSQL,
);
servedMapContract(
  test,
  async () => {
    const [one, two] = await openForHosts(2);
    const platform = platformOn(one);
    return { projects: platform.projects, map: platform.edgeMap, another: () => platformOn(two ?? one).edgeMap, addAccount: addAccountTo(platform) };
  },
  PostgreSQL,
);
ownAddressStoreContract(
  test,
  async () => {
    const platform = await open();
    return { projects: platform.projects, map: platform.edgeMap, addresses: platform.ownAddresses, addAccount: addAccountTo(platform) };
  },
  PostgreSQL,
);

const sender = () => ({ addressGroup: '192.0.2.1', agent: 'Firefox on Linux', browser: 'a' });

userStoreContract(
  test,
  async () => {
    const { users, signIns, sessions, members } = await open();
    const storage = createOidcStorage(signIns, users, { sender, isEnded: sessions.isEnded, endGrant: sessions.endGrant, clock: Date.now });
    const tokens = storage('RefreshToken');
    return {
      users,
      signIn: async (userId) =>
        tokens.upsert(
          `token of ${userId}`,
          { accountId: userId, acr: (await users.sessionGeneration(userId)) ?? '', grantId: `grant ${userId}` },
          3_600,
        ),
      isSignedIn: async (userId) => (await tokens.find(`token of ${userId}`)) !== undefined,
      join: (userId) => members.addMember('acc_1', userId, 'owner'),
      memberships: async (userId) => (await members.membershipsOf(userId)).length,
    };
  },
  PostgreSQL,
);

sessionStoreContract(
  test,
  async () => {
    const clock = { now: NOON };
    const { users, signIns, sessions, audit } = await open({ ...CONTEXT, clock: () => clock.now });
    for (const name of ['ann', 'bob']) await users.add({ id: `usr_${name}`, email: `${name}@example.com` }, `password of ${name}`);
    const storage = createOidcStorage(signIns, users, {
      sender,
      isEnded: sessions.isEnded,
      endGrant: sessions.endGrant,
      clock: () => clock.now,
    });
    const [browsers, grants, tokens] = [storage('Session'), storage('Grant'), storage('RefreshToken')];
    const generationOf = async (userId: string) => (await users.sessionGeneration(userId)) ?? '';
    const clientIdOf = (client: string) => (client === 'dashboard' ? 'dashboard' : 'petstore-cli');
    const grantOf = (client: string, browser: string) => `grant of ${client} in ${browser}`;
    const browserOf = async (accountId: string, browser: string, authorizations: Record<string, { grantId: string }>) =>
      browsers.upsert(`cookie of ${browser}`, { uid: browser, accountId, acr: await generationOf(accountId), authorizations }, 3_600);
    return {
      sessions,
      record: audit.record,
      clock,
      signIn: async (userId, browser, clients) => {
        const acr = await generationOf(userId);
        for (const client of clients) {
          const [grantId, clientId] = [grantOf(client, browser), clientIdOf(client)];
          await grants.upsert(grantId, { accountId: userId, clientId, iat: Math.floor(clock.now / 1_000) }, 3_600);
          await tokens.upsert(`token of ${client} in ${browser}`, { accountId: userId, clientId, grantId, acr }, 3_600);
        }
        await browserOf(userId, browser, Object.fromEntries(clients.map((client) => [clientIdOf(client), { grantId: grantOf(client, browser) }])));
      },
      renew: async (userId, browser, client) =>
        void (await tokens.upsert(
          `renewed token of ${client} in ${browser}`,
          { accountId: userId, grantId: grantOf(client, browser), acr: await generationOf(userId) },
          3_600,
        )),
      isAccepted: async (_userId, browser, client) => (await tokens.find(`token of ${client} in ${browser}`)) !== undefined,
      isRenewedAccepted: async (browser, client) => (await tokens.find(`renewed token of ${client} in ${browser}`)) !== undefined,
      isBrowserAccepted: async (browser) => (await browsers.find(`cookie of ${browser}`)) !== undefined,
      keepBrowser: async (userId, browser, client) =>
        void (await browserOf(userId, browser, { [clientIdOf(client)]: { grantId: grantOf(client, browser) } })),
    };
  },
  PostgreSQL,
);

/** A host on a database, with a folder of its own. */
function hostOn(database: Database) {
  const dataFolder = mkdtempSync(join(CONTEXT.dataFolder, 'host-'));
  return { dataFolder, ...platformOn(database, { ...CONTEXT, dataFolder }) };
}

siteStoreContract(test, async () => hostOn(await openDatabase()).sites, { name: 'PostgreSQL' });
siteStoreContract(
  test,
  async () => {
    const database = await openDatabase();
    return { put: hostOn(database).sites.put, get: hostOn(database).sites.get };
  },
  { name: 'PostgreSQL, from another host' },
);
uploadStoreContract(
  test,
  async () => {
    // A client's files arrive at one host, and are read at another.
    const database = await openDatabase();
    const [one, two] = [hostOn(database), hostOn(database)];
    return {
      uploads: one.uploads,
      // Copies of what is removed elsewhere are removed by the service.
      sites: { get: (deployment, name) => hostOn(database).sites.get(deployment, name) },
      send: async ({ url }, content) => {
        const [, projectId = '', id = '', at] = /projects\/(\w+)\/uploads\/(\w+)\/files\/(\d+)$/.exec(url) ?? [];
        const host = Number(at) % 2 === 0 ? one : two;
        return (await host.uploads.receive({ projectId, id }, Number(at), Readable.from([content]))) === 'stored';
      },
    };
  },
  PostgreSQL,
);

recordStoreContract(test, async () => (await open()).records, PostgreSQL);

storeFaultContract(
  test,
  () => {
    const broken = async () => {
      throw new StoreFault('unavailable', 'PostgreSQL: broken');
    };
    const stores = platformOn({ query: broken, transaction: broken }, CONTEXT, { ...ALONE, claim: broken, release: broken });
    const { usageSurvey: survey, fileRemovals: removals, sandboxRecords: sandbox, domainQueue: queue, ...others } = stores;
    return { stores: { ...others, survey, removals, sandbox, queue, claims: queue }, says: 'PostgreSQL: ' };
  },
  {
    ...PostgreSQL,
    ports: [
      ...([
        'accounts',
        'members',
        'invitations',
        'deployTokens',
        'projects',
        'removals',
        'domains',
        'queue',
        'claims',
        'sweeps',
        'orderLimiter',
      ] as const),
      ...(['audit', 'outbox', 'notificationSettings', 'users', 'factors', 'sessions', 'signIns', 'edgeMap', 'ownAddresses', 'certificates'] as const),
      ...(['acmeOrders', 'sandbox', 'installation', 'records', 'sites', 'uploads'] as const),
    ],
  },
);

test('a host whose clock was 500 days behind, or is two years ahead, removes no entries of the audit log', async () => {
  const DAYS_500 = 500 * DAY_MS;
  let now = Date.now() - DAYS_500;
  const database = await openDatabase();
  const { audit, installation } = platformOn(database, { ...CONTEXT, clock: () => now });
  const sweep = () => installation.removeExpired(now, () => true);
  const entries = async () => (await audit.entries({}, 9)).items.length;
  await audit.record({ action: 'animals.imported', subject: 'old' });
  await sweep();
  for (const jump of [DAYS_500, 2 * DAYS_500, -2 * DAYS_500]) {
    now += jump;
    await audit.record({ action: 'animals.imported', subject: 'new' });
    for (let times = 0; times < 9; times += 1) await sweep();
  }
  expect(await entries()).toBe(4);
  // As if there had been sweeps on each day since the first.
  await database.query({ text: 'UPDATE audit_end SET before = at - $1::bigint' }, [400 * DAY_MS]);
  await sweep();
  expect(await entries()).toBe(3);
});
