// Storage ports for signing in.

import type { Share } from '../bulkhead.ts';
import type { User } from './user.ts';

/** Ends users' sessions, wherever they sign in. */
export interface SessionEnder {
  /** Ends all of the user's sessions: none can be renewed once this resolves. Resolves for a user who does not exist. Idempotent. */
  endSessions(userId: string): Promise<void>;
}

/** Every method rejects or throws StoreFault (core/store-fault.ts) if storage fails. Email addresses are case-insensitive. */
export interface UserStore extends SessionEnder {
  /**
   * Stores a user. Returns false if the address is taken; exactly one of any concurrent calls gets it. `add` and `setPassword` reject if too many
   * passwords are being checked.
   */
  add(user: User, password: string): Promise<boolean>;
  /** Returns a user by id. */
  get(id: string): User | undefined;
  /** Returns a user by email address, ignoring case. */
  byEmail(email: string): User | undefined;
  /** All users, sorted by address. */
  list(): readonly User[];
  /**
   * Returns the user if the password is right. Takes equally long for an unknown address. Returns 'busy' if too many checks are already waiting;
   * nothing was checked then.
   *
   * @param shares the shares that the check counts towards
   */
  check(email: string, password: string, shares?: readonly Share[]): Promise<User | 'busy' | undefined>;
  /** Sets a password and ends all sessions. Does nothing if there is no such user. */
  setPassword(id: string, password: string): Promise<void>;
  /** How many times the user's sessions were ended; sessions and tokens carry this number. Undefined if there is no such user. */
  sessionGeneration(id: string): string | undefined;
  /** Removes a user, together with their sessions, memberships and settings. Idempotent. */
  remove(id: string): Promise<void>;
}
