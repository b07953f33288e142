// Starts the edge, the sandbox's name server and the certificate authority for custom domains on one machine, and wires up the work on domains.

import { readFileSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
import type { TxtPublisher } from '../../adapters/certificates/acme.ts';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { createDnsLookup } from '../../adapters/dns/lookup.ts';
import { type SandboxServer, startSandboxServer } from '../../adapters/dns/sandbox-server.ts';
import { createOwnAddresses, type OwnAddresses } from '../../adapters/edge/own-addresses.ts';
import { type EdgeServer, startEdgeServer } from '../../adapters/edge/server.ts';
import type { EdgeObserver, VisitLogger } from '../../adapters/edge/visits.ts';
import { ROOT_FILE } from '../../adapters/files/data-folder.ts';
import { createKeptForms } from '../../adapters/sites/kept-forms.ts';
import { OPERATOR } from '../../core/access/account.ts';
import type { AcmeOrders, CertificateVault } from '../../core/domains/certificate-ports.ts';
import { AuthoritySilent, type CertificateAuthority, type RecordPublisher, type ZoneInspector } from '../../core/domains/ports.ts';
import type { DomainQueue, SweepStore } from '../../core/domains/queue.ts';
import { createZoneInspector } from '../../core/domains/records.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { trustNetworks } from '../../core/http/forwarded.ts';
import type { Changes } from '../../core/ports.ts';
import { messageOf } from '../platform.ts';
import { VERSION } from '../version.ts';
import type { DataFolder } from './folder.ts';
import { platformHost, type Settings } from './settings.ts';

const CERTIFICATE_CHECK_MS = 60_000;

export interface EmbeddedDomains {
  readonly work: DomainWork & { readonly domains: DomainQueue; readonly sweeps: SweepStore };
  readonly inspector: ZoneInspector;
  /** The listeners' addresses, as text for operators. */
  readonly description: string;
  readonly httpsPort: number;
  /** Removes certificates of deleted projects' own addresses. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export interface DomainOptions {
  /** Serves a connection to the platform's own name. */
  readonly adopt: (socket: TLSSocket) => void;
  /** Counts the edge's requests. @default they are not counted */
  readonly observer?: EdgeObserver | undefined;
  /** Called with a line for each visit to a project that has turned on logging. @default no visits are logged */
  readonly logVisit?: VisitLogger | undefined;
  /** Called with a one-line warning for operators. */
  readonly warn: (message: string) => void;
  readonly onFault: (error: unknown) => void;
  /** @default changes are never stopped */
  readonly changes?: Changes | undefined;
  /** The settled clock, in milliseconds since 1970. */
  readonly clock: () => number;
  /** The machine's clock, for the log of visits, in milliseconds since 1970. */
  readonly visitClock: () => number;
}

/** Starts all listeners. If a port is unavailable, rejects with a message for operators and leaves nothing running. */
export async function startDomains(
  folder: DataFolder,
  { adopt, observer, logVisit, warn, onFault, changes, clock, visitClock }: DomainOptions,
): Promise<EmbeddedDomains> {
  const { settings, projects, sites, certificates: vault, acmeOrders: orders } = folder;
  const { edge: at, dns } = settings;
  const txt = await txtPublisher(folder.publisher, at.name);
  const authority = await createAuthority(settings, orders, vault, { txt, warn, clock });
  // Orders from the development authority are not limited.
  const limiter = settings.acme === undefined ? undefined : folder.orderLimiter;
  const host = platformHost(settings);
  const own = createOwnAddresses({
    store: folder.ownAddresses,
    edgeHost: at.name,
    platformHost: host,
    authority,
    vault,
    orders: limiter,
    clock,
    warn,
    onFault,
    changes,
    hasWildcard: settings.acme !== undefined && txt !== undefined,
  });
  const edge = await startEdgeServer({
    ...at,
    descriptors: { http: settings.sockets['edge-http'], https: settings.sockets['edge-https'] },
    own,
    platform: host === undefined ? undefined : { host, adopt },
    publicHttpsPort: at.proxyProtocol ? publicHttpsPort(settings) : undefined,
    isProxy: at.proxyProtocol ? trustNetworks(settings.trustedProxies) : undefined,
    observer,
    logVisit,
    map: folder.edge,
    vault,
    sites,
    forms: createKeptForms(settings.dataFolder, { clock: visitClock, onFault }),
    challenge: orders.challenge,
    onFault,
    clock: visitClock,
    onLimit: (message) => warn(`custom domains: ${message}`),
  }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`PETSTORE_EDGE_HTTP_PORT, PETSTORE_EDGE_HTTPS_PORT: can't listen on ${at.host}: ${error.message}; choose other ports`);
  });
  const sandbox = await startSandbox(folder).catch(async (error) => {
    await edge.stop();
    throw error;
  });
  const endRenewal = host === undefined ? () => {} : keepCertificate(host, own, { warn, onFault });
  const recursives = dns.kind === 'real' ? dns.servers : sandbox === undefined ? [] : [sandbox];
  const authoritativePort = dns.kind === 'real' ? dns.authoritativePort : (sandbox?.port ?? 53);
  // The sandbox's name server runs on this machine.
  const privateNetworks = dns.kind === 'real' ? dns.privateNetworks : true;
  const lookup = createDnsLookup({ recursives, authoritativePort, privateNetworks });
  return {
    inspector: createZoneInspector(lookup, folder.publisher),
    work: {
      domains: folder.domains,
      projects,
      accounts: folder.accounts,
      sweeps: folder.sweeps,
      dns: lookup,
      authority,
      edge: edge.edge,
      edgeHost: at.name,
      publisher: folder.publisher,
      rules: async () => folder.rules,
      orders: limiter,
      warn,
      clock,
    },
    description: describe(edge, sandbox, settings),
    httpsPort: edge.httpsPort,
    sweep: own.forgetUnused,
    stop: async () => {
      endRenewal();
      await Promise.all([edge.stop(), sandbox?.stop()]);
    },
  };
}

