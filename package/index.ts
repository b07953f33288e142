// `petstore-platform`: the rules, the ports that adapters implement, and the configuration that names adapters. docs/package.md lists them with
// examples; a test keeps both in sync.

import '../platforms/node-version.ts';

// Accounts, keys and plans.
export {
  type Account,
  type KeyRecord,
  MAX_KEYS_PER_ACCOUNT,
  MAX_REVOKED_LISTED,
  OPERATOR,
  type PlanRequest,
  REVOKED_KEPT_MS,
  type Revocation,
  type RevokedKey,
} from '../core/access/account.ts';
export { type AccountPorts, createAccount } from '../core/access/accounts.ts';
export { type KeyMode, keyIdOf, type ParsedApiKey, parseApiKey } from '../core/access/api-key.ts';
export type { RandomBytes } from '../core/access/base62.ts';
export { type Issued, issueKey, type KeyRequest, revokeKey, rotateKey } from '../core/access/keys.ts';
export { type Limits, limitsOfPlan, PLAN_NAMES, PLANS, type Plan, type PlanName, planOf, SCOPES, type Scope } from '../core/access/plans.ts';
export type { AccountStore, DeployTokenStore, InvitationStore, Member, MemberStore, Membership } from '../core/access/ports.ts';
// Users, emails and answers.
export { ANSWER_KEPT_MS, type AnswerClaim, type AnswerStore, CLAIM_MS } from '../core/answers/ports.ts';
// Projects and domains.
export { type Domain, type DomainState, newDomain } from '../core/domains/domain.ts';
export {
  AuthoritySilent,
  type CertificateAuthority,
  type CertificateStatus,
  type CurrentPublication,
  type DnsLookup,
  type DomainStore,
  type DomainWorkflow,
  type Edge,
  EdgeFault,
  type EdgeMap,
  type MapEntry,
  NameInUse,
  type NeededRecord,
  type ProjectRef,
  type Publication,
  type PublishResult,
  type RecordPublisher,
  type ZoneInspector,
} from '../core/domains/ports.ts';
export type { DomainQueue, SweepStore } from '../core/domains/queue.ts';
export type { Session, SessionEnder, SessionStore, UserStore } from '../core/identity/ports.ts';
export type { User } from '../core/identity/user.ts';
// What every adapter shares.
export { type JsonResult, parseJson } from '../core/json.ts';
// Limits.
export { type AdmissionRequest, type Counters, increaseDay, increaseMinute } from '../core/limits/admit.ts';
export { type Ban, CLOCK_DIFFERENCE_MS, isForgotten, isInForce, isLiftable, lifted, replaces } from '../core/limits/ban.ts';
export { type AccountSnapshot, type Decision, decide, isCounted, type QuotaStatus, type QuotaStatuses, quotasOf } from '../core/limits/decide.ts';
export {
  finalCounters,
  type History,
  historyOf,
  hoursOf,
  merged,
  oldestShown,
  type PastWindow,
  type RefusalCounters,
  type WindowCounters,
} from '../core/limits/history.ts';
export { type Block, mayTake } from '../core/limits/lease.ts';
export type { LeaseGrant, LeaseStore, MinuteCounter, Usage, UsageStore } from '../core/limits/ports.ts';
export { DAY_MS, HOUR_MS, MINUTE_MS, type Windows, windowsAt } from '../core/limits/windows.ts';
export { type Message, unsubscribeHeaders } from '../core/notifications/layout.ts';
export type { Notification, NotificationKind } from '../core/notifications/notification.ts';
export {
  type AddressBook,
  type Mailer,
  MailRefusal,
  type NotificationOutbox,
  type NotificationSettings,
  type OutboxEntry,
  type UsageSurvey,
} from '../core/notifications/ports.ts';
export type { SurveyedUsage } from '../core/notifications/schedule.ts';
export { type Page, StalePage } from '../core/page.ts';
// Animals.
export { type FieldValue, type NewPet, PET_FIELD_LIST, PET_STATUSES, type PetField, type PetStatus } from '../core/pets/fields.ts';
export { MAX_PET_ID } from '../core/pets/id.ts';
export { type Pet, petFromStored, petJson } from '../core/pets/pet.ts';
export type { CreateResult, Creation, Idempotency, PetStore } from '../core/pets/ports.ts';
export type { Stores } from '../core/ports.ts';
export type { FileRemovalStore, ProjectStore, SiteFile, SiteStore, UploadStore, UploadTarget } from '../core/projects/ports.ts';
export type { Deployment, Project } from '../core/projects/project.ts';
export type { ActionRefusal, ActionResult } from '../core/refusal.ts';
export { StoreFault } from '../core/refusal.ts';
export type { SandboxRecords } from '../core/sandbox/ports.ts';
export {
  type Adapter,
  type AdapterContext,
  type AdapterPorts,
  type Configuration,
  defineConfig,
  type OpenAdapter,
  type PortName,
} from '../platforms/adapters.ts';
