// What each operation of the control API does. Everything that is named in a path is looked up through an account of the caller: what
// is not theirs is not there.

import { type Account, isDisplayName, MAX_KEYS_PER_ACCOUNT, newAccountId } from '../../core/access/account.ts';
import { accountIdOfKeyId } from '../../core/access/api-key.ts';
import { issueKey, rotateKey } from '../../core/access/issue-key.ts';
import { unbanKey } from '../../core/access/lift-bans.ts';
import { PLAN_LIMITS } from '../../core/access/plans.ts';
import { shownKey } from '../../core/access/shown-key.ts';
import { addDomain, publishRecords, recordsOf, removeDomain, verifyDomain } from '../../core/domains/actions.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { isGone } from '../../core/domains/states.ts';
import type { Standing } from '../../core/limits/decide.ts';
import { retryAfterSeconds } from '../../core/limits/headers.ts';
import { shownUsage } from '../../core/limits/shown-usage.ts';
import { configureProject, createProject, rollBack } from '../../core/projects/actions.ts';
import type { Project } from '../../core/projects/project.ts';
import { type ActionRefusal, refused } from '../../core/refusal.ts';
import { isForeign, zoneOfName } from '../../core/sandbox/ownership.ts';
import { parseSandboxRecord } from '../../core/sandbox/records.ts';
import { createMinuteLimiter } from '../admission/minute-limiter.ts';
import { firstSite } from '../catalogue/first-site.ts';
import { controlOpenApi } from './openapi.ts';
import type { ControlBody, ControlOperationId, ControlResult } from './operations.ts';
import type { ControlCall, ControlPorts, SandboxPort } from './ports.ts';
import { shownAccount, shownConfiguration, shownDomainWithRecords, shownProject } from './shown.ts';

/** Of one account, for all of its domains together. */
const VERIFICATIONS_A_MINUTE = 30;

type Outcome<T> = { readonly ok: true; readonly value: T } | ActionRefusal;

export type ControlHandlers = {
  readonly [Id in ControlOperationId]: (call: ControlCall<ControlBody<Id>>) => Promise<Outcome<ControlResult<Id>>>;
};

/** A user may make so many accounts; more by hand. */
const MAX_ACCOUNTS_PER_USER = 5;
const DAY_MS = 86_400_000;

/** Records of the sandbox that one account may have set. */
const MAX_SANDBOX_RECORDS = 200;

export interface Control {
  readonly handlers: ControlHandlers;
  /** Is what the path names one of the caller's? A path without names is everybody's. */
  isOurs(call: Pick<ControlCall<unknown>, 'user' | 'parameters'>): Promise<boolean>;
}