/** How long a record for a certificate authority may be cached, in seconds. */
const CHALLENGE_TTL = 60;

/** Returns a publisher of TXT records below the edge's name; undefined if no provider manages its zone for the operator. */
async function txtPublisher(publisher: RecordPublisher, edgeName: string): Promise<TxtPublisher | undefined> {
  if (!(await publisher.manages(OPERATOR, edgeName).catch(() => false))) return undefined;
  const record = (name: string, value: string) => [{ type: 'TXT', name, value, ttl: CHALLENGE_TTL } as const];
  return {
    set: async (name, value) => {
      const result = await publisher.publish(OPERATOR, edgeName, record(name, value));
      if (result.kind !== 'published') throw new AuthoritySilent(`the record ${name} could not be set (${result.kind})`);
    },
    unset: (name, value) => publisher.withdraw(OPERATOR, edgeName, record(name, value)),
  };
}

/** Returns the proxy's port for HTTPS. */
function publicHttpsPort({ publicUrl }: Pick<Settings, 'publicUrl'>): number {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  return url?.protocol === 'https:' && url.port !== '' ? Number(url.port) : 443;
}

/** Requests and renews the platform's certificate. @param warn called once for each period without it @returns a function that stops this */
function keepCertificate(host: string, own: OwnAddresses, { warn, onFault }: Pick<DomainOptions, 'warn' | 'onFault'>): () => void {
  let isWarned = false;
  const look = () =>
    own.certificateFor(host).then((certificate) => {
      if (certificate === undefined && !isWarned)
        warn(`PETSTORE_URL: no certificate for ${host} yet; the name must point to this machine, and ports 80 and 443 to the edge; trying again`);
      isWarned = certificate === undefined;
    }, onFault);
  void look();
  const timer = setInterval(look, CERTIFICATE_CHECK_MS);
  return () => clearInterval(timer);
}

async function createAuthority(
  { acme, dataFolder }: Pick<Settings, 'acme' | 'dataFolder'>,
  orders: AcmeOrders,
  vault: CertificateVault,
  { txt, warn, clock }: Pick<DomainOptions, 'warn' | 'clock'> & { readonly txt: TxtPublisher | undefined },
): Promise<CertificateAuthority> {
  if (acme === undefined) return createDevelopmentAuthority(dataFolder, vault, clock);
  const { directory, caFile, issuerNames } = acme;
  // Loaded only if needed, because the client takes as long to load as everything else combined.
  const { createAcmeAuthority } = await import('../../adapters/certificates/acme.ts');
  const extraRoot = caFile === undefined ? undefined : readRoot(caFile);
  return createAcmeAuthority({ directory, issuerNames, orders, vault, txt, warn, clock, extraRoot, version: VERSION });
}

function readRoot(caFile: string): string {
  try {
    return readFileSync(caFile, 'utf8');
  } catch (error) {
    throw new Error(`PETSTORE_ACME_CA_FILE: can't read ${caFile}: ${messageOf(error)}`);
  }
}

async function startSandbox({ sandbox, settings: { dns, edge } }: Pick<DataFolder, 'sandbox' | 'settings'>): Promise<SandboxServer | undefined> {
  if (dns.kind === 'real' || sandbox === undefined) return undefined;
  return startSandboxServer({
    host: '127.0.0.1',
    port: dns.port,
    suffix: dns.suffix,
    records: sandbox.inZone,
    edge: { host: edge.name, address: edge.host },
  }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`PETSTORE_SANDBOX_DNS_PORT: can't listen on 127.0.0.1: ${error.message}; choose another port`);
  });
}

function describe(
  edge: EdgeServer,
  sandbox: SandboxServer | undefined,
  { edge: { host }, dataFolder, acme }: Pick<Settings, 'edge' | 'dataFolder' | 'acme'>,
): string {
  const dns = sandbox === undefined ? '' : `, sandbox DNS at ${sandbox.address}:${sandbox.port}`;
  const from = acme === undefined ? `${dataFolder}/${ROOT_FILE}` : acme.directory;
  return `https://${host}:${edge.httpsPort} and http://${host}:${edge.httpPort}${dns} (certificates of ${from})`;
}
