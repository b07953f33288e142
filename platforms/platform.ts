// The stores and adapters that every platform provides to the control API and the command line.

import type { KeyMode } from '../core/access/api-key.ts';
import type { DeployTokenStore, InvitationStore, MemberStore } from '../core/access/ports.ts';
import type { AnswerStore } from '../core/answers/ports.ts';
import type { AuditLog } from '../core/audit/ports.ts';
import type { NameRules } from '../core/domains/actions.ts';
import type { DomainStore, DomainWorkflow, EdgeMap, RecordPublisher } from '../core/domains/ports.ts';
import type { UserStore } from '../core/identity/ports.ts';
import type { MinuteCounter } from '../core/limits/ports.ts';
import type { NotificationSettings } from '../core/notifications/ports.ts';
import type { Stores } from '../core/ports.ts';
import type { FileRemovalStore, ProjectStore, SiteStore, UploadStore } from '../core/projects/ports.ts';
import type { TrafficStore } from '../core/projects/project.ts';
import type { SandboxRecords } from '../core/sandbox/ports.ts';

/** The stores for accounts, projects and domains: everything that does not need an edge. */
export interface StorePlatform extends Stores {
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly deployTokens: DeployTokenStore;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  /** The audit log; undefined for a stage without its table. */
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

/** Returns the message of a fault. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Quotes a path for the shell if needed. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Returns the result of `look`; undefined if it throws. */
export function orNone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** The sandbox's DNS. */
export interface Sandbox extends SandboxRecords {
  /** The suffix of all sandbox names. */
  readonly suffix: string;
}

/** The stores for commands that need no edge. */
export interface CommandStores extends StorePlatform {
  /** @default users are in Cognito */
  readonly users?: UserStore;
  /** @default none: records are set at the DNS provider */
  readonly sandbox?: Sandbox | undefined;
  /** The mode of new keys: as in the stage's profile, or `test` on one machine. */
  readonly keyMode: KeyMode;
  /** Visitors' requests and bytes, by project. @default they are not counted, as on one machine */
  readonly traffic?: Pick<TrafficStore, 'between'>;
}

// Packages that only some users need are optional. This turns Node's error for a missing package into a clear message.

/** The parts of AWS's SDK that the command line uses on a stage. */
export const STAGE_PACKAGES: readonly string[] = [
  ...['client-acm', 'client-cloudfront', 'client-cloudfront-keyvaluestore', 'client-cognito-identity-provider', 'client-dynamodb', 'client-lambda'],
  ...['client-route-53', 'client-s3', 'client-sfn', 'client-ssm', 's3-request-presigner', 'signature-v4a'],
].map((name) => `@aws-sdk/${name}`);

/** Returns the package that could not be found; undefined if the error is a different one. */
export function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  return /^Cannot find package '((?:@[^/']+\/)?[^/']+)/.exec(error.message)?.[1];
}

/** Loads a part that needs optional packages. @throws the error that `explain` returns, if a package is not installed */
export async function loadOptional<T>(load: () => Promise<T>, explain: (missing: string) => Error): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const missing = missingPackage(error);
    throw missing === undefined ? error : explain(missing);
  }
}
