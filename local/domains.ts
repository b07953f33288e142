// Custom domains of the embedded service, put together: the edge, the sandbox's name server or the world's, the authority, the timers.

import { readFileSync } from 'node:fs';
import type { Logger } from '@aws-lambda-powertools/logger';
import { type AcmeOrders, createSqliteAcmeOrders } from '../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority, ROOT_FILE } from '../adapters/certificates/development.ts';
import { type CertificateVault, createSqliteVault } from '../adapters/certificates/sqlite-vault.ts';
import { createDnsLookup } from '../adapters/dns/lookup.ts';
import { createSandboxPublisher } from '../adapters/dns/sandbox-publisher.ts';
import { type SandboxServer, startSandboxServer } from '../adapters/dns/sandbox-server.ts';
import { createSqliteSandboxRecords } from '../adapters/dns/sqlite-sandbox.ts';
import { type EdgeServer, startEdgeServer } from '../adapters/edge/server.ts';
import { createSqliteEdgeMap } from '../adapters/edge/sqlite-map.ts';
import { createFolderSiteStore } from '../adapters/sites/folder.ts';
import type { SqliteStores } from '../adapters/store/sqlite/stores.ts';
import { withdrawRecords } from '../core/domains/actions.ts';
import type { CertificateAuthority } from '../core/ports.ts';
import { startDomainTimers } from './domain-timers.ts';
import { nameRules, type Settings, sandboxSuffix } from './settings.ts';

export interface RunningDomains {
  /** Where what listens, for people. */
  readonly description: string;
  readonly httpsPort: number;
  stop(): Promise<void>;
}

/** Rejects with a message for people if a port can't be had; nothing listens then. */
export async function startDomains(
  stores: SqliteStores,
  settings: Settings,
  logger: Pick<Logger, 'warn'>,
  onFault: (error: unknown) => void,
): Promise<RunningDomains> {
  const { edge: at, dataFolder } = settings;
  const vault = createSqliteVault(stores.database);
  const orders = createSqliteAcmeOrders(stores.database);
  const edge = await startEdgeServer({
    ...at,
    map: createSqliteEdgeMap(stores.database),
    vault,
    projects: stores.projects,
    sites: createFolderSiteStore(dataFolder),
    challenge: orders.challenge,
    onFault,
    clock: Date.now,
    onLimit: (message) => logger.warn(`custom domains: ${message}`),
  }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`PETSTORE_EDGE_HTTP_PORT, PETSTORE_EDGE_HTTPS_PORT: can't listen on ${at.host}: ${error.message}; choose other ports`);
  });
  const sandbox = await startSandbox(stores, settings).catch(async (error) => {
    await edge.stop();
    throw error;
  });
  const recursives = settings.dns.kind === 'real' ? settings.dns.servers : sandbox === undefined ? [] : [sandbox];
  const authoritativePort = settings.dns.kind === 'real' ? settings.dns.authoritativePort : (sandbox?.port ?? 53);
  // The sandbox's own server is on this machine.
  const privateNetworks = settings.dns.kind === 'real' ? settings.dns.privateNetworks : true;
  const publisher = createSandboxPublisher(stores.database, sandboxSuffix(settings));
  const timers = startDomainTimers(
    {
      domains: stores.domains,
      projects: stores.projects,
      accounts: stores.accounts,
      dns: createDnsLookup({ recursives, authoritativePort, privateNetworks }),
      authority: await createAuthority(settings, orders, vault),
      edge: edge.edge,
      edgeHost: at.name,
      withdraw: (domain, project) => withdrawRecords(publisher, project, domain, nameRules(settings)),
      warn: (message) => logger.warn(message),
      clock: Date.now,
    },
    onFault,
  );
  return {
    description: describe(edge, sandbox, settings),
    httpsPort: edge.httpsPort,
    stop: async () => {
      await timers.stop();
      await Promise.all([edge.stop(), sandbox?.stop()]);
    },
  };
}

async function createAuthority({ acme, dataFolder }: Settings, orders: AcmeOrders, vault: CertificateVault): Promise<CertificateAuthority> {
  if (acme === undefined) return createDevelopmentAuthority(dataFolder, vault, Date.now);
  const { directory, caFile, issuerNames } = acme;
  // Loaded only where it is used: the client takes as long to load as all the rest.
  const { createAcmeAuthority } = await import('../adapters/certificates/acme.ts');
  try {
    return await createAcmeAuthority({
      directory,
      issuerNames,
      orders,
      vault,
      clock: Date.now,
      extraRoot: caFile === undefined ? undefined : readFileSync(caFile, 'utf8'),
    });
  } catch (error) {
    throw new Error(`PETSTORE_ACME_CA_FILE: can't read ${caFile}: ${error instanceof Error ? error.message : error}`);
  }
}

async function startSandbox(stores: SqliteStores, { dns, edge }: Settings): Promise<SandboxServer | undefined> {
  if (dns.kind === 'real') return undefined;
  const records = createSqliteSandboxRecords(stores.database);
  return startSandboxServer({
    host: '127.0.0.1',
    port: dns.port,
    suffix: dns.suffix,
    records: records.inZone,
    edge: { host: edge.name, address: edge.host },
  }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`PETSTORE_SANDBOX_DNS_PORT: can't listen on 127.0.0.1: ${error.message}; choose another port`);
  });
}

function describe(edge: EdgeServer, sandbox: SandboxServer | undefined, { edge: { host }, dataFolder, acme }: Settings): string {
  const dns = sandbox === undefined ? '' : `, sandbox DNS at ${sandbox.address}:${sandbox.port}`;
  const from = acme === undefined ? `${dataFolder}/${ROOT_FILE}` : acme.directory;
  return `https://${host}:${edge.httpsPort} and http://${host}:${edge.httpPort}${dns} (certificates of ${from})`;
}
