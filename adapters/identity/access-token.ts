// Verifies access tokens as API Gateway's JWT authorizer does on AWS: signature, issuer, audience and time (RFC 9068).

import { createLocalJWKSet, type JWK, type JWTPayload, jwtVerify } from 'jose';

export interface AccessTokenOptions {
  readonly issuer: string;
  readonly audience: string;
  /** The issuer's key; its private part is not used. */
  readonly key: JWK;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates a function that returns the claims of the token in an Authorization header, or undefined if it is missing or invalid. */
export function createAccessTokenCheck({
  issuer,
  audience,
  key,
  clock,
}: AccessTokenOptions): (header: string | undefined) => Promise<JWTPayload | undefined> {
  const { d: _, ...publicKey } = key;
  const keys = createLocalJWKSet({ keys: [publicKey as JWK] });
  return async (header) => {
    const token = /^Bearer (\S+)$/i.exec(header ?? '')?.[1];
    if (token === undefined) return undefined;
    try {
      const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms: ['ES256'], typ: 'at+jwt', currentDate: new Date(clock()) });
      return payload;
    } catch {
      // The sender does not need to know the reason.
      return undefined;
    }
  };
}
