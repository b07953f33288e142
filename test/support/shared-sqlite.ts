// An adapter for everything that hosts share: the SQLite adapters on one folder, for several services in one process.

import { createSqliteAcmeOrders, createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createSqliteSandboxRecords } from '../../adapters/dns/sandbox.ts';
import { createSqliteEdgeMap, createSqliteOwnAddresses } from '../../adapters/edge/sqlite-edge.ts';
import { createSqliteFactors } from '../../adapters/identity/sqlite-factors.ts';
import { createSqliteProviderStore } from '../../adapters/identity/sqlite-provider.ts';
import { createSqliteSessions } from '../../adapters/identity/sqlite-sessions.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { createFolderSiteStore, createFolderUploads } from '../../adapters/sites/folder.ts';
import { createMemorySweepStore } from '../../adapters/store/memory/single-process.ts';
import { createSqliteOrderLimiter } from '../../adapters/store/sqlite/domains.ts';
import { createSqliteInstallationState, prepareCrowdedProjects } from '../../adapters/store/sqlite/installation.ts';
import { setOutboxOpen } from '../../adapters/store/sqlite/outbox.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { type AnyAdapter, SHARED_PORTS } from '../../platforms/adapters.ts';

const sweeps = createMemorySweepStore();
const keys = new Map<string, string>();
/** Which host has a domain. */
const claims = new Map<string, number>();
let hosts = 0;

/** Creates the adapter. */
export function sharedSqlite(folder: string): AnyAdapter {
  return {
    name: 'shared-sqlite',
    provides: [...SHARED_PORTS, 'pets', 'answers', 'sites', 'uploads'],
    open: async ({ clock, actor }) => {
      hosts += 1;
      const host = hosts;
      const stores = openSqliteStores(folder, { clock, actor });
      const { database, recordChange: record, domains, removals: fileRemovals } = stores;
      return {
        ports: {
          ...stores,
          fileRemovals,
          domainQueue: {
            queuedDomains: domains.queuedDomains,
            claim: async (id) => {
              if ((claims.get(id) ?? host) !== host) return false;
              claims.set(id, host);
              return true;
            },
            release: async (id) => void (claims.get(id) === host && claims.delete(id)),
          },
          sweeps,
          orderLimiter: createSqliteOrderLimiter(database),
          users: createSqliteUserStore(database, record),
          factors: createSqliteFactors(database, record),
          sessions: createSqliteSessions(database, { dashboard: 'dashboard', clock, record }),
          signIns: createSqliteProviderStore(database),
          edgeMap: createSqliteEdgeMap(database),
          ownAddresses: createSqliteOwnAddresses(database),
          certificates: createSqliteVault(database),
          acmeOrders: createSqliteAcmeOrders(database),
          sandboxRecords: createSqliteSandboxRecords(database, record),
          installation: {
            keys: async (name, fresh) => {
              if (fresh !== undefined && !keys.has(name)) keys.set(name, fresh);
              return keys.get(name);
            },
            setOutboxOpen: (isOpen) => setOutboxOpen(database, isOpen),
            crowdedProjects: async (most, after) => prepareCrowdedProjects(database, most)(after),
            removeExpired: stores.removeExpired,
            ...createSqliteInstallationState(database),
          },
          sites: createFolderSiteStore(folder),
          uploads: createFolderUploads(folder),
        },
        close: async () => stores.close(),
      };
    },
  };
}
