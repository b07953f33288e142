// The control API's dependencies, and the ownership check: everything named in a path is looked up through one of the caller's accounts. Anything
// that belongs to others counts as not found.

import type { Account } from '../../core/access/account.ts';
import { accountIdOfKeyId, type KeyMode } from '../../core/access/api-key.ts';
import type { RandomBytes } from '../../core/access/base62.ts';
import type { AccountStore, MemberStore } from '../../core/access/ports.ts';
import type { AnswerStore } from '../../core/answers/ports.ts';
import type { NameRules } from '../../core/domains/actions.ts';
import type { Domain } from '../../core/domains/domain.ts';
import type { DomainStore, DomainWorkflow, EdgeMap, RecordPublisher } from '../../core/domains/ports.ts';
import { isGone } from '../../core/domains/states.ts';
import type { MinuteCounter, UsageStore } from '../../core/limits/ports.ts';
import type { FileRemovalStore, ProjectStore, SiteStore, UploadStore } from '../../core/projects/ports.ts';
import type { Project } from '../../core/projects/project.ts';
import { type ActionRefusal, type ActionResult, refused } from '../../core/refusal.ts';
import type { SandboxRecords } from '../../core/sandbox/ports.ts';
import { quoted } from '../../core/validate.ts';

/** The sandbox's DNS, if there is one. */
export interface SandboxPort extends Pick<SandboxRecords, 'list' | 'set' | 'unset'> {
  readonly suffix: string;
}

/** The users, if the service manages them. */
export interface DirectoryPort {
  emailOf(userId: string): string | undefined;
  /** Invalidates all of the user's tokens issued so far. */
  endSessions(userId: string): Promise<void>;
}

export interface ControlPorts {
  readonly accounts: AccountStore;
  readonly members: MemberStore;
  readonly answers: AnswerStore;
  readonly usage: Pick<UsageStore, 'usage'>;
  /** Requests to this API, by user. */
  readonly userRequests: MinuteCounter;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  readonly sites: Pick<SiteStore, 'put'>;
  readonly uploads: UploadStore;
  readonly removals: FileRemovalStore;
  readonly edge: EdgeMap;
  readonly workflow: DomainWorkflow;
  readonly publisher: Pick<RecordPublisher, 'publish'>;
  readonly rules: NameRules;
  /** The port that serves domains over HTTPS. */
  readonly httpsPort: number;
  readonly sandbox: SandboxPort | undefined;
  readonly directory: DirectoryPort | undefined;
  readonly keyMode: KeyMode;
  readonly randomBytes: RandomBytes;
}

/** The signed-in user. */
export interface User {
  readonly id: string;
  readonly email: string | undefined;
}

/** An operation's validated input. */
export interface OperationInput<Body = unknown, Query = unknown> {
  /** Empty for a public operation. */
  readonly user: User;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Named = Pick<OperationInput, 'user' | 'parameters'>;

/** Looks up what a path names, if it belongs to the caller. */
export interface OwnedLookups {
  /** Oldest first. */
  accountsOf(user: User): Promise<readonly Account[]>;
  account(asked: Named): Promise<ActionResult<{ readonly account: Account }>>;
  key(asked: Named): Promise<ActionResult<{ readonly keyId: string }>>;
  project(asked: Named): Promise<ActionResult<{ readonly project: Project }>>;
  domain(asked: Named): Promise<ActionResult<{ readonly domain: Domain; readonly project: Project }>>;
  /** Whether what the path names belongs to the caller. True for a path without names. */
  isOwn(asked: Named): Promise<boolean>;
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
  const isMember = async (user: User, accountId: string) => (await members.accountsOf(user.id)).includes(accountId);

  const account: OwnedLookups['account'] = async ({ user, parameters: { accountId = '' } }) => {
    const found = (await isMember(user, accountId)) ? await accounts.getAccount(accountId) : undefined;
    return found === undefined ? notFound('account', accountId) : { ok: true, account: found };
  };

  const project: OwnedLookups['project'] = async ({ user, parameters: { projectId = '' } }) => {
    const found = await projects.getProject(projectId);
    return found === undefined || !(await isMember(user, found.accountId)) ? notFound('project', projectId) : { ok: true, project: found };
  };

  return {
    account,
    project,
    accountsOf: async ({ id }) => {
      const found = await Promise.all((await members.accountsOf(id)).map((accountId) => accounts.getAccount(accountId)));
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
    isOwn: async ({ user, parameters: { accountId, projectId } }) => {
      const owner = accountId ?? (projectId === undefined ? undefined : ((await projects.getProject(projectId))?.accountId ?? ''));
      return owner === undefined || isMember(user, owner);
    },
  };
}
