// The first start creates an account with a key and a user, so that a newcomer's first curl and first sign-in work.

import type { UserStore } from '../identity/ports.ts';
import { newUserId } from '../identity/user.ts';
import { OPERATOR } from './account.ts';
import { type AccountPorts, createAccount } from './accounts.ts';
import { type RandomBytes, randomBase62 } from './base62.ts';
import { issueKey } from './keys.ts';
import { SCOPES } from './permissions.ts';

const EMAIL = 'demo@petstore.test';
const PASSWORD_LENGTH = 20;

export interface Demo {
  /** All three values are shown only once. */
  readonly key: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Creates the demo account and its user if there are no accounts yet.
 *
 * @param now milliseconds since 1970
 * @returns undefined if an account exists already
 */
export async function createDemoAccount(
  { users, ...ports }: AccountPorts & { readonly users: UserStore },
  randomBytes: RandomBytes,
  now: number,
): Promise<Demo | undefined> {
  const { accounts } = ports;
  if ((await accounts.listAccounts()).length > 0) return undefined;
  const user = { id: newUserId(randomBytes), email: EMAIL };
  const password = randomBase62(PASSWORD_LENGTH, randomBytes);
  await users.add(user, password);
  const made = await createAccount(ports, { name: 'Demo', plan: 'pro', owner: user.id }, randomBytes, now);
  if (!made.ok) return undefined;
  const request = { mode: 'test', accountId: made.account.id, name: 'Demo', scopes: SCOPES, by: OPERATOR, expiresAt: undefined, now } as const;
  const issued = await issueKey(accounts, randomBytes, request);
  return issued.ok ? { key: issued.key, email: EMAIL, password } : undefined;
}
