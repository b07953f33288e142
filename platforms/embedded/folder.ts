// The platform on one machine: a data folder with the database and files. The service and the command line open the same folder.

import { join, resolve } from 'node:path';
import { createSqliteAcmeOrders, createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createSandboxPublisher, createSqliteSandboxRecords } from '../../adapters/dns/sandbox.ts';
import { createSqliteEdgeMap, createSqliteOwnAddresses } from '../../adapters/edge/sqlite-edge.ts';
import { DATABASE_FILE } from '../../adapters/files/data-folder.ts';
import { newPasswordProblem } from '../../adapters/identity/passwords.ts';
import { createSqliteFactors } from '../../adapters/identity/sqlite-factors.ts';
import { createSqliteProviderStore } from '../../adapters/identity/sqlite-provider.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { createFolderSiteStore, createFolderUploads, type FolderUploads } from '../../adapters/sites/folder.ts';
import { createMemoryMinuteCounter, createMemorySweepStore } from '../../adapters/store/memory/single-process.ts';
import type { AuditOptions } from '../../adapters/store/sqlite/audit.ts';
import { hasNoInstallation } from '../../adapters/store/sqlite/database.ts';
import { createSqliteOrderLimiter } from '../../adapters/store/sqlite/domains.ts';
import { createSqliteInstallationState, prepareCrowdedProjects } from '../../adapters/store/sqlite/installation.ts';
import { setOutboxOpen } from '../../adapters/store/sqlite/outbox.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { Actor } from '../../core/audit/entry.ts';
import type { AuditLog } from '../../core/audit/ports.ts';
import type { DomainStore, RecordPublisher } from '../../core/domains/ports.ts';
import type { DomainQueue } from '../../core/domains/queue.ts';
import { firstPublisher } from '../../core/domains/records.ts';
import type { ServedMap } from '../../core/domains/served.ts';
import type { ProviderSessions } from '../../core/identity/ports.ts';
import type { Mailer, UsageSurvey } from '../../core/notifications/ports.ts';
import type { InstallationState } from '../../core/ports.ts';
import { DEPLOYMENTS_KEPT } from '../../core/publishing/kept-deployments.ts';
import type { AdapterPorts } from '../adapters.ts';
import { type Platform, PlatformError, type Sandbox } from '../platform.ts';
import { beginChanges, stopText } from './changes.ts';
import { NO_ADAPTERS, type OpenedAdapters, openAdapters, type Providers } from './configuration.ts';
import { type FolderLock, lockFolder, unusable } from './folder-lock.ts';
import { foreignAccounts } from './foreign-accounts.ts';
import { nameRules, type Settings, sandboxSuffix } from './settings.ts';
import { shareKeys } from './shared-keys.ts';
import { sweepFiles } from './sweep-files.ts';

/** The ports that the database provides, and that adapters may replace. */
type Provided = Pick<AdapterPorts, 'ownAddresses' | 'certificates' | 'acmeOrders' | 'orderLimiter' | 'sweeps' | 'users' | 'factors' | 'signIns'> &
  Pick<SqliteStores, 'survey' | 'outbox' | 'recordChange' | 'database' | 'isResponding' | 'setReadOnly' | 'removeExpired'>;

export interface DataFolder extends Platform, Provided {
  readonly publisher: RecordPublisher;
  readonly domains: DomainStore & DomainQueue;
  readonly uploads: FolderUploads;
  readonly audit: AuditLog;
  readonly edge: ServedMap;
  /** An adapter's sessions. @default undefined: the sessions in the database are used */
  readonly sessions: ProviderSessions | undefined;
  /** Returns what is wrong with a new password, worded to follow "this password"; undefined if it may be used. */
  readonly newPasswordProblem: (password: string, email: string) => string | undefined;
  /** Opens the outbox, or closes and empties it, for all processes, until the next call. A new outbox is closed: nothing is added. */
  setOutboxOpen(isOpen: boolean): Promise<void>;
  /** An adapter that replaces the SMTP server for sending messages. @default none */
  readonly mailer: Mailer | undefined;
  /** The adapters' names, by port. */
  readonly providers: Providers;
  /** Whether an adapter stores the data that hosts share. This folder then has only files, caches and the settled time. */
  readonly isShared: boolean;
  /** The state that metrics and the health check report about the installation. */
  readonly state: InstallationState;
  /** The sandbox; undefined if public DNS is used. */
  readonly sandbox: Sandbox | undefined;
  readonly settings: Settings;
  /** Path of the database file. */
  readonly databaseFile: string;
  /** Removes old deployments, and files that no project needs, such as those of abandoned uploads. @param now milliseconds since 1970 */
  sweepFiles(now: number, isTimeLeft: () => boolean): Promise<void>;
}

