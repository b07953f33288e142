// All stores.

import type { AccountStore } from './access/ports.ts';
import type { LeaseStore, UsageStore } from './limits/ports.ts';
import type { PetStore } from './pets/ports.ts';

/** Everything that the service stores. */
export interface Stores {
  /** For stores with several concurrent writers; absent if a single process has exclusive use of the store. */
  readonly leases?: LeaseStore;
  readonly pets: PetStore;
  readonly accounts: AccountStore;
  readonly usage: UsageStore;
}
