// The key of a request as the peers read it.

import { hash } from 'node:crypto';

/** The digest of a bearer key, and the account that it names; nothing of its checksum. */
export function keyOf(authorization: string | undefined): { digest: string; accountId: string } | undefined {
  if (authorization === undefined || !authorization.startsWith('Bearer ')) return undefined;
  const key = authorization.slice(7);
  return { digest: hash('sha256', key, 'base64url'), accountId: `acc_${key.slice(14, 24)}` };
}
