// What every AuditLog must do: each change to a store leaves one entry, in the same step as the change.

import { randomBytes } from 'node:crypto';
import { expect } from 'expect';
import { randomBase62 } from '../core/access/base62.ts';
import type { Invitation } from '../core/access/invitation.ts';
import type { AccountStore, DeployTokenStore, InvitationStore, MemberStore } from '../core/access/ports.ts';
import type { Actor, AuditAction, AuditEntry } from '../core/audit/entry.ts';
import type { AuditLog } from '../core/audit/ports.ts';
import { newDomain } from '../core/domains/domain.ts';
import type { DomainStore } from '../core/domains/ports.ts';
import type { UserStore } from '../core/identity/ports.ts';
import { DAY_MS } from '../core/limits/windows.ts';
import { memberAdded } from '../core/notifications/notification.ts';
import type { NotificationSettings } from '../core/notifications/ports.ts';
import type { FileRemovalStore, ProjectStore } from '../core/projects/ports.ts';
import { EMPTY_CONFIGURATION } from '../core/projects/project.ts';
import type { SandboxRecords } from '../core/sandbox/ports.ts';
import { nextNumber, sampleProject } from './projects.ts';
import { NOON, REVOKED, sampleAccount, sampleKey } from './samples.ts';
import { allPages, contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

interface AuditedStores {
  readonly accounts: AccountStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly deployTokens: DeployTokenStore;
  readonly projects: ProjectStore;
  readonly removals: FileRemovalStore;
  readonly domains: DomainStore;
  readonly notificationSettings: NotificationSettings;
  /** Absent if the platform's users are managed elsewhere. */
  readonly users?: UserStore;
  /** Absent if the platform has no DNS of its own. */
  readonly sandbox?: SandboxRecords;
}

export interface AuditWorld extends AuditedStores {
  readonly audit: AuditLog;
  /** Sets the actor from now on. If the function throws, the stores must change nothing. */
  act(actor: () => Actor): void;
}

type Methods<Port> = keyof Port & string;

/** A change made by one method: `before` prepares it, if necessary, and `call` makes it, which must leave one entry. */
interface AuditedChange {
  readonly action: AuditAction;
  /** The entry's account. @default none */
  readonly accountId?: string;
  readonly subject: string;
  readonly before?: () => Promise<unknown>;
  readonly call: () => Promise<unknown>;
  /** Whether a second call changes nothing, and leaves no entry. @default true */
  readonly isOnce?: boolean;
}

/** Why a method leaves no entry: it changes nothing, or no person or pipeline decides on the change. */
type Unaudited = 'reads' | 'bookkeeping';

/** Each method of each store. A new method is a type error here until its entry is decided. */
type Audited = {
  readonly [Port in keyof Required<AuditedStores>]: {
    readonly [Method in Methods<Required<AuditedStores>[Port]>]: Unaudited | ((stores: Required<AuditedStores>) => AuditedChange);
  };
};

function cases(): Audited {
  const account = sampleAccount();
  const accountId = account.id;
  const project = sampleProject({ accountId });
  const projectId = `prj_${randomBase62(10, randomBytes)}`;
  const ban = { since: NOON, until: NOON + DAY_MS, level: 1 };
  const keys = {
    first: sampleKey(accountId),
    expired: sampleKey(accountId),
    banned: sampleKey(accountId, { ban }),
    revoked: sampleKey(accountId),
    changed: sampleKey(accountId),
  };
  const stored = ({ text: _, ...key }: ReturnType<typeof sampleKey>) => key;
  const user = `usr_${nextNumber()}`;
  const invite = (n: number): Invitation => ({
    id: `inv_${accountId.slice(4)}${String(n).padStart(12, '0')}`,
    ...{ accountId, email: `guest${n}@example.com`, role: 'member', invitedBy: 'usr_1' },
    ...{ createdAt: NOON, expiresAt: NOON + DAY_MS, mailed: false, digests: ['d'] },
  });
  const many = { open: 100, perDay: 100 };
  const token = (n: number) => ({
    ...{ id: `tok_${projectId.slice(4)}${String(n).padStart(12, '0')}`, projectId, digest: 'd', name: 'CI' },
    ...{ createdBy: 'usr_1', createdAt: NOON, expiresAt: NOON + DAY_MS },
  });
  const deployment = (n: number) => ({ id: `dpl_${project.id}${n}`, projectId: project.id, createdAt: NOON + n, files: 1, bytes: 1 });
  const domain = newDomain({ id: `dom_audit${nextNumber()}`, host: `www.audit-${nextNumber()}.dev`, projectId: project.id, accountId }, NOON);
  const removing = { ...domain, state: { name: 'removing', since: NOON, checks: 0, nextCheckAt: NOON } } as const;
  const record = { name: `a.audit-${nextNumber()}.test`, type: 'A', value: '192.0.2.1', ttl: 60 } as const;
  const change = (action: AuditAction, subject: string, call: () => Promise<unknown>, more: Partial<AuditedChange> = {}): AuditedChange => ({
    ...{ action, accountId, subject, call },
    ...more,
  });
  const ofUser = (action: AuditAction, call: () => Promise<unknown>, more: Partial<AuditedChange> = {}): AuditedChange => ({
    ...{ action, subject: user, call, isOnce: false },
    ...more,
  });
  return {
    accounts: {
      createAccount: ({ accounts }) => change('account.created', accountId, () => accounts.createAccount(account)),
      setPlan: ({ accounts }) => change('account.plan_set', accountId, () => accounts.setPlan(accountId, 'pro', account.limits), { isOnce: false }),
      setPlanRequest: ({ accounts }) => {
        const request = { plan: 'pro', note: '', requestedBy: 'usr_1', requestedAt: NOON } as const;
        return change('account.plan_requested', accountId, () => accounts.setPlanRequest(accountId, request), { isOnce: false });
      },
      setSuspension: ({ accounts }) =>
        change('account.suspended', accountId, () => accounts.setSuspension(accountId, { since: NOON, reason: 'not paid' }), { isOnce: false }),
      rename: ({ accounts }) => change('account.renamed', accountId, () => accounts.rename(accountId, 'Another shop'), { isOnce: false }),
      setSecondFactor: ({ accounts }) =>
        change('account.second_factor_required', accountId, () => accounts.setSecondFactor(accountId, true), { isOnce: false }),
      deleteAccount: ({ accounts }) => {
        const other = sampleAccount();
        return {
          ...{ action: 'account.deleted', accountId: other.id, subject: other.id, call: () => accounts.deleteAccount(other.id, NOON) },
          before: () => accounts.createAccount(other),
        };
      },
      addKey: ({ accounts }) => change('key.issued', keys.first.id, () => accounts.addKey(stored(keys.first), 10, NOON), { isOnce: false }),
      expireKey: ({ accounts }) =>
        change('key.expiry_set', keys.expired.id, () => accounts.expireKey(keys.expired.id, NOON + DAY_MS), {
          before: () => accounts.addKey(stored(keys.expired), 10, NOON),
          isOnce: false,
        }),
      changeKey: ({ accounts }) => {
        const key = stored(keys.changed);
        return change('key.paused', key.id, () => accounts.changeKey({ ...key, pausedAt: NOON }, key), {
          before: () => accounts.addKey(key, 10, NOON),
        });
      },
      liftBan: ({ accounts }) =>
        change('key.unbanned', keys.banned.id, () => accounts.liftBan(keys.banned.id, NOON + 1), {
          before: () => accounts.addKey(stored(keys.banned), 10, NOON),
        }),
      revokeKey: ({ accounts }) =>
        change('key.revoked', keys.revoked.id, () => accounts.revokeKey(keys.revoked.id, REVOKED), {
          before: () => accounts.addKey(stored(keys.revoked), 10, NOON),
        }),
      ...{ listAccounts: 'reads', getAccount: 'reads', listKeys: 'reads', getKey: 'reads', listRevokedKeys: 'reads' },
    },
    members: {
      addMember: ({ members }) => change('member.added', user, () => members.addMember(accountId, user, 'member')),
      setRole: ({ members }) => change('member.role_set', user, () => members.setRole(accountId, user, 'owner'), { isOnce: false }),
      removeMember: ({ members }) => change('member.removed', user, () => members.removeMember(accountId, user, { keepOwner: false })),
      ...{ membershipsOf: 'reads', membersOf: 'reads' },
    },
    invitations: {
      addInvitation: ({ invitations }) =>
        change('invitation.created', invite(1).id, () => invitations.addInvitation(invite(1), many), { isOnce: false }),
      addDigest: ({ invitations }) =>
        change('invitation.link_created', invite(2).id, () => invitations.addDigest(invite(2).id, 'e'), {
          before: () => invitations.addInvitation(invite(2), many),
          isOnce: false,
        }),
      removeInvitation: ({ invitations }) =>
        change('invitation.removed', invite(3).id, () => invitations.removeInvitation(invite(3).id), {
          before: () => invitations.addInvitation(invite(3), many),
        }),
      acceptInvitation: ({ invitations }) =>
        change('member.added', 'usr_guest', () => invitations.acceptInvitation(invite(4), 'usr_guest', memberAdded(accountId, 'usr_guest', NOON)), {
          before: () => invitations.addInvitation(invite(4), many),
        }),
      ...{ listInvitations: 'reads', getInvitation: 'reads' },
    },
    deployTokens: {
      addToken: ({ deployTokens, projects }) =>
        change('deploy_token.issued', token(1).id, () => deployTokens.addToken(token(1)), {
          before: () => projects.createProject(sampleProject({ id: projectId, accountId })),
          isOnce: false,
        }),
      removeToken: ({ deployTokens }) =>
        change('deploy_token.revoked', token(2).id, () => deployTokens.removeToken(token(2).id), { before: () => deployTokens.addToken(token(2)) }),
      ...{ listTokens: 'reads', getToken: 'reads', useToken: 'bookkeeping' },
    },
    projects: {
      createProject: ({ projects }) => change('project.created', project.id, () => projects.createProject(project)),
      rename: ({ projects }) => change('project.renamed', project.id, () => projects.rename(project.id, 'Another'), { isOnce: false }),
      putConfiguration: ({ projects }) =>
        change('project.configured', project.id, () => projects.putConfiguration(project.id, EMPTY_CONFIGURATION), { isOnce: false }),
      deploy: ({ projects }) => change('deployment.published', deployment(1).id, () => projects.deploy(deployment(1)), { isOnce: false }),
      setCurrentDeployment: ({ projects }) =>
        change('deployment.served', deployment(2).id, () => projects.setCurrentDeployment(project.id, deployment(2).id, NOON), {
          before: () => projects.deploy(deployment(2)),
          isOnce: false,
        }),
      setPinned: ({ projects }) =>
        change('deployment.pinned', deployment(5).id, () => projects.setPinned(deployment(5), true), {
          before: () => projects.deploy(deployment(5)),
          isOnce: false,
        }),
      deleteDeployment: ({ projects }) =>
        change('deployment.deleted', deployment(3).id, () => projects.deleteDeployment(deployment(3), NOON), {
          before: async () => {
            await projects.deploy(deployment(3));
            await projects.deploy(deployment(4));
          },
        }),
      deleteProject: ({ projects }) => {
        const other = sampleProject({ accountId });
        return change('project.deleted', other.id, () => projects.deleteProject(other, NOON), { before: () => projects.createProject(other) });
      },
      ...{ getProject: 'reads', listProjects: 'reads', listDeployments: 'reads', getDeployment: 'reads', bytesStored: 'reads' },
    },
    removals: {
      finish: ({ removals }) => {
        const removal = { projectId: project.id, deploymentId: 'dpl_removed', dueAt: NOON, bytes: 1 };
        return change('files.removed', 'dpl_removed', () => removals.finish(removal), { before: () => removals.schedule(removal) });
      },
      ...{ schedule: 'bookkeeping', begin: 'bookkeeping', ofProject: 'reads', list: 'reads' },
    },
    domains: {
      addDomain: ({ domains }) => change('domain.added', domain.id, () => domains.addDomain(domain)),
      saveDomain: ({ domains }) => change('domain.state_set', domain.id, () => domains.saveDomain(removing, domain)),
      ...{ getDomain: 'reads', listDomains: 'reads', claimsOf: 'reads', dueDomains: 'reads' },
    },
    notificationSettings: {
      mute: ({ notificationSettings }) => ofUser('notifications.set', () => notificationSettings.mute(user, ['key_banned'])),
      mutedBy: 'reads',
      // Stores a key that only its user needs.
      unsubscribeKey: 'reads',
    },
    users: {
      add: ({ users }) => ofUser('user.added', () => users.add({ id: user, email: `${user}@example.com` }, 'a password'), { isOnce: true }),
      setPassword: ({ users }) => ofUser('user.password_set', () => users.setPassword(user, 'another password')),
      endSessions: ({ users }) => ofUser('sessions.ended', () => users.endSessions(user)),
      remove: ({ users }) => ofUser('user.removed', () => users.remove(user), { isOnce: true }),
      ...{
        get: 'reads',
        byEmail: 'reads',
        list: 'reads',
        check: 'reads',
        sessionGeneration: 'reads',
        userOfReset: 'reads',
        addReset: 'bookkeeping',
        resetPassword: 'bookkeeping',
      },
    },
    sandbox: {
      set: ({ sandbox }) => change('sandbox_record.set', record.name, () => sandbox.set(record, false, accountId), { isOnce: false }),
      change: ({ sandbox }) => {
        const other = { ...record, value: '192.0.2.2' };
        return change('sandbox_record.set', record.name, () => sandbox.change(() => ({ result: undefined, set: [[other, true, accountId]] })), {
          isOnce: false,
        });
      },
      unset: ({ sandbox }) => ({ action: 'sandbox_record.removed', subject: record.name, call: () => sandbox.unset(record.name) }),
      ...{ list: 'reads', inZone: 'reads' },
    },
  };
}

/** Declares the suite for an adapter. @param make returns stores and an audit log on the same storage; called once */
export function auditLogContract(runner: TestFunction, make: Make<AuditWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'AuditLog contract', options, { setUp: once(make) });

  const all = ({ audit }: AuditWorld, query: Parameters<AuditLog['entries']>[0] = {}, limit = 7): Promise<AuditEntry[]> =>
    allPages(async (after) => {
      const page = await audit.entries(query, limit, after);
      expect(page.items.length).toBeLessThanOrEqual(limit);
      return page;
    });

  /** Returns only the entries from today and yesterday, because the whole log would be read day by day, for 400 days. */
  const lately = (world: AuditWorld) => all(world, { since: Date.now() - DAY_MS });

  test('each change leaves one entry that names who made it, and an action without effect leaves none', async (world) => {
    for (const [port, method, change] of changesIn(world)) {
      await change.before?.();
      const known = (await lately(world)).length;
      const actor: Actor = { kind: 'user', id: `usr_${port}_${method}`, address: '192.0.2.1', requestId: 'r' };
      world.act(() => actor);
      await change.call();
      const added = (await lately(world)).slice(0, -known || undefined);
      const { action, subject, accountId } = change;
      expect([`${port}.${method}`, added.map((entry) => ({ ...entry, id: '', at: 0, details: {} }))]).toEqual([
        `${port}.${method}`,
        [{ id: '', at: 0, action, subject, actor, details: {}, ...(accountId !== undefined && { accountId }) }],
      ]);
      expect(Math.abs(Date.now() - (added[0]?.at ?? 0))).toBeLessThan(60_000);
      if (change.isOnce === false) continue;
      await change.call();
      expect([`${port}.${method} again`, (await lately(world)).length]).toEqual([`${port}.${method} again`, known + 1]);
    }
  });

  test("a change whose entry can't be stored is not made", async (world) => {
    for (const [port, method, change] of changesIn(world)) {
      world.act(() => ({ kind: 'service' }));
      await change.before?.();
      const known = (await lately(world)).length;
      world.act(() => {
        throw new Error('nobody');
      });
      const outcome = await (async () => change.call())().then(
        () => 'done',
        (error: unknown) => (error instanceof Error ? error.message : error),
      );
      expect([`${port}.${method}`, outcome]).toEqual([`${port}.${method}`, 'nobody']);
      world.act(() => ({ kind: 'service' }));
      expect((await lately(world)).length).toBe(known);
      // The first call changed nothing, so this one makes the change, and leaves its entry.
      await change.call();
      expect([`${port}.${method}`, (await lately(world)).length]).toEqual([`${port}.${method}`, known + 1]);
    }
  });

  test("lists an account's entries in pages, newest first, and no others", async (world) => {
    world.act(() => ({ kind: 'operator', id: 'ann@host' }));
    const [mine, other] = [sampleAccount(), sampleAccount()];
    for (const each of [mine, other]) await world.accounts.createAccount(each);
    for (let n = 0; n < 20; n += 1) await world.members.addMember(n % 2 === 0 ? mine.id : other.id, `usr_page${n}`, 'member');
    const entries = await all(world, { accountId: mine.id }, 3);
    const members = Array.from({ length: 10 }, (_, n) => `usr_page${18 - 2 * n}`);
    expect(entries.map(({ subject }) => subject)).toEqual([...members, mine.id]);
    expectLatestFirst(entries);
    expect(await world.audit.entries({ accountId: 'acc_nobody' }, 10)).toEqual({ items: [], next: undefined });
    const everything = await all(world);
    expect(everything.filter(({ accountId }) => accountId === mine.id)).toEqual(entries);
    expectLatestFirst(everything);
  });

  test('lists the entries of a period', async (world) => {
    world.act(() => ({ kind: 'service' }));
    const account = sampleAccount();
    await world.accounts.createAccount(account);
    const [entry] = await all(world, { accountId: account.id });
    const at = entry?.at ?? 0;
    for (const query of [{}, { accountId: account.id }]) {
      expect((await all(world, { ...query, since: at, until: at + 1 })).map(({ id }) => id)).toContain(entry?.id);
      expect((await all(world, { ...query, since: at + 1 })).map(({ id }) => id)).not.toContain(entry?.id);
      expect((await all(world, { ...query, until: at })).map(({ id }) => id)).not.toContain(entry?.id);
      expect(await all(world, { ...query, since: at + DAY_MS })).toEqual([]);
    }
  });

  test('concurrent changes all have their entries', async (world) => {
    world.act(() => ({ kind: 'service' }));
    const account = sampleAccount();
    await world.accounts.createAccount(account);
    const users = Array.from({ length: 20 }, (_, n) => `usr_at_once${n}`);
    await Promise.all(users.map((user) => world.members.addMember(account.id, user, 'member')));
    const entries = await all(world, { accountId: account.id });
    expect(entries.map(({ subject }) => subject).toSorted()).toEqual([account.id, ...users].toSorted());
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  });

  test('adds an entry that belongs to no other change', async (world) => {
    world.act(() => ({ kind: 'operator', id: 'ann@host' }));
    const subject = `file${nextNumber()}.csv`;
    await world.audit.record({ action: 'animals.imported', subject, details: { lines: 3 } });
    expect((await all(world))[0]).toMatchObject({
      action: 'animals.imported',
      subject,
      details: { lines: 3 },
      actor: { kind: 'operator', id: 'ann@host' },
    });
  });
}

function expectLatestFirst(entries: readonly AuditEntry[]): void {
  const ids = entries.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted().toReversed());
}

/** Returns new changes, in an order in which each finds what it needs. */
function changesIn(world: AuditWorld): [port: string, method: string, change: AuditedChange][] {
  return Object.entries(cases()).flatMap(([port, methods]) =>
    port in world
      ? Object.entries(methods).flatMap(([method, each]): [string, string, AuditedChange][] =>
          typeof each === 'function' ? [[port, method, each(world as AuditWorld & Required<AuditedStores>)]] : [],
        )
      : [],
  );
}
