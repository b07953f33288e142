// Ending bans before their time: by hand, and with an upgrade. Processes that repeat a refusal from memory notice within a minute.

import { type Ban, isLiftable } from '../limits/ban.ts';
import type { Limits, PlanName } from './plans.ts';
import type { AccountStore } from './ports.ts';

export type UnbanResult =
  | { readonly ok: true /** The ban that was lifted. */; readonly ban: Ban }
  | { readonly ok: false; readonly reason: 'key_not_found' | 'not_banned' };

/**
 * Lifts a key's ban. The next one is still longer: its level stays.
 *
 * @param now milliseconds since 1970
 */
export async function unbanKey(accounts: AccountStore, keyId: string, now: number): Promise<UnbanResult> {
  const key = await accounts.getKey(keyId);
  if (key === undefined || key.expiresAt <= now) return { ok: false, reason: 'key_not_found' };
  const { ban } = key;
  if (!isLiftable(ban, now) || !(await accounts.liftBan(keyId, now))) return { ok: false, reason: 'not_banned' };
  return { ok: true, ban };
}

/**
 * Changes the plan of an account. An upgrade lifts the bans of its keys: a customer who has just paid for a larger plan should not have to wait.
 *
 * @param now milliseconds since 1970
 * @returns the ids of the keys whose bans were lifted; undefined if there is no such account
 */
export async function changePlan(
  accounts: AccountStore,
  accountId: string,
  { plan, limits }: { readonly plan: PlanName; readonly limits: Limits },
  now: number,
): Promise<readonly string[] | undefined> {
  const before = await accounts.getAccount(accountId);
  if (before === undefined || !(await accounts.setPlan(accountId, plan, limits))) return undefined;
  if (limits.perMinute <= before.limits.perMinute && limits.perDay <= before.limits.perDay) return [];
  const banned = (await accounts.listKeys(accountId)).filter(({ ban }) => isLiftable(ban, now));
  const lifted = await Promise.all(banned.map(({ id }) => accounts.liftBan(id, now)));
  return banned.filter((_, index) => lifted[index]).map(({ id }) => id);
}
