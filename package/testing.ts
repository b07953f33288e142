// `petstore-platform/testing`: the contract suites of all ports, for adapter authors, with the types that they need. Each suite is called with
// the runner's function that declares a test, with a function that returns the adapter, and with options:
//
//     petStoreContract(test, async () => createExampleStore(), { name: 'Example' });
//
// Needs the packages `expect` and `fast-check`. docs/decisions/0021-package.md has the reasons.

import '../platforms/node-version.ts';

export { type AccountStoreGap, type AccountStoreWorld, accountStoreContract } from '../testing/account-store.ts';
export { type AcmeOrdersWorld, acmeOrdersContract } from '../testing/acme-orders.ts';
export { addressBookContract } from '../testing/address-book.ts';
export { type AdmissionModelOptions, admissionModelProperty } from '../testing/admission-model.ts';
export { type AnswerStoreWorld, answerStoreContract } from '../testing/answer-store.ts';
export { type AuditWorld, auditLogContract } from '../testing/audit-log.ts';
export { type AuthorityWorld, type CertificateAuthorityGap, certificateAuthorityContract } from '../testing/certificate-authority.ts';
export { certificateVaultContract } from '../testing/certificate-vault.ts';
export { deployTokenStoreContract } from '../testing/deploy-token-store.ts';
export { type DnsLookupGap, type DnsRecord, type DnsWorld, dnsLookupContract } from '../testing/dns-lookup.ts';
export { type DomainQueueWorld, domainQueueContract } from '../testing/domain-queue.ts';
export { type DomainStoreWorld, domainStoreContract } from '../testing/domain-store.ts';
export { type DomainWorkflowGap, domainWorkflowContract, type WorkflowWorld } from '../testing/domain-workflow.ts';
export { type EdgeWorld, edgeContract } from '../testing/edge.ts';
export { type Answer as EdgeAnswer, type EdgeMapGap, type EdgeMapWorld, edgeMapContract } from '../testing/edge-map.ts';
export { factorStoreContract } from '../testing/factor-store.ts';
export { fileRemovalStoreContract } from '../testing/file-removal-store.ts';
export { type InstallationWorld, installationStoreContract } from '../testing/installation-store.ts';
export { type InvitationStoreWorld, invitationStoreContract } from '../testing/invitation-store.ts';
export { type LeaseStoreOptions, type LeaseStoreWorld, leaseStoreContract } from '../testing/lease-store.ts';
export { type MailWorld, mailerContract, type ReceivedMail, SAMPLE_MESSAGE } from '../testing/mailer.ts';
export { type MemberStoreWorld, memberStoreContract } from '../testing/member-store.ts';
export { minuteCounterContract } from '../testing/minute-counter.ts';
export { notificationOutboxContract } from '../testing/notification-outbox.ts';
export { notificationSettingsContract } from '../testing/notification-settings.ts';
export { type NotificationsWorld, notificationsOfChangesContract } from '../testing/notifications-of-changes.ts';
export { orderLimiterContract } from '../testing/order-limiter.ts';
export { type OwnAddressWorld, ownAddressStoreContract } from '../testing/own-address-store.ts';
export { petStoreContract } from '../testing/pet-store.ts';
export { type ProjectStoreWorld, projectStoreContract } from '../testing/project-store.ts';
export { makeProject, sampleProject } from '../testing/projects.ts';
export { providerStoreContract } from '../testing/provider-store.ts';
export { type PublisherWorld, recordPublisherContract } from '../testing/record-publisher.ts';
export { recordStoreContract } from '../testing/record-store.ts';
export { NOON, sampleAccount, sampleKey, samplePet } from '../testing/samples.ts';
export { sandboxRecordsContract } from '../testing/sandbox-records.ts';
export { type ServedMapWorld, servedMapContract } from '../testing/served-map.ts';
export { type SessionWorld, sessionEnderContract } from '../testing/session-ender.ts';
export { type SessionStoreWorld, sessionStoreContract } from '../testing/session-store.ts';
export { siteStoreContract } from '../testing/site-store.ts';
export { type AllStores, type StoreFaultOptions, storeFaultContract } from '../testing/store-faults.ts';
export { type AccessStores, allPages, type Make, makeAccount, type SuiteOptions, type TestFunction } from '../testing/suite.ts';
export { sweepStoreContract } from '../testing/sweep-store.ts';
export { type UploadWorld, uploadStoreContract } from '../testing/upload-store.ts';
export {
  type HistoryWrites,
  type UsageHistoryOptions,
  type UsageProcess,
  type UsageProcesses,
  usageHistoryContract,
} from '../testing/usage-history.ts';
export { type UsageStoreGap, usageStoreContract } from '../testing/usage-store.ts';
export { type UsageSurveyWorld, usageSurveyContract } from '../testing/usage-survey.ts';
export { type UserWorld, userStoreContract } from '../testing/user-store.ts';
export { type InspectorWorld, zoneInspectorContract } from '../testing/zone-inspector.ts';
