// Addresses of the embedded service's users. Only the operator enters them (`petstore users create`), so they count as verified.

import type { UserStore } from '../../core/identity/ports.ts';
import type { AddressBook } from '../../core/notifications/ports.ts';

/** Creates the address book. */
export function createUserAddresses(users: Pick<UserStore, 'get'>): AddressBook {
  return { addressOf: async (userId) => users.get(userId)?.email };
}