/**
 * Opens an installation's data folder with the configuration's adapters. @param clock milliseconds since 1970 @param actor who makes the changes
 * @throws PlatformError if there is no installation (only the service creates one), or the folder, the configuration or an adapter can't be used
 */
export async function openConfigured(settings: Settings, clock: () => number, actor: () => Actor): Promise<DataFolder> {
  const adapters = await openAdapters(settings, clock, undefined, actor);
  try {
    if (adapters.ports.accounts === undefined) refuseElsewhere(settings.dataFolder);
    return takingPart(openDataFolder(settings, adapters, { clock, actor }));
  } catch (error) {
    await adapters.close();
    throw error;
  }
}

/** Opens a folder for reading and writing, or only for reading while changes are stopped. */
function takingPart(folder: DataFolder): DataFolder {
  const { isShared, sites, settings, close } = folder;
  if (isShared) return folder;
  const end = beginChanges(settings.dataFolder, 'shared');
  if (end !== undefined)
    return {
      ...folder,
      close: async () => {
        await close();
        end();
      },
    };
  folder.setReadOnly(true);
  const put = () => Promise.reject(new PlatformError(stopText(settings.dataFolder)));
  return { ...folder, sites: { ...sites, put } };
}

/** Refuses a folder without an installation: a command in the wrong folder must not create another installation. */
function refuseElsewhere(folder: string): void {
  if (hasNoInstallation(folder))
    throw new PlatformError(
      `PETSTORE_DATA: there is no installation in ${resolve(folder)}; name the folder of one, or start the service there once, which creates one`,
    );
}

/**
 * Opens the data folder for the service, and keeps other services out. @param clock milliseconds since 1970 @param actor who makes the changes
 * @throws PlatformError if the folder, the configuration or an adapter can't be used, or another service is using the folder
 */
export async function openForService(
  settings: Settings,
  clock: () => number,
  actor: () => Actor,
): Promise<DataFolder & Pick<FolderLock, 'announce'>> {
  const adapters = await openAdapters(settings, clock, undefined, actor);
  let lock: FolderLock | undefined;
  try {
    lock = lockFolder(settings.dataFolder, 'main');
    const { announce, release } = lock;
    const folder = openDataFolder(settings, adapters, { clock, actor });
    const { installation } = adapters.ports;
    try {
      if (installation !== undefined) await shareKeys(settings.dataFolder, installation, clock());
    } catch (error) {
      await folder.close();
      throw error;
    }
    const close = async () => {
      await folder.close();
      release();
    };
    return { ...folder, announce, close };
  } catch (error) {
    lock?.release();
    await adapters.close();
    throw error;
  }
}

/** Finds no accounts, because a store that counts requests elsewhere is not surveyed. */
const NO_SURVEY: UsageSurvey = { usagePage: async () => ({ items: [], next: undefined }) };

/**
 * Opens a data folder; creates it if it does not exist. @param audit how changes are recorded @throws PlatformError if the folder can't be used
 * @param adapters replacements for embedded stores; closed with the folder. @default none
 */
