// The platform of one machine: the database and the folders of a data folder.

import type { NameRules } from '../../core/domains/actions.ts';
import { createSandboxPublisher } from '../dns/sandbox-publisher.ts';
import { createSqliteEdgeMap } from '../edge/sqlite-map.ts';
import { createFolderSiteStore } from '../sites/folder.ts';
import type { SqliteStores } from '../store/sqlite/stores.ts';
import type { Platform } from './platform.ts';

export interface EmbeddedPlatformOptions<Opened extends SqliteStores> {
  readonly stores: Opened;
  readonly dataFolder: string;
  /** Of the sandbox; undefined: there is none. */
  readonly sandboxSuffix: string | undefined;
  readonly rules: NameRules;
}

export function createEmbeddedPlatform<Opened extends SqliteStores>({
  stores,
  dataFolder,
  sandboxSuffix,
  rules,
}: EmbeddedPlatformOptions<Opened>): Opened & Platform {
  return {
    ...stores,
    sites: createFolderSiteStore(dataFolder),
    edge: createSqliteEdgeMap(stores.database),
    // The service's timers find what is due in the database.
    workflow: { start: async () => {} },
    publisher: createSandboxPublisher(stores.database, sandboxSuffix),
    rules,
  };
}
