// Everything that the hosts of one installation share, on one database.

import type { AdapterContext, AdapterPorts, DomainQueue, UploadStore } from 'petstore-platform';
import type { PasswordCost, ProviderSessions } from 'petstore-platform/stores';
import { createAccountStore } from './accounts.ts';
import { createAcmeOrders } from './acme-orders.ts';
import { createAuditLog } from './audit.ts';
import { createCertificateVault } from './certificates.ts';
import type { Database } from './database.ts';
import { createDeployTokenStore } from './deploy-tokens.ts';
import { createDomainQueue, createDomainStore } from './domains.ts';
import { createEdgeMap, createOwnAddressStore } from './edge-map.ts';
import { createFactorStore } from './factors.ts';
import { createFileRemovalStore } from './file-removals.ts';
import { createInstallationStore } from './installation.ts';
import { createInvitationStore } from './invitations.ts';
import type { Leases } from './leases.ts';
import { createLog } from './log.ts';
import { createMemberStore } from './members.ts';
import { createNotificationSettings, createOutbox } from './outbox.ts';
import { createProjectStore } from './projects.ts';
import { createRecordStore } from './records.ts';
import { createSandboxRecords } from './sandbox.ts';
import { createSessionStore } from './sessions.ts';
import { createSignInStore } from './sign-ins.ts';
import { createSiteStores } from './sites.ts';
import { createStores } from './stores.ts';
import { createOrderLimiter, createSweepStore } from './sweeps.ts';
import { createUserStore } from './users.ts';

/** The ports; the first six are the catalogue's. */
export const PLATFORM_PORTS = [
  ...(['pets', 'accounts', 'usage', 'usageSurvey', 'answers', 'userRequests'] as const),
  ...(['members', 'invitations', 'deployTokens', 'projects', 'fileRemovals', 'domains', 'domainQueue', 'sweeps', 'orderLimiter', 'audit'] as const),
  ...(['outbox', 'notificationSettings', 'users', 'factors', 'sessions', 'signIns', 'edgeMap', 'ownAddresses', 'certificates'] as const),
  ...(['acmeOrders', 'sandboxRecords', 'installation', 'sites', 'uploads', 'records'] as const),
] as const;

export type Platform = Pick<AdapterPorts, (typeof PLATFORM_PORTS)[number]> & {
  readonly domainQueue: Required<DomainQueue>;
  readonly sessions: ProviderSessions;
  readonly uploads: Required<UploadStore>;
};

/** Creates the stores for a host. @param database already migrated @param cost of hashing passwords: see `createUserStore` */
export function createPlatform(database: Database, context: AdapterContext, leases: Leases, cost?: PasswordCost): Platform {
  const log = createLog(context);
  return {
    ...createStores(database),
    accounts: createAccountStore(database, log),
    members: createMemberStore(database, log),
    invitations: createInvitationStore(database, log),
    deployTokens: createDeployTokenStore(database, log),
    projects: createProjectStore(database, log),
    fileRemovals: createFileRemovalStore(database, log),
    domains: createDomainStore(database, log),
    domainQueue: createDomainQueue(database, leases),
    sweeps: createSweepStore(database),
    orderLimiter: createOrderLimiter(database),
    audit: createAuditLog(database, log),
    outbox: createOutbox(database),
    notificationSettings: createNotificationSettings(database, log),
    users: createUserStore(database, log, cost),
    factors: createFactorStore(database, log),
    sessions: createSessionStore(database, log, context.clock),
    signIns: createSignInStore(database),
    edgeMap: createEdgeMap(database),
    ownAddresses: createOwnAddressStore(database),
    certificates: createCertificateVault(database),
    acmeOrders: createAcmeOrders(database, leases),
    sandboxRecords: createSandboxRecords(database, log),
    installation: createInstallationStore(database),
    records: createRecordStore(database),
    ...createSiteStores(database, context.dataFolder),
  };
}
