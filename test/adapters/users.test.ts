// Users in SQLite. The hash of a password takes a while by design, so the suite does too.

import { onTestFinished, test } from 'vitest';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { userStoreContract } from '../../testing/user-store.ts';
import { makeFolder } from '../support/folders.ts';
import { openOidcStorage } from '../support/oidc-storage.ts';
import { QUICK_PASSWORDS } from '../support/samples.ts';

userStoreContract(
  test,
  async () => {
    const own = makeFolder();
    const { accounts, members, database, close } = openSqliteStores(own.path);
    onTestFinished(() => {
      close();
      own.remove();
    });
    const users = createSqliteUserStore(database, undefined, QUICK_PASSWORDS);
    const sessions = openOidcStorage(database, users, () => NOON)('Session');
    return {
      users,
      signIn: (userId) =>
        sessions.upsert(userId, { uid: userId, accountId: userId, acr: users.sessionGeneration(userId) ?? '', kind: 'Session' }, 60),
      isSignedIn: async (userId) => (await sessions.find(userId)) !== undefined,
      join: async (userId) => {
        const account = sampleAccount();
        await accounts.createAccount(account);
        await members.addMember(account.id, userId, 'owner');
      },
      memberships: async (userId) => (await members.membershipsOf(userId)).length,
    };
  },
  { name: 'SQLite' },
);
