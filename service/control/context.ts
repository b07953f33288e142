// The control API's dependencies, and the ownership check: everything named in a path is looked up through one of the caller's accounts. Anything
// that belongs to others counts as not found.

import type { Account } from '../../core/access/account.ts';
import { accountIdOfKeyId, type KeyMode } from '../../core/access/api-key.ts';
import type { RandomBytes } from '../../core/access/base62.ts';
import type { Role } from '../../core/access/permissions.ts';
import type { AccountStore, DeployTokenStore, InvitationStore, MemberStore } from '../../core/access/ports.ts';
import type { AnswerStore } from '../../core/answers/ports.ts';
import type { AuditLog } from '../../core/audit/ports.ts';
import type { NameRules } from '../../core/domains/actions.ts';
import type { Domain } from '../../core/domains/domain.ts';
import type { DomainStore, DomainWorkflow, EdgeMap, RecordPublisher, ZoneInspector } from '../../core/domains/ports.ts';
import { isGone } from '../../core/domains/states.ts';
import type { SessionStore } from '../../core/identity/ports.ts';
import type { MinuteCounter, UsageStore } from '../../core/limits/ports.ts';
import type { NotificationSettings } from '../../core/notifications/ports.ts';
import type { FileRemovalStore, ProjectStore, SiteStore, UploadStore } from '../../core/projects/ports.ts';
import type { Project } from '../../core/projects/project.ts';
import { type ActionRefusal, type ActionResult, refused } from '../../core/refusal.ts';
import type { SandboxRecords } from '../../core/sandbox/ports.ts';
import { quoted } from '../../core/validate.ts';

/** The sandbox's DNS, if there is one. */
export interface SandboxPort extends Pick<SandboxRecords, 'list' | 'set' | 'unset'> {
  readonly suffix: string;
}

/** The users, wherever they are kept. */
export interface DirectoryPort {
  /** A user's address, if the service itself manages users. */
  emailOf(userId: string): string | undefined;
  /** The verified address of a user from where the caller is signed in; undefined if they have none. */
  addressOf(caller: Caller, userId: string): Promise<string | undefined>;
  /** Ends all of the caller's sessions, so that none is renewed. */
  endSessions(caller: Caller): Promise<void>;
}

export interface ControlPorts {
  readonly accounts: AccountStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly deployTokens: DeployTokenStore;
  readonly answers: AnswerStore;
  readonly usage: Pick<UsageStore, 'usage'>;
  /** Undefined for an installation that keeps none. */
  readonly audit: Pick<AuditLog, 'entries'> | undefined;
  /** Requests to this API, by caller. */
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
  /** The port that serves domains over HTTPS. */
  readonly httpsPort: number;
  readonly sandbox: SandboxPort | undefined;
  readonly directory: DirectoryPort;
  /** Undefined if sessions can't be distinguished. Then, access tokens work until they expire, whatever ends. */
  readonly sessions: SessionStore | undefined;
  readonly notificationSettings: NotificationSettings;
  /** Whether members get emails here. */
  readonly sendsMail: boolean;
  readonly keyMode: KeyMode;
  readonly randomBytes: RandomBytes;
}

/** Who sent a request: a signed-in user, or a pipeline with a deploy token. */
export interface Caller {
  /** Id of the user or the token. */
  readonly id: string;
  readonly email: string | undefined;
  /** Who has issued the user's token: on AWS, the user pool. */
  readonly issuer?: string;
  /** Id of the user's session. @default unknown */
  readonly sessionId?: string;
  /** How long the user's token is valid altogether. @default unknown */
  readonly tokenSeconds?: number;
  /** Id of the only project that a deploy token gives access to; undefined for a user. */
  readonly deploysTo?: string;
}

/** An operation's validated input. */
export interface OperationInput<Body = unknown, Query = unknown> {
  /** Without an id for a public operation. */
  readonly caller: Caller;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The request's If-Match and If-None-Match. Undefined if it has none. */
  readonly precondition?: Precondition | undefined;
}

/**
 * Returns the refusal of a request whose condition is not met. An operation that replaces or deletes calls it with what it has read, and stores its change
 * only if that is still there: what the API has checked before may be another version.
 *
 * @param view what a GET of the same path answers for what was read
 */
