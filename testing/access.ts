// Accounts with a key, for suites that test accounts and their usage.

import { expect } from 'expect';
import type { Limits } from '../core/access/plans.ts';
import type { Stores } from '../core/stores.ts';
import { NOON, sampleAccount, sampleKey } from './samples.ts';

export type AccessStores = Pick<Stores, 'accounts' | 'usage'>;

/** An account with these limits and one key, and functions that send requests with it. */
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

/** A sample key as stored, without the key's text. */
export function withoutText({ text: _, ...record }: ReturnType<typeof sampleKey>) {
  return record;
}
