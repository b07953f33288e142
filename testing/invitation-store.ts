// What every InvitationStore must do.

import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'expect';
import { OPERATOR } from '../core/access/account.ts';
import { generateInvitationToken, type Invitation, newInvitationId } from '../core/access/invitation.ts';
import type { AccountStore, InvitationStore, MemberStore } from '../core/access/ports.ts';
import { DAY_MS } from '../core/limits/windows.ts';
import { invitationSent, memberAdded } from '../core/notifications/notification.ts';
import type { NotificationOutbox } from '../core/notifications/ports.ts';
import { NOON, sampleAccount } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

export interface InvitationStoreWorld {
  readonly accounts: AccountStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly outbox: NotificationOutbox;
}

const LIMITS = { open: 3, perDay: 5 };

/** Declares the suite for an adapter. @param make returns stores on the same storage; called once */
export function invitationStoreContract(runner: TestFunction, make: Make<InvitationStoreWorld>, options: SuiteOptions = {}): void {
  let stores: InvitationStoreWorld;

  const test = contractSuite(runner, 'InvitationStore contract', options, {
    setUp: once(async () => {
      stores = await make();
    }),
  });

  async function makeAccount(): Promise<string> {
    const account = sampleAccount();
    await stores.accounts.createAccount(account);
    return account.id;
  }
  function sample(accountId: string, email: string, fields: Partial<Invitation> = {}): Invitation {
    const id = newInvitationId(accountId, randomBytes);
    const { digest } = generateInvitationToken(id, randomBytes);
    const times = { createdAt: NOON, expiresAt: NOON + DAY_MS };
    return { id, accountId, email, role: 'member', invitedBy: `usr_${accountId}`, mailed: false, digests: [digest], ...times, ...fields };
  }
  const add = async (invitation: Invitation, limits = LIMITS) => {
    expect(await stores.invitations.addInvitation(invitation, limits)).toBe('added');
    return invitation;
  };
  const accept = (invitation: Invitation, userId: string) =>
    stores.invitations.acceptInvitation(invitation, userId, memberAdded(invitation.accountId, userId, NOON));
  const notified = async (accountId: string) => (await stores.outbox.ofAccount(accountId)).map(({ notification }) => notification.event.kind);

  test("lists an account's invitations, oldest first, and finds each by its id", async () => {
    const [accountId, other] = [await makeAccount(), await makeAccount()];
    const late = await add(sample(accountId, 'a@example.com', { createdAt: NOON + 2, role: 'owner', mailed: true, digests: [] }));
    const early = await add(sample(accountId, 'b@example.com', { createdAt: NOON + 1 }));
    const elsewhere = await add(sample(other, 'a@example.com'));
    expect(await stores.invitations.listInvitations(accountId)).toEqual([early, late]);
    expect(await stores.invitations.listInvitations(other)).toEqual([elsewhere]);
    expect(await stores.invitations.getInvitation(late.id)).toEqual(late);
    const unknown = [newInvitationId(accountId, randomBytes), newInvitationId('acc_0000000000', randomBytes), 'inv_x'];
    for (const id of unknown) expect(await stores.invitations.getInvitation(id)).toBeUndefined();
  });

  test('a repeated invitation ends and replaces the earlier one to the same address', async () => {
    const accountId = await makeAccount();
    const first = await add(sample(accountId, 'a@example.com'));
    const second = await add(sample(accountId, 'a@example.com', { role: 'owner' }));
    expect(await stores.invitations.listInvitations(accountId)).toEqual([second]);
    expect([await accept(first, 'usr_a'), await stores.invitations.removeInvitation(first.id)]).toEqual(['gone', false]);
    expect(await stores.invitations.addDigest(first.id, 'd')).toBe(false);
    expect(await stores.members.membersOf(accountId)).toEqual([]);
    expect(await stores.invitations.getInvitation(second.id)).toEqual(second);
  });

  test('of concurrent invitations to the same address, one remains', async () => {
    const accountId = await makeAccount();
    await Promise.all(Array.from({ length: 4 }, () => add(sample(accountId, 'a@example.com'))));
    expect(await stores.invitations.listInvitations(accountId)).toHaveLength(1);
  });

  test('limits open invitations to other addresses, and all invitations in a day, even those that have ended', async () => {
    const accountId = await makeAccount();
    const tryToAdd = (email: string, fields: Partial<Invitation> = {}) =>
      stores.invitations.addInvitation(sample(accountId, email, fields), LIMITS, invitationSent(sample(accountId, email)));
    for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) expect(await tryToAdd(email)).toBe('added');
    expect(await tryToAdd('d@example.com')).toBe('too_many_open');
    // The same address as before.
    expect(await tryToAdd('c@example.com')).toBe('added');
    for (const { id } of await stores.invitations.listInvitations(accountId)) expect(await stores.invitations.removeInvitation(id)).toBe(true);
    expect(await tryToAdd('d@example.com')).toBe('added');
    expect(await tryToAdd('e@example.com')).toBe('too_many_today');
    expect((await stores.invitations.listInvitations(accountId)).map(({ email }) => email)).toEqual(['d@example.com']);
    expect(await notified(accountId)).toHaveLength(5);
    const tomorrow = { createdAt: NOON + DAY_MS, expiresAt: NOON + 2 * DAY_MS };
    expect(await tryToAdd('e@example.com', tomorrow)).toBe('added');
  });

  test('the daily maximum holds for concurrent invitations', async () => {
    const accountId = await makeAccount();
    const addresses = Array.from({ length: 8 }, (_, n) => `${n}@example.com`);
    const results = await Promise.all(
      addresses.map((email) => stores.invitations.addInvitation(sample(accountId, email), { open: 100, perDay: LIMITS.perDay })),
    );
    expect(results.filter((result) => result === 'added')).toHaveLength(LIMITS.perDay);
  });

  test('the daily maximum also holds for the inviting user, across all accounts, but not for the operator', async () => {
    const [one, two] = [await makeAccount(), await makeAccount()];
    const invitedBy = `usr_${randomUUID()}`;
    const tryToAdd = (accountId: string, by: string) =>
      stores.invitations.addInvitation(sample(accountId, 'a@example.com', { invitedBy: by }), LIMITS);
    for (const accountId of [one, one, one, two, two]) expect(await tryToAdd(accountId, invitedBy)).toBe('added');
    for (const accountId of [one, two]) expect(await tryToAdd(accountId, invitedBy)).toBe('too_many_today');
    // Refused invitations did not count towards the account's maximum either.
    const another = `usr_${randomUUID()}`;
    for (const by of [another, OPERATOR, OPERATOR]) expect(await tryToAdd(two, by)).toBe('added');
    for (const by of [another, OPERATOR]) expect(await tryToAdd(two, by)).toBe('too_many_today');
    const three = await makeAccount();
    for (let n = 0; n < LIMITS.perDay; n += 1) expect(await tryToAdd(three, OPERATOR)).toBe('added');
    expect(await tryToAdd(one, OPERATOR)).toBe('added');
  });

  test('the daily maximum holds for concurrent invitations to several accounts', async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, makeAccount));
    const invitedBy = `usr_${randomUUID()}`;
    const invitations = accounts.flatMap((accountId) => ['a@example.com', 'b@example.com'].map((email) => sample(accountId, email, { invitedBy })));
    const results = await Promise.all(invitations.map((each) => stores.invitations.addInvitation(each, LIMITS)));
    expect(results.filter((result) => result === 'added')).toHaveLength(LIMITS.perDay);
  });

  test('expired invitations do not count as open', async () => {
    const accountId = await makeAccount();
    for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) await add(sample(accountId, email, { expiresAt: NOON + 1 }));
    await add(sample(accountId, 'd@example.com', { createdAt: NOON + 1 }));
  });

  test('keeps the digests of all links, even of those added concurrently', async () => {
    const accountId = await makeAccount();
    const { id } = await add(sample(accountId, 'a@example.com', { digests: [] }));
    const added = await Promise.all(['one', 'two', 'three'].map((digest) => stores.invitations.addDigest(id, digest)));
    expect([added, (await stores.invitations.getInvitation(id))?.digests.toSorted()]).toEqual([
      [true, true, true],
      ['one', 'three', 'two'],
    ]);
  });

  test('a withdrawn invitation is gone, and a late link does not bring it back', async () => {
    const accountId = await makeAccount();
    const invitation = await add(sample(accountId, 'a@example.com'));
    const removed = await Promise.all([1, 2].map(() => stores.invitations.removeInvitation(invitation.id)));
    expect(removed.toSorted()).toEqual([false, true]);
    expect([await stores.invitations.removeInvitation('inv_x'), await stores.invitations.addDigest(invitation.id, 'd')]).toEqual([false, false]);
    expect([await accept(invitation, 'usr_a'), await stores.invitations.listInvitations(accountId)]).toEqual(['gone', []]);
    expect(await notified(accountId)).toEqual([]);
  });

  test('of several concurrent acceptances, one succeeds, and members are notified once', async () => {
    const accountId = await makeAccount();
    const invitation = await add(sample(accountId, 'a@example.com', { role: 'owner' }));
    const userId = `usr_${randomUUID()}`;
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => accept(invitation, userId)));
    expect(outcomes.toSorted()).toEqual(['accepted', 'gone', 'gone', 'gone']);
    expect(await stores.members.membersOf(accountId)).toEqual([{ userId, role: 'owner' }]);
    expect(await stores.members.membershipsOf(userId)).toEqual([{ accountId, role: 'owner' }]);
    expect([await stores.invitations.listInvitations(accountId), await notified(accountId)]).toEqual([[], ['member_added']]);
  });

  test('a member who accepts keeps their role, and the invitation ends without a notification', async () => {
    const accountId = await makeAccount();
    const userId = `usr_${randomUUID()}`;
    await stores.members.addMember(accountId, userId, 'member');
    const invitation = await add(sample(accountId, 'a@example.com', { role: 'owner' }));
    expect([await accept(invitation, userId), await accept(invitation, userId)]).toEqual(['already_member', 'gone']);
    expect(await stores.members.membersOf(accountId)).toEqual([{ userId, role: 'member' }]);
    expect([await stores.invitations.listInvitations(accountId), await notified(accountId)]).toEqual([[], []]);
  });
}
