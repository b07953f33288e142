// Makes changes in a data folder, in a separate process, which kills itself with signal 9 after the n-th statement that it sends to the database.
// Argument: n. Exits with 0 if there were fewer.

import { DatabaseSync, StatementSync } from 'node:sqlite';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { NOON, REVOKED, sampleAccount, sampleKey } from '../../testing/samples.ts';

const [count = '0'] = process.argv.slice(2);
let left = Number(count);

const stores = openSqliteStores(process.env.PETSTORE_DATA ?? '');
for (const [prototype, method] of [
  [DatabaseSync.prototype, 'exec'],
  [StatementSync.prototype, 'run'],
  [StatementSync.prototype, 'get'],
] as const) {
  const original = (prototype as unknown as Record<string, (...args: unknown[]) => unknown>)[method];
  Object.defineProperty(prototype, method, {
    value(this: unknown, ...args: unknown[]) {
      const result = original?.apply(this, args);
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return result;
    },
  });
}

const account = sampleAccount();
const { text: _, ...key } = sampleKey(account.id);
await stores.accounts.createAccount(account);
await stores.members.addMember(account.id, 'usr_1', 'owner');
await stores.accounts.addKey(key, 10, NOON);
await stores.accounts.revokeKey(key.id, REVOKED);
await stores.members.removeMember(account.id, 'usr_1', { keepOwner: false });
await createSqliteUserStore(stores.database, stores.recordChange).add(
  { id: `usr_${account.id}`, email: `${account.id}@petstore.test` },
  'a password',
);
stores.close();
