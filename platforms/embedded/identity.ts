// Sign-in on one machine: the OpenID provider over the data folder's users, and the check of the tokens that it gives out.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAccessTokenCheck } from '../../adapters/identity/access-token.ts';
import { AUDIENCE, CLIENT_ID, createIdentityProvider, isSignedIn, OIDC_PREFIX } from '../../adapters/identity/provider.ts';
import { openProviderKeys } from '../../adapters/identity/provider-keys.ts';
import type { DataFolder } from './folder.ts';

type Claims = NonNullable<Awaited<ReturnType<ReturnType<typeof createAccessTokenCheck>>>>;

export interface EmbeddedIdentity {
  /** The path that all of the provider is below, without a slash at the end. */
  readonly prefix: string;
  /** @param address of the client */
  serve(request: IncomingMessage, response: ServerResponse, address: string): void;
  /** The claims of an Authorization header's access token; undefined if it is none of ours, or its session has ended. */
  claimsOf(authorization: string | undefined): Promise<Claims | undefined>;
  /** What the dashboard must know to sign in here. */
  readonly client: { readonly authority: string; readonly clientId: string; readonly scope: string };
}

export async function openIdentity(
  { users, database, settings: { dataFolder } }: DataFolder,
  { origin, clock, onFault }: { readonly origin: string; readonly clock: () => number; readonly onFault: (error: unknown) => void },
): Promise<EmbeddedIdentity> {
  const keys = await openProviderKeys(dataFolder);
  const provider = createIdentityProvider({ origin, keys, users, database, clock, onFault });
  const { issuer } = provider;
  const check = createAccessTokenCheck({ issuer, audience: AUDIENCE, key: keys.signing, clock });
  return {
    prefix: OIDC_PREFIX,
    serve: provider.serve,
    claimsOf: async (authorization) => {
      const claims = await check(authorization);
      return claims !== undefined && isSignedIn(users, claims) ? claims : undefined;
    },
    client: { authority: issuer, clientId: CLIENT_ID, scope: 'openid email' },
  };
}
