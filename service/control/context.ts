// The control API's dependencies, and the ownership check: only what belongs to one of the caller's accounts is found.

import type { Account } from '../../core/access/account.ts';
import { accountIdOfKeyId, type KeyMode } from '../../core/access/api-key.ts';
import type { RandomBytes } from '../../core/access/base62.ts';
import type { Role } from '../../core/access/plans.ts';
import type { AccountStore, DeployTokenStore, InvitationStore, MemberStore } from '../../core/access/ports.ts';
import type { AnswerStore } from '../../core/answers/ports.ts';
import type { AuditLog } from '../../core/audit/ports.ts';
import type { NameRules } from '../../core/domains/actions.ts';
import type { Domain } from '../../core/domains/domain.ts';
import type { DomainStore, DomainWorkflow, EdgeMap, RecordPublisher, ZoneInspector } from '../../core/domains/ports.ts';
import { isGone } from '../../core/domains/states.ts';
import type { Readiness } from '../../core/health.ts';
import type { SessionStore } from '../../core/identity/ports.ts';
import type { MinuteCounter, UsageStore } from '../../core/limits/ports.ts';
import type { NotificationOutbox, NotificationSettings } from '../../core/notifications/ports.ts';
import { byAge } from '../../core/page.ts';
import type { Awaitable } from '../../core/ports.ts';
import type { FileRemovalStore, ProjectStore, SiteStore, UploadStore } from '../../core/projects/ports.ts';
import type { Project } from '../../core/projects/project.ts';
import { type ActionRefusal, type ActionResult, refused } from '../../core/refusal.ts';
import type { SandboxRecords } from '../../core/sandbox/ports.ts';
import { quoted } from '../../core/validate.ts';

/** The sandbox's DNS, if there is one. */
export interface SandboxPort extends Pick<SandboxRecords, 'list' | 'set' | 'unset'> {
  readonly suffix: string;
}

/** The users, wherever they are stored. */
export interface DirectoryPort {
  /** Returns a user's email address, if the service itself manages users. */
  emailOf(userId: string): Awaitable<string | undefined>;
  /** Returns the verified email address of a user in the directory that the caller is signed in to; undefined if there is none. */
  addressOf(caller: Caller, userId: string): Promise<string | undefined>;
  /** Returns the id of the user with this email address, if the service itself manages users. */
  userOf(email: string): Awaitable<string | undefined>;
  /** Ends all of the caller's sessions, so that none can be renewed. */
  endSessions(caller: Caller): Promise<void>;
}

export interface ControlPorts {
  readonly accounts: AccountStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly deployTokens: DeployTokenStore;
  readonly answers: AnswerStore;
  readonly usage: Pick<UsageStore, 'usage'>;
  /** Undefined if the installation has no audit log. */
  readonly audit: Pick<AuditLog, 'entries'> | undefined;
  /** Counts requests to this API, by caller. */
  readonly userRequests: MinuteCounter;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  readonly sites: Pick<SiteStore, 'put'>;
  readonly uploads: UploadStore;
  readonly removals: FileRemovalStore;
  readonly edge: EdgeMap;
  readonly workflow: DomainWorkflow;
  readonly publisher: Pick<RecordPublisher, 'publish'>;
  readonly inspector: ZoneInspector;
  readonly rules: NameRules;
  /** The port on which domains are served over HTTPS. */
  readonly httpsPort: number;
  readonly sandbox: SandboxPort | undefined;
  readonly directory: DirectoryPort;
  /** Undefined if sessions can't be distinguished: access tokens then work until they expire, even if their session has ended. */
  readonly sessions: SessionStore | undefined;
  /** Whether users' tokens show whether they signed in with a second factor (`amr`, RFC 8176). */
  readonly knowsSecondFactors: boolean;
  readonly notificationSettings: NotificationSettings;
  readonly sendsMail: boolean;
  /** Whether a request's address is that of its client, and not of a server in front of the service. @default true */
  readonly seesClients?: boolean | undefined;
  /** Ids of the users who operate the installation. */
  readonly operators: readonly string[];
  /** Emails waiting to be sent to members. Undefined if no emails are sent. */
  readonly outbox: Pick<NotificationOutbox, 'due'> | undefined;
  /** Checks the service's parts. Undefined if something else monitors the service. */
  readonly readiness: (() => Promise<Readiness>) | undefined;
  readonly keyMode: KeyMode;
  readonly randomBytes: RandomBytes;
}

/** The ports for accounts, their members and their keys. They need no edge. */
export type AccountPorts = Pick<ControlPorts, 'accounts' | 'members' | 'invitations' | 'deployTokens' | 'usage' | 'audit' | 'projects' | 'domains'> &
  Pick<ControlPorts, 'sandbox' | 'sessions' | 'knowsSecondFactors' | 'sendsMail' | 'keyMode' | 'randomBytes'> & {
    readonly directory: Pick<DirectoryPort, 'emailOf' | 'addressOf'>;
  };

/** The ports for projects and domains. */
export type SitePorts = Pick<ControlPorts, 'accounts' | 'deployTokens' | 'projects' | 'domains' | 'sites' | 'uploads' | 'removals' | 'edge'> &
  Pick<ControlPorts, 'workflow' | 'publisher' | 'inspector' | 'rules' | 'httpsPort' | 'randomBytes'>;

