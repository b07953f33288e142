// Owners' commands run by an operator: on the stores of the data folder, or of a stage on AWS.

import { type Account, OPERATOR, suspendedMessage } from '../../core/access/account.ts';
import { changeRole, removeMember } from '../../core/access/accounts.ts';
import type { RandomBytes } from '../../core/access/base62.ts';
import { changeKey } from '../../core/access/key-change.ts';
import { type EmailOf, keyView, revokedKeyView, withEmails } from '../../core/access/key-view.ts';
import { issueKey, noAccount, revokedKeys, revokeKey, rotateKey, unbanKey } from '../../core/access/keys.ts';
import { planOf } from '../../core/access/plans.ts';
import { auditEntryView } from '../../core/audit/entry.ts';
import { addDomain, publishRecords, recordsOf, removeDomain, verifyDomain } from '../../core/domains/actions.ts';
import { changesBetween } from '../../core/domains/configuration-changes.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { parseHostName } from '../../core/domains/host-name.ts';
import { isGone } from '../../core/domains/states.ts';
import { usageView } from '../../core/limits/usage-view.ts';
import {
  configureProject,
  createProject,
  deleteDeployment,
  deleteProject,
  newDeploymentId,
  renameProject,
  rollBack,
  serveDeployment,
} from '../../core/projects/actions.ts';
import type { Project } from '../../core/projects/project.ts';
import { pinDeployment, unpinDeployment } from '../../core/projects/retention.ts';
import type { CommandStores, Platform } from '../../platforms/platform.ts';
import { configurationView, deploymentView, domainViewWithRecords, memberView, projectView } from '../../service/control/views.ts';
import { CliError, isoTime, refusalError, resultOf } from '../context.ts';
import { createProgress } from '../progress.ts';
import { readFolder, storeFiles } from '../sites/publish.ts';
import { configurationChanged, noDomain, onlyClaim } from './named-domain.ts';
import { expectAccount, operatorAccounts, operatorInvitations } from './operator-accounts.ts';
import type { DomainRow, OwnerPort } from './port.ts';

/** Interval for polling a state, in milliseconds. It is short, because a poll costs only one read on this machine. */
const POLL_MS = 200;
/** Number of entries of the audit log read at a time. */
const AUDIT_PAGE = 500;

