// The platform on one machine: a data folder with the database and files. The service and the command line open the same folder.

import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createSandboxPublisher } from '../../adapters/dns/sandbox-publisher.ts';
import { createSqliteSandboxRecords } from '../../adapters/dns/sqlite-sandbox.ts';
import { createSqliteEdgeMap, type SqliteEdgeMap } from '../../adapters/edge/sqlite-map.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { createFolderUploads, type FolderUploads } from '../../adapters/sites/folder-uploads.ts';
import { sweepDeployments } from '../../adapters/sites/sweep-folder.ts';
import { createMemoryMinuteCounter } from '../../adapters/store/memory/minute-counter.ts';
import { DATABASE_FILE } from '../../adapters/store/sqlite/database.ts';
import { setOutboxOpen } from '../../adapters/store/sqlite/outbox.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { firstPublisher } from '../../core/domains/first-publisher.ts';
import type { DomainStore, RecordPublisher } from '../../core/domains/ports.ts';
import type { DomainQueue } from '../../core/domains/queue.ts';
import type { UserStore } from '../../core/identity/ports.ts';
import type { NotificationOutbox, UsageSurvey } from '../../core/notifications/ports.ts';
import { removeFiles } from '../../core/projects/uploads.ts';
import type { SandboxRecords } from '../../core/sandbox/ports.ts';
import { type Platform, PlatformError } from '../platform.ts';
import { nameRules, type Settings, sandboxSuffix } from './settings.ts';

/** The sandbox's DNS. */
export interface Sandbox extends SandboxRecords {
  /** The suffix of all sandbox names. */
  readonly suffix: string;
}

export interface DataFolder extends Platform {
  readonly publisher: RecordPublisher;
  readonly domains: DomainStore & DomainQueue;
  readonly uploads: FolderUploads;
  readonly edge: SqliteEdgeMap;
  readonly users: UserStore;
  /** Closed, so that nothing is added, until the service opens it. */
  readonly outbox: NotificationOutbox;
  /** Opens the outbox, or closes and empties it. Holds for all processes, and until it is called again. */
  setOutboxOpen(isOpen: boolean): Promise<void>;
  readonly survey: UsageSurvey;
  /** Undefined if public DNS is used. */
  readonly sandbox: Sandbox | undefined;
  readonly settings: Settings;
  readonly database: DatabaseSync;
  /** Path of the database file. */
  readonly databaseFile: string;
  /** Whether the database responds. The cost does not depend on its size. */
  isResponding(): boolean;
  /** Removes files that no project needs, such as those of uploads that were given up. @param now milliseconds since 1970 */
  sweepFiles(now: number, isTimeLeft: () => boolean): Promise<void>;
}

/** Opens a data folder; creates it if it does not exist. @throws PlatformError if the folder can't be used */
export function openDataFolder(settings: Settings): DataFolder {
  const { dataFolder } = settings;
  try {
    const stores = openSqliteStores(dataFolder);
    const { database } = stores;
    const suffix = sandboxSuffix(settings);
    const uploads = createFolderUploads(dataFolder);
    return {
      ...stores,
      users: createSqliteUserStore(database),
      setOutboxOpen: (isOpen) => setOutboxOpen(database, isOpen),
      // The service is one process, and the command line makes no requests.
      userRequests: createMemoryMinuteCounter(),
      sites: createFolderSiteStore(dataFolder),
      uploads,
      edge: createSqliteEdgeMap(database),
      sandbox: suffix === undefined ? undefined : { suffix, ...createSqliteSandboxRecords(database) },
      publisher: firstPublisher([createSandboxPublisher(database, suffix)]),
      // Nothing to start: the service's timers find due domains in the database.
      workflow: { start: async () => {} },
      rules: nameRules(settings),
      settings,
      databaseFile: join(dataFolder, DATABASE_FILE),
      sweepFiles: async (now, isTimeLeft) => {
        try {
          await removeFiles({ ...stores, uploads }, now, isTimeLeft);
        } finally {
          await sweepDeployments(dataFolder, stores, now);
        }
      },
    };
  } catch (error) {
    throw new PlatformError(`PETSTORE_DATA: can't use ${dataFolder}: ${error instanceof Error ? error.message : error}`);
  }
}
