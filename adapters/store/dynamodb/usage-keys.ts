// The keys of the usage table, and the attributes of an account's API keys in it.

import type { Item } from './items.ts';

/** Returns a key's attribute. */
export const keyAttribute = (digest: string) => `k:${digest}`;
/** The start of a digest that names a key's other attributes: 36 bits are enough to tell ten keys apart. */
export const shortened = (digest: string) => digest.slice(0, 6);
/** Returns the key of an account's item. */
export const usageKey = (accountId: string): Item => ({ accountId: { S: accountId } });
/** Returns the key of an account's refusals item. */
export const refusalsKey = (accountId: string): Item => ({ accountId: { S: `${accountId}#refusals` } });
/** Returns the digests of all keys in the item, including expired ones. */
export function digestsOf(item: Item): readonly string[] {
  return Object.keys(item).flatMap((name) => (name.startsWith('k:') ? [name.slice(2)] : []));
}
