// What every MemberStore must do.

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AccountStore, MemberStore } from '../../core/access/ports.ts';
import { sampleAccount } from '../support/samples.ts';

interface Stores {
  readonly accounts: AccountStore;
  readonly members: MemberStore;
}

/** Declares the suite for an adapter. @param name of the adapter, for test names */
export function memberStoreContract(name: string, makeStores: () => Promise<Stores>): void {
  describe(`MemberStore contract: ${name}`, () => {
    let stores: Stores;
    const newUserName = (name = 'user') => `${name}-${randomUUID()}`;

    beforeAll(async () => {
      stores = await makeStores();
    });

    async function makeAccount(): Promise<string> {
      const account = sampleAccount();
      await stores.accounts.createAccount(account);
      return account.id;
    }

    test('a user can be a member of several accounts, once in each', async () => {
      const [one, two] = [await makeAccount(), await makeAccount()];
      const user = newUserName();
      for (const account of [one, two, one]) await stores.members.addMember(account, user);
      expect([...(await stores.members.accountsOf(user))].sort()).toEqual([one, two].sort());
      expect(await stores.members.accountsOf('user-nobody')).toEqual([]);
      expect([await stores.members.membersOf(one), await stores.members.membersOf('acc_nobody')]).toEqual([[user], []]);
    });

    test('ending one membership leaves the others', async () => {
      const { members } = stores;
      const [one, two] = [await makeAccount(), await makeAccount()];
      const [ann, bob] = [newUserName('ann'), newUserName('bob')];
      for (const account of [one, two]) for (const user of [ann, bob]) await members.addMember(account, user);
      expect(await members.removeMember(one, ann, { keepLast: true })).toBe('removed');
      expect(await members.removeMember(one, ann, { keepLast: true })).toBe('not_a_member');
      expect(await members.removeMember(one, bob, { keepLast: true })).toBe('last_member');
      expect([await members.membersOf(one), await members.accountsOf(ann), [...(await members.accountsOf(bob))].sort()]).toEqual([
        [bob],
        [two],
        [one, two].sort(),
      ]);
      expect(await members.removeMember(one, bob, { keepLast: false })).toBe('removed');
      expect([await members.membersOf(one), [...(await members.membersOf(two))].sort()]).toEqual([[], [ann, bob].sort()]);
    });

    test('if members remove each other concurrently, one remains', async () => {
      const accountId = await makeAccount();
      const users = Array.from({ length: 4 }, () => newUserName());
      for (const user of users) await stores.members.addMember(accountId, user);
      const results = await Promise.all(users.map((user) => stores.members.removeMember(accountId, user, { keepLast: true })));
      expect(results.toSorted()).toEqual(['last_member', 'removed', 'removed', 'removed']);
      expect(await stores.members.membersOf(accountId)).toHaveLength(1);
    });
  });
}
