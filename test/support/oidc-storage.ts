// The embedded provider's storage, as the tests use it.

import type { DatabaseSync } from 'node:sqlite';
import { createOidcStorage, type OidcStorageOptions } from '../../adapters/identity/oidc-storage.ts';
import { createSqliteProviderStore } from '../../adapters/identity/sqlite-provider.ts';
import { createSqliteSessions } from '../../adapters/identity/sqlite-sessions.ts';
import type { UserStore } from '../../core/identity/ports.ts';

/** Opens the storage. @param clock milliseconds since 1970 @param more @default always the same sender */
export function openOidcStorage(
  database: DatabaseSync,
  users: Pick<UserStore, 'sessionGeneration'>,
  clock: () => number,
  more: Partial<OidcStorageOptions> = {},
) {
  const sender = () => ({ addressGroup: '192.0.2.1', agent: 'Firefox on Linux', browser: 'a' });
  const { isEnded, endGrant } = createSqliteSessions(database, { dashboard: 'dashboard', clock });
  return createOidcStorage(createSqliteProviderStore(database), users, { sender, isEnded, endGrant, clock, ...more });
}
