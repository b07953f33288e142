// What every MemberStore must do.

import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import type { AccountStore, MemberStore } from '../core/access/ports.ts';
import { sampleAccount } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

export interface MemberStoreWorld {
  readonly accounts: AccountStore;
  readonly members: MemberStore;
}

/** Declares the suite for an adapter. @param make returns stores on the same storage; called once */
export function memberStoreContract(runner: TestFunction, make: Make<MemberStoreWorld>, options: SuiteOptions = {}): void {
  let stores: MemberStoreWorld;
  const newUserName = (name = 'user') => `${name}-${randomUUID()}`;
  const keepOwner = { keepOwner: true };

  const test = contractSuite(runner, 'MemberStore contract', options, {
    setUp: once(async () => {
      stores = await make();
    }),
  });

  async function makeAccount(): Promise<string> {
    const account = sampleAccount();
    await stores.accounts.createAccount(account);
    return account.id;
  }

  const accountsOf = async (user: string) => (await stores.members.membershipsOf(user)).map(({ accountId }) => accountId).sort();
  const membersOf = async (account: string) =>
    Object.fromEntries((await stores.members.membersOf(account)).map(({ userId, role }) => [userId, role]));

  test('a user can be a member of several accounts, once in each, with a role in each', async () => {
    const [one, two] = [await makeAccount(), await makeAccount()];
    const user = newUserName();
    await stores.members.addMember(one, user, 'owner');
    await stores.members.addMember(two, user, 'member');
    // The role stays.
    await stores.members.addMember(one, user, 'member');
    expect((await stores.members.membershipsOf(user)).toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1))).toEqual(
      [
        { accountId: one, role: 'owner' },
        { accountId: two, role: 'member' },
      ].sort((a, b) => (a.accountId < b.accountId ? -1 : 1)),
    );
    expect(await stores.members.membershipsOf('user-nobody')).toEqual([]);
    expect([await membersOf(one), await membersOf('acc_nobody')]).toEqual([{ [user]: 'owner' }, {}]);
  });

  test('ending one membership does not affect the others', async () => {
    const { members } = stores;
    const [one, two] = [await makeAccount(), await makeAccount()];
    const [ann, bob] = [newUserName('ann'), newUserName('bob')];
    for (const account of [one, two]) for (const user of [ann, bob]) await members.addMember(account, user, 'owner');
    expect(await members.removeMember(one, ann, keepOwner)).toBe('removed');
    expect(await members.removeMember(one, ann, keepOwner)).toBe('not_a_member');
    expect(await members.removeMember(one, bob, keepOwner)).toBe('last_owner');
    expect([await membersOf(one), await accountsOf(ann), await accountsOf(bob)]).toEqual([{ [bob]: 'owner' }, [two], [one, two].sort()]);
    expect(await members.removeMember(one, bob, { keepOwner: false })).toBe('removed');
    expect([await membersOf(one), Object.keys(await membersOf(two)).sort()]).toEqual([{}, [ann, bob].sort()]);
  });

  test("the last owner can't leave or be demoted, whatever other members there are", async () => {
    const { members } = stores;
    const account = await makeAccount();
    const [ann, bob] = [newUserName('ann'), newUserName('bob')];
    await members.addMember(account, ann, 'owner');
    await members.addMember(account, bob, 'member');
    expect(await members.removeMember(account, ann, keepOwner)).toBe('last_owner');
    expect(await members.setRole(account, ann, 'member')).toBe('last_owner');
    expect(await members.setRole(account, 'user-nobody', 'owner')).toBe('not_a_member');
    expect(await members.setRole(account, bob, 'owner')).toBe('set');
    expect(await members.setRole(account, ann, 'member')).toBe('set');
    expect(await membersOf(account)).toEqual({ [ann]: 'member', [bob]: 'owner' });
    expect(await members.membershipsOf(bob)).toEqual([{ accountId: account, role: 'owner' }]);
    expect(await members.removeMember(account, ann, keepOwner)).toBe('removed');
  });

  test('if owners remove each other concurrently, one remains', async () => {
    const accountId = await makeAccount();
    const users = Array.from({ length: 4 }, () => newUserName());
    for (const user of users) await stores.members.addMember(accountId, user, 'owner');
    const results = await Promise.all(users.map((user) => stores.members.removeMember(accountId, user, keepOwner)));
    expect(results.toSorted()).toEqual(['last_owner', 'removed', 'removed', 'removed']);
    expect(Object.values(await membersOf(accountId))).toEqual(['owner']);
  });

  test('if owners step down and remove each other concurrently, one owner remains', async () => {
    const accountId = await makeAccount();
    const users = Array.from({ length: 4 }, () => newUserName());
    for (const user of users) await stores.members.addMember(accountId, user, 'owner');
    const results = await Promise.all(
      users.map((user, index) =>
        index % 2 === 0 ? stores.members.setRole(accountId, user, 'member') : stores.members.removeMember(accountId, user, keepOwner),
      ),
    );
    expect(results.filter((result) => result === 'last_owner')).toHaveLength(1);
    expect(Object.values(await membersOf(accountId)).filter((role) => role === 'owner')).toHaveLength(1);
  });
}
