// `petstore-platform/adapters/sqlite`: every store of one machine, on one SQLite file.

import '../../platforms/node-version.ts';

export { openSqliteStores, type SqliteOptions, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
