// The first start makes an account with a key and a user, so that a newcomer's first curl and first sign-in work.

import { newAccountId } from '../core/access/account.ts';
import { type RandomBytes, randomBase62 } from '../core/access/base62.ts';
import { issueKey } from '../core/access/issue-key.ts';
import { PLAN_LIMITS } from '../core/access/plans.ts';
import type { AccountStore, MemberStore } from '../core/access/ports.ts';
import { SCOPES } from '../core/access/scopes.ts';
import type { UserStore } from '../core/identity/ports.ts';
import { newUserId } from '../core/identity/user.ts';

const EMAIL = 'demo@petstore.test';
const PASSWORD_LENGTH = 20;

export interface Demo {
  /** All three can be read only now. */
  readonly key: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Makes the demo account and its user if there is no account at all.
 *
 * @param now milliseconds since 1970
 * @returns undefined if there are accounts already
 */
export async function makeDemoAccount(
  { accounts, members, users }: { readonly accounts: AccountStore; readonly members: MemberStore; readonly users: UserStore },
  randomBytes: RandomBytes,
  now: number,
): Promise<Demo | undefined> {
  if ((await accounts.listAccounts()).length > 0) return undefined;
  const id = newAccountId(randomBytes);
  await accounts.createAccount({ id, name: 'Demo', plan: 'pro', limits: PLAN_LIMITS.pro, createdAt: now });
  const issued = await issueKey(accounts, randomBytes, { mode: 'test', accountId: id, name: 'Demo', scopes: SCOPES, expiresAt: undefined, now });
  const user = { id: newUserId(randomBytes), email: EMAIL };
  const password = randomBase62(PASSWORD_LENGTH, randomBytes);
  await users.add(user, password);
  await members.addMember(id, user.id);
  return issued.ok ? { key: issued.key, email: EMAIL, password } : undefined;
}
