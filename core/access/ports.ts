// Storage ports for accounts, keys and members.

import type { Notification } from '../notifications/notification.ts';
import type { Account, KeyRecord, PlanRequest, Revocation, RevokedKey, Suspension } from './account.ts';
import type { DeployToken } from './deploy-token.ts';
import type { Invitation } from './invitation.ts';
import type { Limits, PlanName, Role } from './plans.ts';

/** Times are in milliseconds since 1970. A notification passed to a method is added to the outbox in the same step, if the change is made. */
export interface AccountStore {
  /** Stores an account. Returns false if its id is taken. */
  createAccount(account: Account): Promise<boolean>;
  /** Returns all accounts, oldest first. */
  listAccounts(): Promise<readonly Account[]>;
  /** Returns an account; undefined if there is none. */
  getAccount(id: string): Promise<Account | undefined>;
  /** Changes an account's display name. Returns false if there is no such account. */
  rename(id: string, name: string): Promise<boolean>;
  /** Changes an account's plan and limits, as of the next request that reaches storage; bans stay. Returns false if there is no such account. */
  setPlan(id: string, plan: PlanName, limits: Limits): Promise<boolean>;
  /** Sets or removes an account's request for a plan. Returns false if there is no such account. */
  setPlanRequest(id: string, request: PlanRequest | undefined, notification?: Notification): Promise<boolean>;
  /**
   * Suspends an account, or ends its suspension (undefined). From the next request that reaches storage, its keys are refused or admitted again.
   * Keys, counters and bans stay. Returns false if there is no such account.
   */
  setSuspension(id: string, suspension: Suspension | undefined, notification?: Notification): Promise<boolean>;
  /** Sets whether the account's members need a second factor. Keys stay as they are. Returns false if there is no such account. */
  setSecondFactor(id: string, isRequired: boolean): Promise<boolean>;
  /**
   * Deletes an account with its keys, the records of revoked keys, and its usage. Its keys are refused once this resolves. Records with an expiry may
   * stay until they expire. Returns false if there is no such account; of concurrent calls, one succeeds.
   */
  deleteAccount(id: string, now: number): Promise<boolean>;
  /**
   * Adds a key to its account, with its ban if there is one; the key is admitted once this resolves. Expired keys don't count towards `maxKeys`. Keys
   * added concurrently may exceed the limit by a few, which is fine, because the limit only bounds storage.
   */
  addKey(key: KeyRecord, maxKeys: number, now: number): Promise<'added' | 'account_not_found' | 'too_many_keys'>;
  /** Returns the keys that are not revoked, oldest first. Expired keys are included while they are stored. */
  listKeys(accountId: string): Promise<readonly KeyRecord[]>;
  /** Returns a key's record; undefined if it does not exist or is revoked. */
  getKey(keyId: string): Promise<KeyRecord | undefined>;
  /** Changes a key's expiry, and its successor if one is given. Concurrent changes to the key are kept. Returns false if there is no such key. */
  expireKey(keyId: string, expiresAt: number, successor?: string): Promise<boolean>;
  /**
   * Changes a key's name, scopes or expiry, or pauses or resumes it (`pausedAt`): stores the fields of `next` that differ. They apply from the next
   * request that reaches storage. Returns false, and changes nothing, if a field or the successor has changed since `read`, or if the key is gone.
   */
  changeKey(next: KeyRecord, read: KeyRecord): Promise<boolean>;
  /** Ends a key's ban if it would last beyond `now` (`isLiftable`); its level stays. Returns false if there is no such ban. */
  liftBan(keyId: string, now: number): Promise<boolean>;
  /**
   * Removes a key: it is refused once this resolves. In the same step, its record moves to the revoked keys, where it stays for REVOKED_KEPT_MS or
   * longer. Returns false if there is no such key; of concurrent calls, one succeeds.
   */
  revokeKey(keyId: string, revocation: Revocation): Promise<boolean>;
  /** Returns the account's keys that were revoked after `since`: newest first, at most MAX_REVOKED_LISTED. */
  listRevokedKeys(accountId: string, since: number): Promise<readonly RevokedKey[]>;
}