export type Precondition = (view: unknown) => ActionRefusal | undefined;

type Named = Pick<OperationInput, 'caller' | 'parameters'>;

/** An account, with the caller's role in it. */
export interface OwnAccount extends Account {
  readonly role: Role;
}

/** Looks up what a path names, if it belongs to the caller. */
export interface OwnedLookups {
  /** Oldest first. */
  accountsOf(caller: Caller): Promise<readonly OwnAccount[]>;
  account(asked: Named): Promise<ActionResult<{ readonly account: OwnAccount }>>;
  key(asked: Named): Promise<ActionResult<{ readonly keyId: string }>>;
  project(asked: Named): Promise<ActionResult<{ readonly project: Project }>>;
  domain(asked: Named): Promise<ActionResult<{ readonly domain: Domain; readonly project: Project }>>;
  /** The caller's role in the account that the path names, or that owns what the path names; undefined if it does not belong to the caller. */
  roleFor(asked: Named): Promise<Role | undefined>;
  /** The account that the path names, or that owns what the path names, for any caller; undefined if the path names none. */
  accountFor(asked: Named): Promise<Account | undefined>;
}

/** The refusal for something that does not exist or belongs to others. */
export function notFound(what: string, id: string | undefined): ActionRefusal {
  return refused('not_found', `no ${what} ${quoted(id ?? '')} among yours`);
}

/** Creates the lookups that are limited to the caller's accounts. */
export function createOwnedLookups({
  accounts,
  members,
  projects,
  domains,
}: Pick<ControlPorts, 'accounts' | 'members' | 'projects' | 'domains'>): OwnedLookups {
  const roleIn = async ({ id, deploysTo }: Caller, accountId: string) =>
    deploysTo === undefined ? (await members.membershipsOf(id)).find((membership) => membership.accountId === accountId)?.role : undefined;

  const account: OwnedLookups['account'] = async ({ caller, parameters: { accountId = '' } }) => {
    const role = await roleIn(caller, accountId);
    const found = role && (await accounts.getAccount(accountId));
    return role === undefined || found === undefined ? notFound('account', accountId) : { ok: true, account: { ...found, role } };
  };

  /** A deploy token does its project's daily work, as a member does. */
  const roleInProject = async (caller: Caller, { id, accountId }: Project) => (caller.deploysTo === id ? 'member' : roleIn(caller, accountId));

  const project: OwnedLookups['project'] = async ({ caller, parameters: { projectId = '' } }) => {
    const found = await projects.getProject(projectId);
    const isOwn = found !== undefined && (await roleInProject(caller, found)) !== undefined;
    return isOwn ? { ok: true, project: found } : notFound('project', projectId);
  };

  return {
    account,
    project,
    accountsOf: async ({ id }) => {
      const found = await Promise.all(
        (await members.membershipsOf(id)).map(async ({ accountId, role }) => {
          const account = await accounts.getAccount(accountId);
          return account && { ...account, role };
        }),
      );
      return found.filter((each) => each !== undefined).sort((a, b) => a.createdAt - b.createdAt);
    },
    key: async (asked) => {
      const owner = await account(asked);
      if (!owner.ok) return owner;
      const { keyId = '' } = asked.parameters;
      const there = accountIdOfKeyId(keyId) === owner.account.id && (await accounts.getKey(keyId)) !== undefined;
      return there ? { ok: true, keyId } : notFound('key', keyId);
    },
    domain: async (asked) => {
      const owner = await project(asked);
      if (!owner.ok) return owner;
      const { domainId = '' } = asked.parameters;
      const domain = await domains.getDomain(domainId);
      const there = domain !== undefined && domain.projectId === owner.project.id && !isGone(domain.state);
      return there ? { ok: true, domain, project: owner.project } : notFound('domain', domainId);
    },
    accountFor: async ({ parameters: { accountId, projectId } }) => {
      const id = accountId ?? (projectId === undefined ? undefined : (await projects.getProject(projectId))?.accountId);
      return id === undefined ? undefined : accounts.getAccount(id);
    },
    roleFor: async ({ caller, parameters: { accountId, projectId } }) => {
      if (accountId !== undefined) return roleIn(caller, accountId);
      const named = projectId === undefined ? undefined : await projects.getProject(projectId);
      return named && roleInProject(caller, named);
    },
  };
}
