// What accounts, keys and members need of storage.

import type { Account, KeyRecord } from './account.ts';
import type { Limits, PlanName } from './plans.ts';

export interface AccountStore {
  /** Stores the account, unless its id is taken: then false. */
  createAccount(account: Account): Promise<boolean>;
  /** All accounts, oldest first. */
  listAccounts(): Promise<readonly Account[]>;
  getAccount(id: string): Promise<Account | undefined>;
  /** Takes effect on the next request that reaches storage; bans stay. False if there is no such account. */
  setPlan(id: string, plan: PlanName, limits: Limits): Promise<boolean>;
  /**
   * Adds a key to its account, with its ban if it has one; admitted from the moment this resolves. Keys that have expired don't count towards
   * `maxKeys`, and of keys that are added at once a few may pass it: it bounds what is stored.
   */
  addKey(key: KeyRecord, maxKeys: number, now: number): Promise<'added' | 'account_not_found' | 'too_many_keys'>;
  /** The keys that are not revoked, oldest first; expired ones for as long as they are stored. */
  listKeys(accountId: string): Promise<readonly KeyRecord[]>;
  getKey(keyId: string): Promise<KeyRecord | undefined>;
  /**
   * Moves a key's end: no request is admitted from then on. False if there is no such key.
   *
   * @param successor id of the key that replaces it. @default as it is
   */
  expireKey(keyId: string, expiresAt: number, successor?: string): Promise<boolean>;
  /** Ends a key's ban, if it would last beyond `now`: core/limits/ban.ts, isLiftable. Its level stays, for the length of the next. False if there is none. */
  liftBan(keyId: string, now: number): Promise<boolean>;
  /** Removes a key: refused from the moment this resolves. False if there is no such key. */
  revokeKey(keyId: string): Promise<boolean>;
}

/** Who may act for which account. */
export interface MemberStore {
  /** Ids of the accounts that a user is a member of, in any order. */
  accountsOf(userId: string): Promise<readonly string[]>;
  /** Ids of the users who are members of an account, in any order. */
  membersOf(accountId: string): Promise<readonly string[]>;
  /** Safe to repeat. The account must exist: where storage can't tell, nothing checks. */
  addMember(accountId: string, userId: string): Promise<void>;
  /** Ends a membership. With `keepLast` one member stays, however many are removed at once. */
  removeMember(accountId: string, userId: string, options: { readonly keepLast: boolean }): Promise<'removed' | 'not_a_member' | 'last_member'>;
}
