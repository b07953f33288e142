// Storage ports for signing in.

import type { Share } from '../bulkhead.ts';
import type { Awaitable } from '../ports.ts';
import type { User } from './user.ts';

/** Ends users' sessions, wherever they sign in. */
export interface SessionEnder {
  /** Ends all of the user's sessions; none can be renewed once this resolves. Resolves for a user who does not exist. Idempotent. */
  endSessions(userId: string): Promise<void>;
}

/** A user's sign-in: in a browser, or for the command line, which also uses a browser. Times are in milliseconds since 1970. */
export interface Session {
  /** Not a secret. */
  readonly id: string;
  readonly client: 'dashboard' | 'command_line';
  /** The browser and its system in words; undefined for sessions that began before this was stored. */
  readonly agent: string | undefined;
  readonly begunAt: number;
  /** When its tokens were last renewed: accurate to the lifetime of an access token. */
  readonly usedAt: number;
}

/** A sign-in, or attempts at one; `at` is in milliseconds since 1970. */
export interface SignInRecord {
  readonly at: number;
  /** `refused`: there had been too many attempts. `reset_requested`: a password reset link was requested. */
  readonly outcome: 'succeeded' | 'failed' | 'refused' | 'reset_requested';
  /** The factor that was used last; undefined if a link was requested. */
  readonly method: 'password' | 'code' | 'passkey' | undefined;
  /** The browser in words. */
  readonly agent: string;
  /** IP address; undefined if there were several. */
  readonly address: string | undefined;
  /** Number of such attempts. */
  readonly count: number;
}

/** Users' sessions, if a single session can be distinguished from the user's others. Every method rejects only with StoreFault. */
export interface SessionStore {
  /** Returns a user's sessions that can still be renewed, most recently used first. */
  listSessions(userId: string): Promise<readonly Session[]>;
  /**
   * Returns a user's sign-ins, and attempts to sign in with their name, as in the audit log, newest first.
   *
   * @param limit at least 1
   * @param accountId only those since the user was last added to this account; all if the audit log no longer has the entry for that. @default all
   */
  listSignIns(userId: string, limit: number, accountId?: string): Promise<readonly SignInRecord[]>;
  /**
   * Ends one of the user's sessions and, if it is a browser session, the command-line sessions begun in it. None of their tokens is accepted once
   * this resolves. Returns false if the user has no such session.
   */
  endSession(userId: string, sessionId: string): Promise<boolean>;
  /** Ends all of the user's sessions but this one. The browser in which it was started stays signed in. */
  endOtherSessions(userId: string, sessionId: string): Promise<void>;
  /** Whether a session was ended by its user or by the provider. @default only the external provider knows */
  isEnded?(sessionId: string): Awaitable<boolean>;
  /** Ends a session whose grant (given by its id, not a digest) the provider revokes: after a sign-out, or if a token was revoked or used twice. */
  endGrant?(grantId: string): Promise<void>;
}

/** The sessions that the embedded provider begins and ends. */
export type ProviderSessions = Required<SessionStore>;

/** Something that the embedded OpenID provider stores for a signed-in user: one of its library's models, such as a session, a grant or a token. */
export interface ProviderRecord {
  readonly model: string;
  /** A digest, because the id itself is enough to act as the user. */
  readonly id: string;
  readonly grantId: string | undefined;
  readonly uid: string | undefined;
  readonly userId: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  /** JSON, in which `consumed` says when a token or code was used. */
  readonly payload: string;
  /** For a grant, the browser in words; only the first value is stored. */
  readonly agent: string | undefined;
}

/** Every method rejects or throws StoreFault. */
export interface ProviderStore {
  /**
   * Stores or replaces a record, and removes some that have expired.
   *
   * @param now milliseconds since 1970
   * @param limits `kept`: how many of the user's other unused records of this model to keep, newest first. @default no limit. `renewed`: the id
   *   of a grant in use now. @default none
   */
  put(record: ProviderRecord, now: number, limits: { readonly kept?: number | undefined; readonly renewed?: string | undefined }): Promise<void>;
  /** Returns a record, even one that has expired; undefined if there is none. */
  find(model: string, id: string): Awaitable<Pick<ProviderRecord, 'payload' | 'expiresAt'> | undefined>;
  /** Like `find`, by the record's uid. */
  findByUid(model: string, uid: string): Awaitable<Pick<ProviderRecord, 'payload' | 'expiresAt'> | undefined>;
  /**
   * Replaces the payload of a record that has not been used. Returns false if it has been used, or is gone; of concurrent calls, one succeeds.
   *
   * @param kept how many of the user's other used records of this model to keep, newest first
   */
  consume(record: Pick<ProviderRecord, 'model' | 'id' | 'userId' | 'payload'>, kept: number): Promise<boolean>;
  /** Removes a record. Idempotent. */
  remove(model: string, id: string): Promise<void>;
}

/** Every method rejects or throws StoreFault if storage fails. Email addresses are case-insensitive. */
export interface UserStore extends SessionEnder {
  /** Stores a user; returns false if the address is taken, even by a concurrent call. Rejects if too many passwords are being checked. */
  add(user: User, password: string): Promise<boolean>;
  /** Returns a user by id. */
  get(id: string): Awaitable<User | undefined>;
  /** Returns a user by email address, ignoring case. */
  byEmail(email: string): Awaitable<User | undefined>;
  /** Returns all users, sorted by address. */
  list(): Awaitable<readonly User[]>;
  /**
   * Returns the user if the password is right. Takes just as long for an unknown address. Returns 'busy', without checking anything, if too many
   * checks are already waiting.
   *
   * @param shares those that the check counts against
   */
  check(email: string, password: string, shares?: readonly Share[]): Promise<User | 'busy' | undefined>;
  /** Sets a password, and ends all of the user's sessions and password links. Does nothing if there is no such user. Rejects as `add` does. */
  setPassword(id: string, password: string): Promise<void>;
  /** Stores the digest of a link that sets a password. Returns false if the user already has three links. Times are in milliseconds since 1970. */
  addReset(id: string, digest: string, now: number, expiresAt: number): Promise<boolean>;
  /** Sets the password of a link's user; rejects as `setPassword` does. Returns false if the link is not valid; of concurrent calls, one succeeds. */
  resetPassword(digest: string, password: string, now: number): Promise<boolean>;
  /** Returns the user of the password link with this digest. @param now milliseconds since 1970 */
  userOfReset(digest: string, now: number): Awaitable<User | undefined>;
  /** Returns how many times the user's sessions were ended; sessions and tokens carry this number. Undefined if there is no such user. */
  sessionGeneration(id: string): Awaitable<string | undefined>;
  /** Removes a user, together with their sessions, memberships and settings. Idempotent. */
  remove(id: string): Promise<void>;
}
