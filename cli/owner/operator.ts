// Owners' commands run by an operator: the control API in process, and what only operators do, or do differently.

import { resumeAccount, type SuspensionPorts, suspendAccount } from '../../core/access/account-ends.ts';
import { createAccount } from '../../core/access/accounts.ts';
import { withEmails } from '../../core/access/key-view.ts';
import { unbanKey } from '../../core/access/keys.ts';
import { planOf } from '../../core/access/plans.ts';
import { auditEntryView } from '../../core/audit/entry.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { parseHostName } from '../../core/domains/host-name.ts';
import { isGone } from '../../core/domains/states.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { createProject, newDeploymentId, serveDeployment } from '../../core/projects/actions.ts';
import type { CommandStores, Platform } from '../../platforms/platform.ts';
import { accountView, domainViewWithRecords, projectView } from '../../service/control/views.ts';
import { CliError, isoTime, resultOf } from '../context.ts';
import { createProgress } from '../progress.ts';
import { readFolder, storeFiles } from '../sites/publish.ts';
import { accountOf, createInProcess, type InProcessOptions, projectOf, servingAccountOf } from './in-process.ts';
import { onlyClaim } from './named-domain.ts';
import { createRequests } from './on-control-api.ts';
import type { AffectedDomain, OwnerPort } from './port.ts';

/** Interval for polling a state, in milliseconds: short, because a poll costs only one read on this machine. */
const POLL_MS = 200;
/** Number of audit log entries read at a time. */
const AUDIT_PAGE = 500;

/** Creates the port. It opens stores when they are first needed, and keeps them open until `close`. */
export function createOperator({ openStores, openPlatform, randomBytes, clock }: InProcessOptions): OwnerPort & { close(): Promise<void> } {
  const stores = openedOnce(openStores);
  const platform = openedOnce(openPlatform);
  const request = createInProcess({ openStores: stores.get, openPlatform: platform.get, randomBytes, clock });

  /** A stage that serves no sites has no edge, and needs none. */
  const suspensionPorts = async (accountId: string): Promise<SuspensionPorts> => {
    const { accounts, projects } = await stores.get();
    const hasProjects = (await projects.listProjects(accountId)).length > 0;
    return { accounts, serving: hasProjects ? await platform.get() : undefined };
  };

  const rowOf = async (platform: Platform, domain: Domain) =>
    domainViewWithRecords(domain, await projectOf(platform, domain.projectId), platform.rules, clock());

  return {
    ...createRequests(request, {
      // A removed user may still be a member, identified by id.
      userIdOf: async (_, user) => (await userIdOf(await stores.get(), user)) ?? user,
      daysOf: (lifetimeMs) => lifetimeMs / DAY_MS,
    }),
    pollMs: POLL_MS,

    createAccount: async (name, plan) => {
      const { account } = resultOf(await createAccount(await stores.get(), { name, ...plan, owner: undefined }, randomBytes, clock()));
      return accountView({ ...account, role: 'owner' });
    },
    suspendAccount: async (accountId, reason) => {
      const { suspension, domains } = resultOf(await suspendAccount(await suspensionPorts(accountId), accountId, reason, clock()));
      return { since: isoTime(suspension.since), domains: domains.map(affected) };
    },
    resumeAccount: async (accountId) => {
      const { domains } = resultOf(await resumeAccount(await suspensionPorts(accountId), accountId, clock()));
      return { domains: domains.map(affected) };
    },
    auditEntries: async function* (query) {
      const found = await stores.get();
      const { audit, users } = found;
      if (audit === undefined) throw new CliError('this stage keeps no audit log: it was deployed by an earlier version');
      const directory = { emailOf: async (id: string) => (await users?.get(id))?.email };
      let after: string | undefined;
      do {
        const { items, next } = await audit.entries(query, AUDIT_PAGE, after);
        // A deleted account still has entries; a mistyped id has none.
        if (query.accountId !== undefined && after === undefined && items.length === 0) await accountOf(found, query.accountId);
        yield* await withEmails(directory, (emailOf) =>
          items.map((entry) => ({ ...auditEntryView(entry, emailOf, true), accountId: entry.accountId ?? null })),
        );
        after = next;
      } while (after !== undefined);
    },
    unbanKey: async (keyId) => {
      const { ban } = resultOf(await unbanKey((await stores.get()).accounts, keyId, clock()));
      return { wasBannedUntil: isoTime(ban.until) };
    },

    listProjects: async (accountId) => {
      const { projects, rules } = await platform.get();
      return (await projects.listProjects(accountId)).map((project) => projectView(project, rules));
    },
    createProject: async (accountId, name, { empty }) => {
      // This import loads all of the catalogue's schemas, which no other command needs.
      const { placeholderSite } = await import('../../service/catalogue/placeholder-site.ts');
      const ports = await platform.get();
      const created = await createProject(ports, { accountId, name }, randomBytes, clock(), empty ? undefined : placeholderSite);
      return projectView(resultOf(created).project, ports.rules);
    },
    deploy: async (projectId, folder) => {
      const ports = await platform.get();
      const { plan } = await servingAccountOf(ports, await projectOf(ports, projectId));
      const { files, bytes, skipped } = await readFolder(folder, planOf(plan).deployment);
      const deployment = { id: newDeploymentId(randomBytes), projectId };
      const progress = await createProgress(bytes, 'files');
      const stored = { bytes: 0, files: 0 };
      try {
        await storeFiles(ports.sites, deployment, files, (file) => {
          stored.bytes += file.bytes;
          stored.files += 1;
          progress.update(stored.bytes, stored.files);
        });
      } finally {
        progress.stop();
      }
      resultOf(await serveDeployment(ports, { ...deployment, createdAt: clock(), files: files.length, bytes }));
      return { deploymentId: deployment.id, files: files.length, bytes, skipped };
    },

    findDomain: async (input, projectId) => {
      const ports = await platform.get();
      const parsed = parseHostName(input, ports.rules.policy);
      const host = parsed.ok ? parsed.name.host : input;
      const claims = (await ports.domains.claimsOf(host)).filter(
        (domain) => !isGone(domain.state) && (projectId === undefined || domain.projectId === projectId),
      );
      return rowOf(ports, onlyClaim(host, claims));
    },
    // A domain that was removed meanwhile is shown as such.
    getDomain: async ({ domainId }) => {
      const ports = await platform.get();
      const domain = await ports.domains.getDomain(domainId);
      return domain && rowOf(ports, domain);
    },
    close: async () => {
      await stores.close();
      await platform.close();
    },
  };
}

function affected({ id, host }: Domain): AffectedDomain {
  return { domainId: id, host };
}

function openedOnce<T extends { close(): void | Promise<void> }>(open: () => Promise<T>): { get(): Promise<T>; close(): Promise<void> } {
  let opened: Promise<T> | undefined;
  return {
    get: () => {
      opened ??= open();
      return opened;
    },
    // A failure to open it has already been reported.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

/** Returns a user's id, found by id or email address; undefined if users are stored here and this one does not exist. */
export async function userIdOf({ users }: Pick<CommandStores, 'users'>, user: string): Promise<string | undefined> {
  return users === undefined ? user : ((await users.get(user)) ?? (await users.byEmail(user)))?.id;
}
