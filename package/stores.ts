// `petstore-platform/stores`: the rules that all stores of the platform follow, for adapters that several hosts share. docs/adapters.md lists the
// ports; examples are the package petstore-postgres and the repository's SQLite adapters.

import '../platforms/node-version.ts';

export { createOidcStorage, DASHBOARD, digestOf, type OidcStorageOptions } from '../adapters/identity/oidc-storage.ts';
export { checkPassword, hashPassword, PASSWORD_COST, type PasswordCost } from '../adapters/identity/passwords.ts';
export { EXPIRED_KEY_KEPT_MS } from '../core/access/account.ts';
export type { DeployToken } from '../core/access/deploy-token.ts';
export { EXPIRED_TOKEN_KEPT_MS } from '../core/access/deploy-tokens.ts';
export { type Invitation, sendersOf } from '../core/access/invitation.ts';
export { isLastOwner, type Role } from '../core/access/plans.ts';
// The audit log: the entry for each change.
export {
  accountCreated,
  accountDeleted,
  accountRenamed,
  deploymentChanged,
  deployTokenChanged,
  domainAdded,
  domainStateSet,
  filesRemoved,
  invitationChanged,
  keyChanged,
  keyExpirySet,
  keyIssued,
  keySet,
  memberAdded,
  memberRemoved,
  memberRoleSet,
  planRequestSet,
  planSet,
  projectConfigured,
  projectCreated,
  projectDeleted,
  projectRenamed,
  type SignInEvent,
  sandboxRecordChanged,
  secondFactorSet,
  sessionEnded,
  signInEvent,
  suspensionSet,
  userChanged,
} from '../core/audit/changes.ts';
export { type Actor, AUDIT_KEPT_MS, type AuditAction, type AuditEntry, auditIdsFrom, type Change, createAuditor } from '../core/audit/entry.ts';
export type { AuditLog, AuditQuery } from '../core/audit/ports.ts';
export type { Share } from '../core/bulkhead.ts';
// Domains, certificates and the edge.
export type {
  AcmeOrders,
  CertificateVault,
  StoredAccount,
  StoredCertificate,
  StoredOrder,
  StoredRenewal,
} from '../core/domains/certificate-ports.ts';
export type { DomainConfiguration } from '../core/domains/configuration.ts';
export type { AttemptFailure } from '../core/domains/domain.ts';
export { type Taken, takeToken } from '../core/domains/order-budget.ts';
export type { OrderBucket, OrderLimiter } from '../core/domains/ports.ts';
export { duePage, isTaken, parseDuePosition, type SweepName, type SweepProgress } from '../core/domains/queue.ts';
export type { EdgeEntry, OwnAddressStore, ServedMap, Shown } from '../core/domains/served.ts';
export { countDomains, type DomainCounts, isProved, isWaitedFor, nextCheckAt } from '../core/domains/states.ts';
// Signing in.
export { type FactorStore, type Factors, MOST_PASSKEYS, type Passkey } from '../core/identity/factors.ts';
export type { ProviderRecord, ProviderSessions, ProviderStore, SignInRecord } from '../core/identity/ports.ts';
export { domainNotification } from '../core/notifications/domain-notification.ts';
export { hasSameKinds } from '../core/notifications/notification.ts';
export { KEPT_MS, LONGEST_PAUSE_MS } from '../core/notifications/schedule.ts';
export { byAge } from '../core/page.ts';
export type { Awaitable, DueItems, InstallationStore, QueueName } from '../core/ports.ts';
// Projects and their files.
export { isSiteFile, type Manifest, type ManifestFile } from '../core/projects/manifest.ts';
export { type DeploymentName, type FileRemoval, MOST_DEPLOYMENTS_LISTED, type Received } from '../core/projects/ports.ts';
export { PROJECT_TOMBSTONE_MS } from '../core/projects/project.ts';
export { uploadPath } from '../core/projects/uploads.ts';
// What `petstore move` moves.
export { type ColumnType, RECORD_KINDS, type RecordKind, type RecordKindName, type RecordValue, type StoredRecord } from '../core/records/kinds.ts';
export type { RecordStore } from '../core/records/ports.ts';
export type { OwnedRecord, SandboxChange, StoredSandboxRecord } from '../core/sandbox/ports.ts';
export type { SandboxRecord } from '../core/sandbox/records.ts';