export interface OperatorOptions {
  /** Opens everything that commands without an edge need. */
  readonly openStores: () => Promise<CommandStores>;
  /** Opens everything that projects and domains need, which not every stage has. */
  readonly openPlatform: () => Promise<Platform>;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates the port. It opens stores when they are first needed, and keeps them open until `close`. */
export function createOperator(options: OperatorOptions): OwnerPort & { close(): Promise<void> } {
  const { randomBytes, clock } = options;
  const stores = openedOnce(options.openStores);
  const platform = openedOnce(options.openPlatform);
  const withStores = async <T>(work: (stores: CommandStores) => Promise<T>) => work(await stores.get());
  const withPlatform = async <T>(work: (platform: Platform) => Promise<T>) => work(await platform.get());

  /** Runs work on a project. */
  const inProject = <T>(projectId: string, work: (platform: Platform, project: Project) => Promise<T>): Promise<T> =>
    withPlatform(async (platform) => work(platform, await projectOf(platform, projectId)));

  /** Runs work that changes what a project serves, unless its account is suspended. */
  const inServedProject = <T>(projectId: string, work: (platform: Platform, project: Project, account: Account) => Promise<T>): Promise<T> =>
    inProject(projectId, async (platform, project) => {
      const account = await platform.accounts.getAccount(project.accountId);
      if (account === undefined) throw new CliError(`the account ${project.accountId} of project ${projectId} does not exist`);
      if (account.suspension !== undefined)
        throw new CliError(`${suspendedMessage(account.id, account.suspension)}; petstore accounts resume ${account.id} ends it`);
      return work(platform, project, account);
    });

  /** Runs work on a domain that was found earlier. */
  const onDomain = <T>({ domainId, host }: DomainRow, work: (platform: Platform, domain: Domain) => Promise<T>): Promise<T> =>
    withPlatform(async (platform) => {
      const domain = await platform.domains.getDomain(domainId);
      if (domain === undefined || isGone(domain.state)) throw noDomain(host);
      return work(platform, domain);
    });

  const rowIn = ({ rules }: Platform, project: Project, domain: Domain): DomainRow => domainViewWithRecords(domain, project, rules, clock());
  const rowOf = async (platform: Platform, domain: Domain) => rowIn(platform, await projectOf(platform, domain.projectId), domain);

  return {
    pollMs: POLL_MS,

    ...operatorAccounts({ stores: stores.get, platform: platform.get, randomBytes, clock }),
    usage: async (accountId) => {
      const usage = await withStores((stores) => stores.usage.usage(accountId, clock()));
      if (usage === undefined) throw refusalError(noAccount(accountId));
      return usageView(accountId, usage);
    },

    auditEntries: async function* (query) {
      const found = await stores.get();
      const { audit } = found;
      if (audit === undefined) throw new CliError('this stage keeps no audit log: it was deployed by an earlier version');
      let after: string | undefined;
      do {
        const { items, next } = await audit.entries(query, AUDIT_PAGE, after);
        // A deleted account still has entries; a mistyped id has none.
        if (query.accountId !== undefined && after === undefined && items.length === 0) await expectAccount(found, query.accountId);
        yield* await shown(found, (emailOf) =>
          items.map((entry) => ({ ...auditEntryView(entry, emailOf, true), accountId: entry.accountId ?? null })),
        );
        after = next;
      } while (after !== undefined);
    },

    listMembers: (accountId) =>
      withStores(async (stores) => {
        await expectAccount(stores, accountId);
        const { members, users } = stores;
        const directory = { emailOf: async (id: string) => (await users?.get(id))?.email };
        return Promise.all((await members.membersOf(accountId)).map((member) => memberView(member, directory)));
      }),
    setRole: (accountId, user, role) =>
      withStores(async (stores) => {
        const userId = (await userIdOf(stores, user)) ?? user;
        resultOf(await changeRole(stores, accountId, { userId, role }));
        return userId;
      }),
    removeMember: (accountId, user) =>
      withStores(async (stores) => {
        // A removed user may still be a member, identified by id.
        const userId = (await userIdOf(stores, user)) ?? user;
        resultOf(await removeMember(stores, accountId, userId, { by: OPERATOR, revokes: false, now: clock() }));
        return userId;
      }),

    ...operatorInvitations({ withStores, randomBytes, clock }),

    listKeys: (accountId) =>
      withStores(async (stores) => {
        await expectAccount(stores, accountId);
        const keys = await stores.accounts.listKeys(accountId);
        return shown(stores, (emailOf) => keys.map((key) => keyView(key, clock(), emailOf)));
      }),
    listRevokedKeys: (accountId) =>
      withStores(async (stores) => {
        await expectAccount(stores, accountId);
        const keys = await revokedKeys(stores.accounts, accountId, clock());
        return shown(stores, (emailOf) => keys.map((key) => revokedKeyView(key, emailOf)));
      }),
    issueKey: async ({ accountId, name, scopes, lifetimeMs }) => {
      const now = clock();
      const request = { accountId, name, scopes, by: OPERATOR, expiresAt: lifetimeMs === undefined ? undefined : now + lifetimeMs, now };
      const issued = resultOf(await withStores(({ accounts, keyMode }) => issueKey(accounts, randomBytes, { mode: keyMode, ...request })));
      return { ...keyView(issued.record, now, NO_EMAIL), key: issued.key };
    },
    changeKey: async (keyId, change) => {
      const now = clock();
      return withStores(async (stores) => {
        const { key } = resultOf(await changeKey(stores.accounts, keyId, change, { mayExtend: true, now }));
        return shown(stores, (emailOf) => keyView(key, now, emailOf));
      });
    },
    rotateKey: async (keyId, graceMs) => {
      const now = clock();
      const rotated = resultOf(
        await withStores(({ accounts, keyMode }) => rotateKey(accounts, randomBytes, { mode: keyMode, keyId, graceMs, by: OPERATOR, now })),
      );
      return { ...keyView(rotated.record, now, NO_EMAIL), key: rotated.key, oldKeyId: keyId, oldExpiresAt: isoTime(rotated.oldExpiresAt) };
    },
    revokeKey: async (keyId) => void resultOf(await withStores(({ accounts }) => revokeKey(accounts, keyId, { at: clock(), by: OPERATOR }))),
    unbanKey: async (keyId) => {
      const { ban } = resultOf(await withStores(({ accounts }) => unbanKey(accounts, keyId, clock())));
      return { wasBannedUntil: isoTime(ban.until) };
    },

    listProjects: (accountId) =>
      withPlatform(async ({ projects, rules }) => (await projects.listProjects(accountId)).map((project) => projectView(project, rules))),
    createProject: (accountId, name, { empty }) =>
      withPlatform(async (platform) => {
        // This import loads all of the catalogue's schemas, which no other command needs.
        const { placeholderSite } = await import('../../service/catalogue/placeholder-site.ts');
        const created = await createProject(platform, { accountId, name }, randomBytes, clock(), empty ? undefined : placeholderSite);
        return projectView(resultOf(created).project, platform.rules);
      }),
    renameProject: (projectId, name) =>
      inProject(projectId, async (platform, project) => void resultOf(await renameProject(platform, project, name))),
    deleteProject: (projectId) => inProject(projectId, async (platform, project) => void resultOf(await deleteProject(platform, project, clock()))),
    deploy: (projectId, folder) =>
      inServedProject(projectId, async (platform, _project, account) => {
        const { files, bytes, skipped } = await readFolder(folder, planOf(account.plan).deployment);
        const deployment = { id: newDeploymentId(randomBytes), projectId };
        const progress = await createProgress(bytes, 'files');
        const stored = { bytes: 0, files: 0 };
        try {
          await storeFiles(platform.sites, deployment, files, (file) => {
            stored.bytes += file.bytes;
            stored.files += 1;
            progress.update(stored.bytes, stored.files);
          });
        } finally {
          progress.stop();
        }
        resultOf(await serveDeployment(platform, { ...deployment, createdAt: clock(), files: files.length, bytes }));
        return { deploymentId: deployment.id, files: files.length, bytes, skipped };
      }),
    listDeployments: (projectId) =>
      inProject(projectId, async ({ projects }, project) =>
        (await projects.listDeployments(projectId)).map((deployment) => deploymentView(deployment, project)),
      ),
    deleteDeployment: (projectId, deploymentId) =>
      inProject(projectId, async (platform, project) => void resultOf(await deleteDeployment(platform, project, deploymentId, clock()))),
    pinDeployment: (projectId, id) =>
      inProject(projectId, async (platform, project) =>
        deploymentView(resultOf(await pinDeployment(platform, { projectId, id })).deployment, project),
      ),
    unpinDeployment: (projectId, id) =>
      inProject(projectId, async (platform, project) =>
        deploymentView(resultOf(await unpinDeployment(platform, { projectId, id })).deployment, project),
      ),
    rollBack: (projectId, to) =>
      inServedProject(projectId, async (platform, project) =>
        projectView(resultOf(await rollBack(platform, project, to, clock())).project, platform.rules),
      ),
    getConfiguration: (projectId) => inProject(projectId, async (_platform, project) => configurationView(project)),
    putConfiguration: (projectId, value, read) =>
      inServedProject(projectId, async (platform, project) => {
        const found = configurationView(project);
        if (read !== undefined && changesBetween(read, found).length > 0) throw configurationChanged(read, found);
        const configured = await configureProject(platform, projectId, value, platform.rules.policy, read && project);
        return configurationView(resultOf(configured).project);
      }),

    addDomain: (projectId, input, options) =>
      inProject(projectId, async (platform, project) =>
        rowIn(platform, project, resultOf(await addDomain(platform, project, input, platform.rules, randomBytes, clock(), options)).domain),
      ),
    listDomains: (projectId) =>
      inProject(projectId, async (platform, project) =>
        (await platform.domains.listDomains(projectId)).map((domain) => rowIn(platform, project, domain)),
      ),
    findDomain: (input, projectId) => withPlatform(async (platform) => rowOf(platform, await domainOf(platform, input, projectId))),
    getDomain: (row) =>
      withPlatform(async (platform) => {
        const domain = await platform.domains.getDomain(row.domainId);
        return domain && rowOf(platform, domain);
      }),
    verifyDomain: (row) => onDomain(row, async (platform, domain) => rowOf(platform, resultOf(await verifyDomain(platform, domain, clock())).domain)),
    publishRecords: (row) =>
      onDomain(row, async (platform, domain) => {
        const project = await projectOf(platform, domain.projectId);
        resultOf(await publishRecords(platform.domains, platform.publisher, domain, recordsOf(project, domain, platform.rules)));
        return rowIn(platform, project, domain).records;
      }),
    removeDomain: (row, { withRedirects }) =>
      onDomain(row, async (platform, domain) => {
        const options = { withRedirects, by: { id: OPERATOR, rules: platform.rules } };
        return rowOf(platform, resultOf(await removeDomain(platform, domain, clock(), options)).domain);
      }),
    close: async () => {
      await stores.close();
      await platform.close();
    },
  };
}

/** Opens something when it is first needed. */
function openedOnce<T extends { close(): void | Promise<void> }>(open: () => Promise<T>): { get(): Promise<T>; close(): Promise<void> } {
  let opened: Promise<T> | undefined;
  return {
    get: () => {
      opened ??= open();
      return opened;
    },
    close: async () => {
      // A failure to open it has already been reported.
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** Returns a view with users' addresses, if users are stored here. */
const shown = <T>({ users }: CommandStores, view: (emailOf: EmailOf) => T) =>
  withEmails({ emailOf: async (id) => (await users?.get(id))?.email }, view);
/** Used for keys that the operator has just issued. */
const NO_EMAIL: EmailOf = () => undefined;

/** Returns a user's id, found by id or email address; undefined if users are stored here and this one does not exist. */
export async function userIdOf({ users }: Pick<CommandStores, 'users'>, user: string): Promise<string | undefined> {
  return users === undefined ? user : ((await users.get(user)) ?? (await users.byEmail(user)))?.id;
}

/** Returns the project. @throws CliError if it does not exist */
async function projectOf(platform: Platform, projectId: string): Promise<Project> {
  const project = await platform.projects.getProject(projectId);
  if (project === undefined) throw new CliError(`no project ${JSON.stringify(projectId)}; petstore projects list shows all projects`);
  return project;
}

/** Finds the domain by its name, ignoring removed ones. */
async function domainOf(platform: Platform, input: string, projectId: string | undefined): Promise<Domain> {
  const parsed = parseHostName(input, platform.rules.policy);
  const host = parsed.ok ? parsed.name.host : input;
  const claims = (await platform.domains.claimsOf(host)).filter(
    (domain) => !isGone(domain.state) && (projectId === undefined || domain.projectId === projectId),
  );
  return onlyClaim(host, claims);
}
