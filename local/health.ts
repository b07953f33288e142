// Whether storage answers, for the health check. A load balancer stops sending requests to a host that can't reach its database.

import type { AccountStore } from '../core/access/ports.ts';

/** Reads one account that no one has: cheap, and it needs everything that a request needs. Rejects if storage fails. */
export async function accountsAnswer(accounts: AccountStore): Promise<boolean> {
  await accounts.getAccount('acc_');
  return true;
}

/** Whether the data folder answers, and the adapter that accounts are kept in, if there is one. Rejects if the adapter fails. */
export async function storesAnswer(folder: { readonly accounts: AccountStore; isResponding(): boolean }): Promise<boolean> {
  return folder.isResponding() && accountsAnswer(folder.accounts);
}
