// Accounts with a key, as the suites of accounts and of their use need them.

import { expect } from 'vitest';
import type { Limits } from '../../core/access/plans.ts';
import type { Stores } from '../../core/stores.ts';
import { NOON, sampleAccount, sampleKey } from './samples.ts';

export type AccessStores = Pick<Stores, 'accounts' | 'usage'>;

/** An account of these limits with one key, and what becomes of a request with it. */
export async function makeAccount(stores: AccessStores, limits: Limits = { perMinute: 3, perDay: 5 }) {
  const account = sampleAccount(limits);
  expect(await stores.accounts.createAccount(account)).toBe(true);
  const key = sampleKey(account.id);
  expect(await stores.accounts.addKey(withoutText(key), 10, NOON)).toBe('added');
  return {
    account,
    key,
    kind: async (now = NOON, digest = key.digest) => (await stores.usage.admit({ accountId: account.id, digest }, now)).kind,
  };
}

export function withoutText({ text: _, ...record }: ReturnType<typeof sampleKey>) {
  return record;
}
