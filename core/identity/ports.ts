// What sign-in needs of storage.

import type { Share } from '../bulkhead.ts';
import type { User } from './user.ts';

export interface UserStore {
  /** False if the address is taken. */
  add(user: User, password: string): Promise<boolean>;
  get(id: string): User | undefined;
  byEmail(email: string): User | undefined;
  list(): readonly User[];
  /**
   * The user, if the password is right. Takes as long for an address that nobody has. 'busy': too many wait already, nothing was checked.
   *
   * @param shares that the check counts for
   */
  check(email: string, password: string, shares?: readonly Share[]): Promise<User | 'busy' | undefined>;
  /** Ends all sessions too. */
  setPassword(id: string, password: string): Promise<void>;
  /** Ends all sessions of the user: nothing that was signed in before opens anything from now on. */
  endSessions(id: string): Promise<void>;
  /** How often sessions were ended, which is what sessions and tokens carry; undefined: there is no such user. */
  sessionGeneration(id: string): string | undefined;
  /** With sessions and memberships. Safe to repeat. */
  remove(id: string): Promise<void>;
}