export interface Member {
  readonly userId: string;
  readonly role: Role;
}

export interface Membership {
  readonly accountId: string;
  readonly role: Role;
}

/** Which users may act on behalf of which accounts. Notifications are treated as in AccountStore. */
export interface MemberStore {
  /** Returns the accounts that a user is a member of, in any order. */
  membershipsOf(userId: string): Promise<readonly Membership[]>;
  /** Returns an account's members, in any order. */
  membersOf(accountId: string): Promise<readonly Member[]>;
  /** Adds a member; does nothing for an existing one. The caller ensures that the account exists, because not every store can check this. */
  addMember(accountId: string, userId: string, role: Role, notification?: Notification): Promise<void>;
  /** Changes a member's role. One owner always remains, even if several step down concurrently. */
  setRole(accountId: string, userId: string, role: Role): Promise<'set' | 'not_a_member' | 'last_owner'>;
  /** Removes a member. With `keepOwner`, one owner always remains, even if several are removed concurrently. */
  removeMember(
    accountId: string,
    userId: string,
    options: { readonly keepOwner: boolean },
    notification?: Notification,
  ): Promise<'removed' | 'not_a_member' | 'last_owner'>;
}

/** Tokens with which a pipeline deploys a project. */
export interface DeployTokenStore {
  /** Adds a token; it is accepted once this resolves. */
  addToken(token: DeployToken): Promise<void>;
  /** Returns a project's tokens, oldest first, including expired ones. */
  listTokens(projectId: string): Promise<readonly DeployToken[]>;
  /** Returns a token; undefined if there is none. */
  getToken(tokenId: string): Promise<DeployToken | undefined>;
  /** Records when a token was used, in milliseconds since 1970; does nothing if there is no such token. */
  useToken(tokenId: string, at: number): Promise<void>;
  /** Removes a token: it is refused once this resolves. Returns false if there is no such token. */
  removeToken(tokenId: string): Promise<boolean>;
}

/** Invitations to accounts. Expired ones may be stored, and listed, until they are removed. Notifications are treated as in AccountStore. */
export interface InvitationStore {
  /**
   * Stores an invitation, replacing any other to the same address. Those to other addresses count towards `open`, unless they have expired when this
   * one is created; concurrent calls may exceed `open` by a few. All invitations of the UTC day, whatever became of them, count towards `perDay` of
   * each sender (`sendersOf`); this count is exact. Refused invitations count towards neither.
   */
  addInvitation(
    invitation: Invitation,
    limits: { readonly open: number; readonly perDay: number },
    notification?: Notification,
  ): Promise<'added' | 'too_many_open' | 'too_many_today'>;
  /** Returns an account's invitations, oldest first. */
  listInvitations(accountId: string): Promise<readonly Invitation[]>;
  /** Returns an invitation; undefined if there is none. */
  getInvitation(invitationId: string): Promise<Invitation | undefined>;
  /** Adds the digest of another link. Returns false if there is no such invitation. */
  addDigest(invitationId: string, digest: string): Promise<boolean>;
  /** Removes an invitation: it can't be accepted once this resolves. Returns false if there is none; of concurrent calls, one succeeds. */
  removeInvitation(invitationId: string): Promise<boolean>;
  /**
   * Makes the user a member with the invitation's role, and removes the invitation, in one step; of concurrent calls, one succeeds. An existing
   * member keeps their role and is not announced, but the invitation is removed. `gone`: there is no such invitation, and nothing was changed.
   */
  acceptInvitation(
    invitation: Pick<Invitation, 'id' | 'accountId' | 'email' | 'role'>,
    userId: string,
    notification: Notification,
  ): Promise<'accepted' | 'already_member' | 'gone'>;
}
