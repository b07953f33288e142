// How the peers read the key from a request.

import { hash } from 'node:crypto';

/** Returns the digest of a bearer key and its account, without verifying the checksum. */
export function keyOf(authorization: string | undefined): { digest: string; accountId: string } | undefined {
  if (authorization === undefined || !authorization.startsWith('Bearer ')) return undefined;
  const key = authorization.slice(7);
  return { digest: hash('sha256', key, 'base64url'), accountId: `acc_${key.slice(14, 24)}` };
}
