// Stores add the notification about a change in the same step as the change.

import { expect } from 'expect';
import type { AccountStore, MemberStore } from '../core/access/ports.ts';
import { type Domain, newDomain } from '../core/domains/domain.ts';
import { transition } from '../core/domains/lifecycle.ts';
import type { DomainStore } from '../core/domains/ports.ts';
import { memberAdded, memberRemoved } from '../core/notifications/notification.ts';
import type { NotificationOutbox } from '../core/notifications/ports.ts';
import { turnOf } from '../core/notifications/turn.ts';
import type { ProjectStore } from '../core/projects/ports.ts';
import { makeProject, nextNumber } from './projects.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

export interface NotificationsWorld {
  readonly accounts: AccountStore;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  readonly members: MemberStore;
  readonly outbox: NotificationOutbox;
}

/** Declares the suite for an adapter. @param make returns stores on the same storage, with an outbox that nothing else adds to; called once */
export function notificationsOfChangesContract(runner: TestFunction, make: Make<NotificationsWorld>, options: SuiteOptions = {}): void {
  let stores: NotificationsWorld;

  const test = contractSuite(runner, 'notifications of changes', options, {
    setUp: once(async () => {
      stores = await make();
    }),
  });

  async function attaching(host = `www.notify-${nextNumber()}.dev`): Promise<Domain> {
    const project = await makeProject(stores);
    const number = nextNumber();
    const domain = newDomain({ id: `dom_notify${number}`, host, projectId: project.id, accountId: project.accountId }, NOON);
    const stored: Domain = { ...domain, state: { name: 'attaching', certificate: 'c', since: NOON, checks: 0, nextCheckAt: NOON } };
    expect(await stores.domains.addDomain(domain)).toBe('added');
    expect(await stores.domains.saveDomain(stored, domain)).toBe('saved');
    return stored;
  }
  function live(domain: Domain): Domain {
    const moved = transition(domain, { kind: 'edge_checked', serving: true, generation: domain.generation }, NOON + 1);
    if (moved.kind !== 'moved') throw new Error(moved.kind);
    return moved.domain;
  }
  const added = async (accountId: string) => (await stores.outbox.ofAccount(accountId)).map(({ notification }) => notification);

  test('of concurrent writers of a domain’s next state, one adds the notification', async () => {
    const domain = await attaching();
    const next = live(domain);
    const saved = await Promise.all(Array.from({ length: 4 }, () => stores.domains.saveDomain(next, domain)));
    expect(saved.toSorted()).toEqual(['changed', 'changed', 'changed', 'saved']);
    expect(await added(domain.accountId)).toMatchObject([{ at: NOON + 1, event: { kind: 'domain_live', domainId: domain.id, host: domain.host } }]);
    const [entry] = await stores.outbox.ofAccount(domain.accountId);
    expect(entry && (await stores.outbox.claim(entry, NOON + 1, NOON + 2))).toBeDefined();
  });

  test('of domains that were added together, only one reports both, whichever is claimed first', async () => {
    const [one, two] = [await attaching(), await attaching()];
    const pair = { projectId: one.projectId, accountId: one.accountId };
    const both = [
      { ...one, companion: { id: two.id, host: two.host } },
      { ...two, ...pair, companion: { id: one.id, host: one.host } },
    ];
    for (const [n, domain] of both.entries()) expect(await stores.domains.saveDomain(domain, [one, two][n] as Domain)).toBe('saved');
    const turnAt = async (index: number, now: number) => {
      const all = await stores.outbox.ofAccount(one.accountId);
      const entry = all.find(({ notification: { event } }) => 'domainId' in event && event.domainId === both[index]?.id);
      const claim = entry && (await stores.outbox.claim(entry, now, now + 1));
      return claim && turnOf(claim, await stores.outbox.ofAccount(one.accountId), now);
    };
    await Promise.all(both.map((domain) => stores.domains.saveDomain(live(domain), domain)));
    const turns = [await turnAt(0, NOON + 1), await turnAt(1, NOON + 1)].map((turn) => [turn?.kind, turn?.kind === 'send' && turn.pair?.id]);
    // If the times are equal, the id decides.
    const [waits, sends] = one.id < two.id ? turns : turns.toReversed();
    expect(waits).toEqual(['wait', false]);
    expect(sends).toEqual(['send', expect.stringContaining('domain_live:')]);
  });

  test('neither a change that is not stored nor a change that owners need not know about adds a notification', async () => {
    const one = await attaching();
    expect(await stores.domains.saveDomain(live(one), { ...one, generation: 7 })).toBe('changed');
    const next: Domain = { ...one, state: { ...one.state, checks: 1 } as Domain['state'] };
    expect(await stores.domains.saveDomain(next, one)).toBe('saved');
    const two = await attaching();
    const other = { ...two, host: one.host };
    expect(await stores.domains.saveDomain(live(other), two)).toBe('host_taken');
    expect([await added(one.accountId), await added(two.accountId)]).toEqual([[], []]);
  });

  test('adding a member again adds no notification, even if the member was first added without one', async () => {
    const { accountId } = await makeProject(stores);
    await stores.members.addMember(accountId, 'usr_first', 'owner');
    const [first, again] = [memberAdded(accountId, 'usr_second', NOON), memberAdded(accountId, 'usr_second', NOON + 1)];
    await stores.members.addMember(accountId, 'usr_second', 'member', first);
    await stores.members.addMember(accountId, 'usr_second', 'member', again);
    await stores.members.addMember(accountId, 'usr_first', 'owner', memberAdded(accountId, 'usr_first', NOON));
    expect(await added(accountId)).toEqual([first]);
    expect((await stores.members.membersOf(accountId)).map(({ userId }) => userId).sort()).toEqual(['usr_first', 'usr_second']);
  });

  test('the removal of a member causes one notification; a member who stays, or a user who is not a member, causes none', async () => {
    const { accountId } = await makeProject(stores);
    const { members } = stores;
    for (const userId of ['usr_first', 'usr_second']) await members.addMember(accountId, userId, 'owner');
    const keepOwner = { keepOwner: true };
    const gone = (userId: string, at: number) => memberRemoved(accountId, { userId, by: 'usr_first', made: [], revoked: false }, at);
    const removed = Array.from({ length: 4 }, (_, n) => members.removeMember(accountId, 'usr_second', keepOwner, gone('usr_second', NOON + n)));
    expect((await Promise.all(removed)).toSorted()).toEqual(['not_a_member', 'not_a_member', 'not_a_member', 'removed']);
    expect(await members.removeMember(accountId, 'usr_first', keepOwner, gone('usr_first', NOON))).toBe('last_owner');
    expect(await added(accountId)).toMatchObject([{ event: { kind: 'member_removed', userId: 'usr_second' } }]);
    await members.removeMember(accountId, 'usr_first', { keepOwner: false });
    expect(await added(accountId)).toHaveLength(1);
  });
}
