// The platform of one machine: the database and the folders of a data folder. The service and the command line open the same.

import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createSandboxPublisher } from '../../adapters/dns/sandbox-publisher.ts';
import { createSqliteSandboxRecords } from '../../adapters/dns/sqlite-sandbox.ts';
import { createSqliteEdgeMap, type SqliteEdgeMap } from '../../adapters/edge/sqlite-map.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { sweepDeployments } from '../../adapters/sites/sweep-folder.ts';
import { DATABASE_FILE } from '../../adapters/store/sqlite/database.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { firstPublisher } from '../../core/domains/first-publisher.ts';
import type { DomainStore } from '../../core/domains/ports.ts';
import type { DomainQueue } from '../../core/domains/queue.ts';
import type { UserStore } from '../../core/identity/ports.ts';
import type { SandboxRecords } from '../../core/sandbox/ports.ts';
import { type Platform, PlatformError } from '../platform.ts';
import { nameRules, type Settings, sandboxSuffix } from './settings.ts';

/** The sandbox's DNS. */
export interface Sandbox extends SandboxRecords {
  /** All of its names are below it. */
  readonly suffix: string;
}

export interface DataFolder extends Platform {
  readonly domains: DomainStore & DomainQueue;
  readonly edge: SqliteEdgeMap;
  readonly users: UserStore;
  /** Undefined where names of the real world are served. */
  readonly sandbox: Sandbox | undefined;
  readonly settings: Settings;
  readonly database: DatabaseSync;
  /** The file of the database. */
  readonly databaseFile: string;
  /** Does the database answer? Costs next to nothing, whatever is in it. */
  isAnswering(): boolean;
  /** Removes deployments that were never stored whole. @param now milliseconds since 1970 */
  sweepDeployments(now: number): Promise<number>;
}

/** @throws PlatformError if the folder can't be used */
export function openDataFolder(settings: Settings): DataFolder {
  const { dataFolder } = settings;
  try {
    const stores = openSqliteStores(dataFolder);
    const { database } = stores;
    const suffix = sandboxSuffix(settings);
    return {
      ...stores,
      users: createSqliteUserStore(database),
      sites: createFolderSiteStore(dataFolder),
      edge: createSqliteEdgeMap(database),
      sandbox: suffix === undefined ? undefined : { suffix, ...createSqliteSandboxRecords(database) },
      publisher: firstPublisher([createSandboxPublisher(database, suffix)]),
      // The service's timers find what is due in the database.
      workflow: { start: async () => {} },
      rules: nameRules(settings),
      settings,
      databaseFile: join(dataFolder, DATABASE_FILE),
      sweepDeployments: (now) => sweepDeployments(dataFolder, stores.projects, now),
    };
  } catch (error) {
    throw new PlatformError(`PETSTORE_DATA: can't use ${dataFolder}: ${error instanceof Error ? error.message : error}`);
  }
}
