// What every platform provides to the control API and the command line.

import type { KeyMode } from '../core/access/api-key.ts';
import type { DeployTokenStore, InvitationStore, MemberStore } from '../core/access/ports.ts';
import type { AnswerStore } from '../core/answers/ports.ts';
import type { AuditLog } from '../core/audit/ports.ts';
import type { NameRules } from '../core/domains/actions.ts';
import type { DomainStore, DomainWorkflow, EdgeMap, RecordPublisher } from '../core/domains/ports.ts';
import type { UserStore } from '../core/identity/ports.ts';
import type { MinuteCounter } from '../core/limits/ports.ts';
import type { NotificationSettings } from '../core/notifications/ports.ts';
import type { FileRemovalStore, ProjectStore, SiteStore, UploadStore } from '../core/projects/ports.ts';
import type { TrafficStore } from '../core/projects/traffic.ts';
import type { SandboxRecords } from '../core/sandbox/ports.ts';
import type { Stores } from '../core/stores.ts';

/** Stores for accounts, projects and domains: everything that does not need an edge. */
export interface StorePlatform extends Stores {
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly deployTokens: DeployTokenStore;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  /** Undefined for a stage without the log's table. */
  readonly audit: AuditLog | undefined;
  /** Releases all resources; the platform can't be used afterwards. */
  close(): void | Promise<void>;
}

/** Everything that owners work with. */
export interface Platform extends StorePlatform {
  readonly answers: AnswerStore;
  readonly notificationSettings: NotificationSettings;
  /** Requests to the control API, by user. */
  readonly userRequests: MinuteCounter;
  readonly sites: SiteStore;
  readonly uploads: UploadStore;
  readonly removals: FileRemovalStore;
  readonly edge: EdgeMap;
  readonly workflow: DomainWorkflow;
  readonly publisher: Pick<RecordPublisher, 'publish'>;
  readonly rules: NameRules;
}

/** A platform could not be opened, for a reason that its user can fix. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
}

/** The sandbox's DNS. */
export interface Sandbox extends SandboxRecords {
  /** The suffix of all sandbox names. */
  readonly suffix: string;
}

/** What commands that need no edge work on. */
export interface CommandStores extends StorePlatform {
  /** @default users are in Cognito */
  readonly users?: UserStore;
  /** @default none: records are set at the DNS provider */
  readonly sandbox?: Sandbox | undefined;
  /** The mode of new keys: that of the stage's profile; `test` on one machine. */
  readonly keyMode: KeyMode;
  /** What visitors caused, by project. @default not counted: on one machine */
  readonly traffic?: Pick<TrafficStore, 'between'>;
}
