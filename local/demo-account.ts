// The first start makes an account with a key, so that a newcomer's first curl works.

import { newAccountId } from '../core/access/account.ts';
import type { RandomBytes } from '../core/access/base62.ts';
import { issueKey } from '../core/access/issue-key.ts';
import { PLAN_LIMITS } from '../core/access/plans.ts';
import { SCOPES } from '../core/access/scopes.ts';
import type { AccountStore } from '../core/ports.ts';

/**
 * Makes the demo account if there is no account at all.
 *
 * @param now milliseconds since 1970
 * @returns its key, the only time that it can be read; undefined if there are accounts already
 */
export async function makeDemoAccount(accounts: AccountStore, randomBytes: RandomBytes, now: number): Promise<string | undefined> {
  if ((await accounts.listAccounts()).length > 0) return undefined;
  const id = newAccountId(randomBytes);
  await accounts.createAccount({ id, name: 'Demo', plan: 'pro', limits: PLAN_LIMITS.pro, createdAt: now });
  const issued = await issueKey(accounts, randomBytes, { mode: 'test', accountId: id, name: 'Demo', scopes: SCOPES, expiresAt: undefined, now });
  return issued.ok ? issued.key : undefined;
}