export function createControlHandlers(ports: ControlPorts): Control {
  const { accounts, members, projects, domains, rules, sandbox, directory } = ports;
  const verifications = createMinuteLimiter(VERIFICATIONS_A_MINUTE);
  const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });
  const noSuch = (what: string, id: string | undefined) => refused('not_found', `no ${what} ${JSON.stringify(id ?? '')} among yours`);

  async function accountsOf(userId: string): Promise<Account[]> {
    const found = await Promise.all((await members.accountsOf(userId)).map((id) => accounts.getAccount(id)));
    return found.filter((account) => account !== undefined).sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Does the work with the account that the path names, if it is one of the caller's. */
  async function withAccount<T>({ user, parameters }: ControlCall<unknown>, work: (account: Account) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const { accountId = '' } = parameters;
    const mine = (await members.accountsOf(user.id)).includes(accountId);
    const account = mine ? await accounts.getAccount(accountId) : undefined;
    return account === undefined ? noSuch('account', accountId) : work(account);
  }

  async function withProject<T>({ user, parameters }: ControlCall<unknown>, work: (project: Project) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const project = await projects.getProject(parameters.projectId ?? '');
    const mine = project !== undefined && (await members.accountsOf(user.id)).includes(project.accountId);
    return project === undefined || !mine ? noSuch('project', parameters.projectId) : work(project);
  }

  function withDomain<T>(call: ControlCall<unknown>, work: (domain: Domain, project: Project) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return withProject(call, async (project) => {
      const domain = await domains.getDomain(call.parameters.domainId ?? '');
      const there = domain !== undefined && domain.projectId === project.id && !isGone(domain.state);
      return there ? work(domain, project) : noSuch('domain', call.parameters.domainId);
    });
  }

  /** Does the work with the key that the path names. */
  function withKey<T>(call: ControlCall<unknown>, work: (keyId: string, account: Account) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return withAccount(call, async (account) => {
      const { keyId = '' } = call.parameters;
      const there = accountIdOfKeyId(keyId) === account.id && (await accounts.getKey(keyId)) !== undefined;
      return there ? work(keyId, account) : noSuch('key', keyId);
    });
  }

  const withSandbox = async <T>(work: (port: SandboxPort) => Promise<Outcome<T>> | Outcome<T>): Promise<Outcome<T>> =>
    sandbox === undefined ? refused('not_found', 'there is no sandbox here; set records at your DNS provider') : work(sandbox);

  async function isOurs({ user, parameters: { accountId, projectId } }: Pick<ControlCall<unknown>, 'user' | 'parameters'>): Promise<boolean> {
    const owner = accountId ?? (projectId === undefined ? undefined : ((await projects.getProject(projectId))?.accountId ?? ''));
    return owner === undefined || (await members.accountsOf(user.id)).includes(owner);
  }

  const showProject = (project: Project) => shownProject(project, rules);
  const showDomain = (domain: Domain, project: Project, now: number) => shownDomainWithRecords(domain, project, rules, now);

  const handlers: ControlHandlers = {
    getOpenApi: async () => ok(controlOpenApi()),

    getMe: async ({ user }) =>
      ok({
        userId: user.id,
        email: user.email ?? null,
        accounts: (await accountsOf(user.id)).map(shownAccount),
        platform: { edgeHost: rules.edge.host, httpsPort: ports.httpsPort, sandboxSuffix: sandbox?.suffix ?? null },
      }),

    signOutEverywhere: async ({ user }) => {
      if (directory === undefined) return refused('not_found', 'users are not kept here; end sessions where they sign in');
      await directory.endSessions(user.id);
      return ok({ done: true as const });
    },

    listAccounts: async ({ user }) => ok((await accountsOf(user.id)).map(shownAccount)),

    createAccount: async ({ user, body: { name }, now }) => {
      if (!isDisplayName(name)) return refused('invalid_request', `name: got ${JSON.stringify(name)}; allowed: not blank, no control characters`);
      if ((await members.accountsOf(user.id)).length >= MAX_ACCOUNTS_PER_USER)
        return refused('conflict', `you are already a member of ${MAX_ACCOUNTS_PER_USER} accounts, the most a user may have`);
      const account: Account = { id: newAccountId(ports.randomBytes), name, plan: 'free', limits: PLAN_LIMITS.free, createdAt: now };
      if (!(await accounts.createAccount(account))) return refused('unavailable', 'no free account id; try again');
      await members.addMember(account.id, user.id);
      return ok(shownAccount(account));
    },

    getAccount: (call) => withAccount(call, async (account) => ok(shownAccount(account))),

    listMembers: (call) =>
      withAccount(call, async ({ id }) =>
        ok((await members.membersOf(id)).toSorted().map((userId) => ({ userId, email: directory?.emailOf(userId) ?? null }))),
      ),

    removeMember: (call) =>
      withAccount(call, async ({ id }) => {
        const { userId = '' } = call.parameters;
        const result = await members.removeMember(id, userId, { keepLast: true });
        if (result === 'not_a_member') return noSuch('member', userId);
        return result === 'removed' ? ok({ done: true as const }) : refused('conflict', 'this is the last member of the account; add another first');
      }),

    getUsage: (call) =>
      withAccount(call, async ({ id }) => {
        const usage = await ports.usage.usage(id, call.now);
        return usage === undefined ? noSuch('account', id) : ok(shownUsage(id, usage));
      }),

    listKeys: (call) => withAccount(call, async ({ id }) => ok((await accounts.listKeys(id)).map((record) => shownKey(record, call.now)))),

    issueKey: (call) =>
      withAccount(call, async ({ id }) => {
        const { name, scopes, expiresInDays } = call.body;
        if (!isDisplayName(name)) return refused('invalid_request', `name: got ${JSON.stringify(name)}; allowed: not blank, no control characters`);
        const expiresAt = expiresInDays === undefined ? undefined : call.now + expiresInDays * DAY_MS;
        const request = { mode: ports.keyMode, accountId: id, name, scopes, expiresAt, now: call.now };
        const issued = await issueKey(accounts, ports.randomBytes, request);
        if (!issued.ok) return tooManyKeys();
        return ok({ ...shownKey(issued.record, call.now), key: issued.key });
      }),

    rotateKey: (call) =>
      withKey(call, async (keyId) => {
        const request = { mode: ports.keyMode, keyId, graceMs: call.body.graceSeconds * 1_000, now: call.now };
        const rotated = await rotateKey(accounts, ports.randomBytes, request);
        if (!rotated.ok) return rotated.reason === 'too_many_keys' ? tooManyKeys() : refused('conflict', `key ${keyId} has ended; issue another one`);
        const old = await accounts.getKey(keyId);
        return ok({ ...shownKey(rotated.record, call.now), key: rotated.key, oldKeyId: keyId, oldExpiresAt: iso(old?.expiresAt ?? call.now) });
      }),

    unbanKey: (call) =>
      withKey(call, async (keyId) => {
        const unbanned = await unbanKey(accounts, keyId, call.now);
        const key = await accounts.getKey(keyId);
        return unbanned.ok && key !== undefined ? ok(shownKey(key, call.now)) : refused('conflict', `key ${keyId} is not banned`);
      }),

    revokeKey: (call) =>
      withKey(call, async (keyId) => {
        await accounts.revokeKey(keyId);
        return ok({ done: true as const });
      }),

    listProjects: (call) => withAccount(call, async ({ id }) => ok((await projects.listProjects(id)).map(showProject))),

    createProject: (call) =>
      withAccount(call, async ({ id }) => {
        const made = await createProject(ports, { accountId: id, name: call.body.name }, ports.randomBytes, call.now, firstSite);
        return made.ok ? ok(showProject(made.project)) : made;
      }),

    getProject: (call) => withProject(call, async (project) => ok(showProject(project))),

    listDeployments: (call) =>
      withProject(call, async ({ id, currentDeploymentId }) =>
        ok(
          (await projects.listDeployments(id)).map(({ id: deploymentId, createdAt, files, bytes }) => ({
            deploymentId,
            current: deploymentId === currentDeploymentId,
            createdAt: iso(createdAt),
            files,
            bytes,
          })),
        ),
      ),

    rollBack: (call) =>
      withProject(call, async (project) => {
        const back = await rollBack(ports, project, call.body.deploymentId);
        return back.ok ? ok(showProject(back.project)) : back;
      }),

    getConfiguration: (call) => withProject(call, async (project) => ok(shownConfiguration(project))),

    putConfiguration: (call) =>
      withProject(call, async ({ id }) => {
        const configured = await configureProject(ports, id, call.body, rules.policy);
        return configured.ok ? ok(shownConfiguration(configured.project)) : configured;
      }),

    listDomains: (call) =>
      withProject(call, async (project) => ok((await domains.listDomains(project.id)).map((domain) => showDomain(domain, project, call.now)))),

    addDomain: (call) =>
      withProject(call, async (project) => {
        const added = await addDomain(ports, project, call.body.host, rules, ports.randomBytes, call.now);
        return added.ok ? ok(showDomain(added.domain, project, call.now)) : added;
      }),

    getDomain: (call) => withDomain(call, async (domain, project) => ok(showDomain(domain, project, call.now))),

    verifyDomain: (call) =>
      withDomain(call, async (domain, project) => {
        const standing = verifications.standing(domain.accountId, call.now);
        if (!verifications.count(domain.accountId, call.now)) return tooManyVerifications(standing, call.now);
        const verified = await verifyDomain(ports, domain, call.now);
        // Counted before, so that many at once are counted too; but only what is done stays so.
        if (!verified.ok) {
          verifications.takeBack(domain.accountId, call.now);
          return verified;
        }
        return ok(showDomain(verified.domain, project, call.now));
      }),

    publishRecords: (call) =>
      withDomain(call, async (domain, project) => {
        const published = await publishRecords(domains, ports.publisher, domain, recordsOf(project, domain, rules));
        return published.ok ? ok(showDomain(domain, project, call.now)) : published;
      }),

    removeDomain: (call) =>
      withDomain(call, async (domain, project) => {
        const removed = await removeDomain(ports, domain, call.now, call.flags.includes('withRedirects'));
        return removed.ok ? ok(showDomain(removed.domain, project, call.now)) : removed;
      }),

    listSandboxRecords: ({ user }) =>
      withSandbox(async (port) => {
        const mine = await members.accountsOf(user.id);
        const visible = port.list().filter(({ accountId }) => accountId === undefined || mine.includes(accountId));
        return ok(visible.map(({ name, type, value, ttl }) => ({ name, type, value, ttl })));
      }),

    setSandboxRecord: ({ user, body: { accountId, ...body } }) =>
      withSandbox(async (port) => {
        const parsed = parseSandboxRecord(body, port.suffix);
        if (!parsed.ok) return refused('invalid_request', parsed.message);
        const mine = (await accountsOf(user.id)).map(({ id }) => id);
        const owner = accountId ?? mine[0];
        if (owner === undefined) return refused('conflict', 'you have no account yet; make one first');
        if (!mine.includes(owner)) return noSuch('account', owner);
        if (port.list().filter((record) => record.accountId === owner).length >= MAX_SANDBOX_RECORDS)
          return refused('conflict', `the account already has ${MAX_SANDBOX_RECORDS} records in the sandbox, the most it may have; remove one first`);
        if (isForeign(parsed.record.name, mine, port.list(), port.suffix))
          return refused(
            'conflict',
            `${zoneOfName(parsed.record.name, port.suffix)} belongs to another account here; choose another name below .${port.suffix}`,
          );
        await port.set(parsed.record, false, owner);
        return ok(parsed.record);
      }),

    unsetSandboxRecord: ({ user, body: { name, type, value } }) =>
      withSandbox(async (port) => {
        const foreign = isForeign(name, await members.accountsOf(user.id), port.list(), port.suffix);
        const removed = foreign ? 0 : await port.unset(name, type, value);
        return removed > 0 ? ok({ done: true as const }) : refused('not_found', `no record ${name} ${type} ${value}`);
      }),
  };

  return { handlers, isOurs };
}

function tooManyVerifications(standing: Standing, now: number): ActionRefusal {
  const { limit, resetAt } = standing;
  const seconds = retryAfterSeconds(resetAt, now);
  const message = `this account has asked for ${limit} verifications in this UTC minute, the most there are; its domains are checked automatically, or retry in ${seconds} s`;
  return { ...refused('rate_limit_exceeded', message), retryAfterSeconds: seconds, standing };
}

function tooManyKeys(): ActionRefusal {
  return refused('conflict', `the account already has ${MAX_KEYS_PER_ACCOUNT} keys, the most it may have; revoke one first`);
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
