// What sign-in needs of storage.

import type { Share } from '../bulkhead.ts';
import type { User } from './user.ts';

/** Every method rejects, or throws, with StoreFault (core/store-fault.ts) if storage fails. Addresses are the same in any case of their letters. */
export interface UserStore {
  /** False if the address is taken: of any number at the same time one gets it. `add` and `setPassword` reject if too many passwords are being checked. */
  add(user: User, password: string): Promise<boolean>;
  get(id: string): User | undefined;
  byEmail(email: string): User | undefined;
  /** By address. */
  list(): readonly User[];
  /**
   * The user, if the password is right. Takes as long for an address that nobody has. 'busy': too many wait already, nothing was checked.
   *
   * @param shares that the check counts for
   */
  check(email: string, password: string, shares?: readonly Share[]): Promise<User | 'busy' | undefined>;
  /** Ends all sessions too. Nothing happens if there is no such user. */
  setPassword(id: string, password: string): Promise<void>;
  /** Ends all sessions of the user: nothing that was signed in before opens anything from now on. */
  endSessions(id: string): Promise<void>;
  /** How often sessions were ended, which is what sessions and tokens carry; undefined: there is no such user. */
  sessionGeneration(id: string): string | undefined;
  /** With sessions and memberships. Safe to repeat. */
  remove(id: string): Promise<void>;
}
