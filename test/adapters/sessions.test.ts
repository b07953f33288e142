// Ending sessions: in the embedded provider's storage, and in Cognito.

import { AdminUserGlobalSignOutCommand, CognitoIdentityProviderClient, UserNotFoundException } from '@aws-sdk/client-cognito-identity-provider';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createCognitoSessions } from '../../adapters/identity/cognito.ts';
import { createSqliteSessions } from '../../adapters/identity/sqlite-sessions.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { createSqliteAuditLog, recordChanges } from '../../adapters/store/sqlite/audit.ts';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { createStageUsers } from '../../platforms/aws/control-platform.ts';
import { NOON } from '../../testing/samples.ts';
import { sessionEnderContract } from '../../testing/session-ender.ts';
import { sessionStoreContract } from '../../testing/session-store.ts';
import { testFolder } from '../support/folders.ts';
import { mockedClient } from '../support/mocked-clients.ts';
import { openOidcStorage } from '../support/oidc-storage.ts';
import { QUICK_PASSWORDS } from '../support/samples.ts';

const cognito = mockedClient(CognitoIdentityProviderClient);
const POOL = 'eu-central-1_AbCdEfGhI';
const sessions = createCognitoSessions(new CognitoIdentityProviderClient({ region: 'eu-central-1' }), POOL);

beforeEach(() => {
  cognito.reset();
});

sessionEnderContract(
  test,
  async () => {
    const ended = new Set<string>();
    cognito.on(AdminUserGlobalSignOutCommand).callsFake(async ({ UserPoolId, Username }) => {
      if (UserPoolId !== POOL || !['usr_ann', 'usr_bob'].includes(Username))
        throw new UserNotFoundException({ message: 'no such user', $metadata: {} });
      ended.add(Username);
      return {};
    });
    return { sessions, canRenew: async (userId) => !ended.has(userId) };
  },
  { name: 'Cognito' },
);

sessionEnderContract(
  test,
  async () => {
    const database = openDatabase(testFolder(), 'crash');
    onTestFinished(() => database.close());
    const users = createSqliteUserStore(database, undefined, QUICK_PASSWORDS);
    const tokens = openOidcStorage(database, users, () => NOON)('RefreshToken');
    for (const name of ['ann', 'bob']) {
      const id = `usr_${name}`;
      await users.add({ id, email: `${name}@example.com` }, `password of ${name}`);
      await tokens.upsert(`token of ${id}`, { accountId: id, acr: users.sessionGeneration(id) ?? '', kind: 'RefreshToken' }, 60);
    }
    return { sessions: users, canRenew: async (userId) => (await tokens.find(`token of ${userId}`)) !== undefined };
  },
  { name: 'SQLite' },
);

test('Cognito: a fault rejects', async () => {
  cognito.on(AdminUserGlobalSignOutCommand).rejects(Object.assign(new Error('slow down'), { name: 'TooManyRequestsException' }));
  await expect(sessions.endSessions('usr_ann')).rejects.toThrow('slow down');
});

test("a stage's users are those of the pool that has issued the caller's token", async () => {
  cognito.on(AdminUserGlobalSignOutCommand).resolves({});
  const users = createStageUsers();
  await users.endSessions({ id: 'usr_ann', issuer: `https://cognito-idp.eu-central-1.amazonaws.com/${POOL}` });
  expect(cognito.commandCalls(AdminUserGlobalSignOutCommand)[0]?.args[0].input).toEqual({ UserPoolId: POOL, Username: 'usr_ann' });
  for (const issuer of [undefined, 'https://example.com/oidc'])
    expect(() => users.endSessions({ id: 'usr_ann', ...(issuer !== undefined && { issuer }) })).toThrow('not a user pool');
});

sessionStoreContract(
  test,
  async () => {
    const database = openDatabase(testFolder(), 'crash');
    onTestFinished(() => database.close());
    const users = createSqliteUserStore(database, undefined, QUICK_PASSWORDS);
    for (const name of ['ann', 'bob']) await users.add({ id: `usr_${name}`, email: `${name}@example.com` }, `password of ${name}`);
    const clock = { now: NOON };
    const sessions = createSqliteSessions(database, { dashboard: 'dashboard', clock: () => clock.now });
    const storage = openOidcStorage(database, users, () => clock.now, { isEnded: sessions.isEnded, endGrant: sessions.endGrant });
    const [browsers, grants, tokens] = [storage('Session'), storage('Grant'), storage('RefreshToken')];
    const browserOf = async (accountId: string, browser: string, authorizations: Record<string, { grantId: string }>) =>
      browsers.upsert(`cookie of ${browser}`, { uid: browser, accountId, acr: users.sessionGeneration(accountId) ?? '', authorizations }, 3_600);
    const { record } = createSqliteAuditLog(database, recordChanges(database, { clock: () => clock.now }));
    return {
      sessions,
      record,
      clock,
      signIn: async (userId, browser, clients) => {
        const authorizations: Record<string, { grantId: string }> = {};
        for (const client of clients) {
          const clientId = client === 'dashboard' ? 'dashboard' : 'petstore-cli';
          const grantId = `grant of ${client} in ${browser}`;
          authorizations[clientId] = { grantId };
          await grants.upsert(grantId, { accountId: userId, clientId, iat: Math.floor(clock.now / 1_000) }, 3_600);
          await tokens.upsert(
            `token of ${client} in ${browser}`,
            { accountId: userId, clientId, grantId, acr: users.sessionGeneration(userId) ?? '' },
            3_600,
          );
        }
        await browserOf(userId, browser, authorizations);
      },
      renew: async (userId, browser, client) => {
        const grantId = `grant of ${client} in ${browser}`;
        await tokens.upsert(
          `renewed token of ${client} in ${browser}`,
          { accountId: userId, grantId, acr: users.sessionGeneration(userId) ?? '' },
          3_600,
        );
      },
      isAccepted: async (_userId, browser, client) => (await tokens.find(`token of ${client} in ${browser}`)) !== undefined,
      isRenewedAccepted: async (browser, client) => (await tokens.find(`renewed token of ${client} in ${browser}`)) !== undefined,
      isBrowserAccepted: async (browser) => (await browsers.find(`cookie of ${browser}`)) !== undefined,
      keepBrowser: (userId, browser, client) =>
        browserOf(userId, browser, { [client === 'dashboard' ? 'dashboard' : 'petstore-cli']: { grantId: `grant of ${client} in ${browser}` } }),
    };
  },
  { name: 'SQLite' },
);
