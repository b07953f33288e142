// `petstore-platform/adapters/sqlite`: every store for one machine, in one SQLite file.

import '../../platforms/node-version.ts';

export { openSqliteStores, type SqliteOptions, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