export function openDataFolder(settings: Settings, adapters: OpenedAdapters = NO_ADAPTERS, audit: AuditOptions = {}): DataFolder {
  const { dataFolder } = settings;
  const { ports } = adapters;
  try {
    const embedded = openSqliteStores(dataFolder, { accountsElsewhere: ports.accounts !== undefined, ...audit });
    const stores = withPorts(embedded, ports);
    const { database, recordChange } = stores;
    const suffix = sandboxSuffix(settings);
    const uploads = (ports.uploads as FolderUploads | undefined) ?? createFolderUploads(dataFolder);
    const edge = ports.edgeMap ?? createSqliteEdgeMap(database);
    const records = ports.sandboxRecords ?? createSqliteSandboxRecords(database, recordChange);
    const crowded = prepareCrowdedProjects(database, DEPLOYMENTS_KEPT);
    const { installation } = ports;
    return {
      ...stores,
      users: ports.users ?? createSqliteUserStore(database, recordChange),
      factors: ports.factors ?? createSqliteFactors(database, recordChange),
      signIns: ports.signIns ?? createSqliteProviderStore(database),
      // When an adapter was loaded, it was checked for every method in PORT_METHODS.
      sessions: ports.sessions as ProviderSessions | undefined,
      ownAddresses: ports.ownAddresses ?? createSqliteOwnAddresses(database),
      certificates: ports.certificates ?? createSqliteVault(database),
      acmeOrders: ports.acmeOrders ?? createSqliteAcmeOrders(database),
      orderLimiter: ports.orderLimiter ?? createSqliteOrderLimiter(database),
      sweeps: ports.sweeps ?? createMemorySweepStore(),
      isShared: installation !== undefined,
      state: installation ?? createSqliteInstallationState(database),
      newPasswordProblem,
      setOutboxOpen: (isOpen) => (installation === undefined ? setOutboxOpen(database, isOpen) : installation.setOutboxOpen(isOpen)),
      removeExpired: (now, isTimeLeft) => (installation ?? embedded).removeExpired(now, isTimeLeft),
      // Memory is enough: the service is one process, and the command line makes no requests.
      userRequests: ports.userRequests ?? createMemoryMinuteCounter(),
      mailer: ports.mailer,
      providers: adapters.providers,
      sites: ports.sites ?? createFolderSiteStore(dataFolder),
      uploads,
      edge,
      sandbox: suffix === undefined ? undefined : { suffix, ...records },
      publisher: firstPublisher([...(ports.recordPublisher === undefined ? [] : [ports.recordPublisher]), createSandboxPublisher(records, suffix)]),
      // Nothing to start: the service's timers find due domains in the database.
      workflow: { start: async () => {} },
      rules: nameRules(settings),
      settings,
      databaseFile: join(dataFolder, DATABASE_FILE),
      sweepFiles: (now, isTimeLeft) => {
        const crowdedProjects = async (after?: string) =>
          installation === undefined ? crowded(after) : installation.crowdedProjects(DEPLOYMENTS_KEPT, after);
        return sweepFiles({ ...stores, dataFolder, uploads, edge, crowdedProjects }, now, isTimeLeft);
      },
      close: async () => {
        embedded.close();
        await adapters.close();
      },
    };
  } catch (error) {
    throw unusable(dataFolder, error);
  }
}

/** Returns the embedded stores, except for those that adapters provide. */
function withPorts(embedded: SqliteStores, ports: Partial<AdapterPorts>): SqliteStores {
  const { accounts, usage, usageSurvey, fileRemovals, domains, domainQueue } = ports;
  const names = ['pets', 'answers', 'leases', 'members', 'invitations', 'deployTokens', 'projects', 'audit', 'outbox'] as const;
  const provided = [...names, 'notificationSettings' as const].filter((name) => ports[name] !== undefined);
  return {
    ...embedded,
    ...Object.fromEntries(provided.map((name) => [name, ports[name]])),
    ...(fileRemovals !== undefined && { removals: fileRemovals }),
    ...(domains !== undefined && domainQueue !== undefined && { domains: { ...domains, ...domainQueue } }),
    ...(accounts !== undefined &&
      usage !== undefined && {
        // An adapter for the whole platform adds notifications and audit log entries itself, in the same step as the change.
        accounts: ports.audit === undefined ? foreignAccounts(accounts, embedded) : accounts,
        usage,
        survey: usageSurvey ?? NO_SURVEY,
      }),
  };
}