/** Who sent a request: a signed-in user, or a pipeline with a deploy token. */
export interface Caller {
  /** Id of the user or the token. */
  readonly id: string;
  readonly email: string | undefined;
  /** The issuer of the user's token: on AWS, the user pool. */
  readonly issuer?: string;
  /** Id of the user's session. @default unknown */
  readonly sessionId?: string;
  /** When the user signed in, in milliseconds since 1970; renewals don't change it. @default unknown */
  readonly signedInAt?: number;
  /** Whether the user has signed in with a second factor or a passkey. @default not known */
  readonly hasSecondFactor?: boolean;
  /** The total lifetime of the user's token. @default unknown */
  readonly tokenSeconds?: number;
  /** Id of the only project that a deploy token gives access to; undefined for a user. */
  readonly deploysTo?: string;
}

/** An operation's validated input. */
export interface OperationInput<Body = unknown, Query = unknown, Parameters = Readonly<Record<string, string>>> {
  /** In a public operation, a caller without an id. */
  readonly caller: Caller;
  readonly parameters: Parameters;
  readonly body: Body;
  readonly query: Query;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The request's If-Match and If-None-Match. Undefined if it has neither. */
  readonly precondition?: Precondition | undefined;
}

/**
 * Returns the refusal for a request whose condition is not met by `view`, the response to a GET of its path. The API has already called this. An
 * operation that reads the same data itself calls this again with that data, and stores its change only if the data has not changed since.
 */
export type Precondition = (view: unknown) => ActionRefusal | undefined;

/** An account of the caller, with their role in it. */
export interface OwnAccount extends Account {
  readonly role: Role;
}

interface OwnedAccount {
  readonly role: Role;
  readonly account: OwnAccount;
}

interface OwnedProject {
  readonly role: Role;
  readonly project: Project;
}

/** The account or project that a path begins with, if it belongs to the caller. Empty for a path that names neither. */
export type Owner = Partial<OwnedAccount & OwnedProject>;

/** The names of a path's parameters. */
export type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterOf<Rest> : never;

/** The resources that a path names; an operation gets them with its input. */
export type NamedIn<Path extends string> = (Path extends `${'' | '/operator'}/accounts/{accountId}${string}`
  ? { readonly account: OwnAccount }
  : object) &
  (Path extends `${string}/{keyId}${string}` ? { readonly keyId: string } : object) &
  (Path extends `/projects/{projectId}${string}` ? { readonly project: Project } : object) &
  (Path extends `${string}/{domainId}${string}` ? { readonly domain: Domain } : object);

/** Looks up the resources that a path names, if they belong to the caller. Each operation does so once. */
export interface OwnedLookups {
  /** Oldest first. */
  accountsOf(caller: Caller): Promise<readonly OwnAccount[]>;
  account(caller: Caller, id: string): Promise<ActionResult<OwnedAccount>>;
  /** Anyone's account, for an operator. */
  customer(id: string): Promise<ActionResult<OwnedAccount>>;
  project(caller: Caller, id: string): Promise<ActionResult<OwnedProject>>;
  /** Looks up the key or domain that a path names below its owner. */
  below(owner: Owner, parameters: OperationInput['parameters']): Promise<ActionResult<{ readonly keyId?: string; readonly domain?: Domain }>>;
}

/** Builds the refusal for something that does not exist or belongs to others. */
export function notFound(what: string, id: string | undefined): ActionRefusal {
  return refused('not_found', `no ${what} ${quoted(id ?? '')} among yours`);
}

/** Creates lookups that are limited to the caller's accounts. */
export function createOwnedLookups({
  accounts,
  members,
  projects,
  domains,
}: Pick<ControlPorts, 'accounts' | 'members' | 'projects' | 'domains'>): OwnedLookups {
  const roleIn = async ({ id, deploysTo }: Caller, accountId: string) =>
    deploysTo === undefined ? (await members.membershipsOf(id)).find((membership) => membership.accountId === accountId)?.role : undefined;

  return {
    accountsOf: async ({ id }) => {
      const found = await Promise.all(
        (await members.membershipsOf(id)).map(async ({ accountId, role }) => {
          const account = await accounts.getAccount(accountId);
          return account && { ...account, role };
        }),
      );
      return found.filter((each) => each !== undefined).sort(byAge);
    },
    account: async (caller, id) => {
      const role = await roleIn(caller, id);
      const found = role && (await accounts.getAccount(id));
      return role === undefined || found === undefined ? notFound('account', id) : { ok: true, role, account: { ...found, role } };
    },
    customer: async (id) => {
      const found = await accounts.getAccount(id);
      return found === undefined
        ? refused('not_found', `no account ${quoted(id)}`)
        : { ok: true, role: 'owner', account: { ...found, role: 'owner' } };
    },
    project: async (caller, id) => {
      const project = await projects.getProject(id);
      // In its own project, a deploy token has the rights of a member.
      const role = project && (caller.deploysTo === id ? 'member' : await roleIn(caller, project.accountId));
      return role === undefined || project === undefined ? notFound('project', id) : { ok: true, role, project };
    },
    below: async ({ account, project }, { keyId, domainId }) => {
      if (keyId !== undefined) {
        const there = accountIdOfKeyId(keyId) === account?.id && (await accounts.getKey(keyId)) !== undefined;
        return there ? { ok: true, keyId } : notFound('key', keyId);
      }
      if (domainId === undefined) return { ok: true };
      const domain = await domains.getDomain(domainId);
      const there = domain !== undefined && domain.projectId === project?.id && !isGone(domain.state);
      return there ? { ok: true, domain } : notFound('domain', domainId);
    },
  };
}
