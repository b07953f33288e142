// The users of a stage, as the control API's function reaches them. The function does not know its user pool from its settings: the pool's invitations
// name the dashboard, which is in front of the function. But API Gateway admits only tokens of that pool, and they name it.

import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { createCognitoAddresses, createCognitoSessions } from '../../adapters/identity/cognito.ts';

/** A signed-in user. */
interface SignedIn {
  readonly id: string;
  /** Of the token that API Gateway has checked. */
  readonly issuer?: string;
}

/** Ids of user pools (Cognito API reference, UserPoolIdType). */
const POOL_OF_ISSUER = /\/([\w-]+_[0-9a-zA-Z]+)$/;

/** Creates the access to users. */
export function createStageUsers() {
  const client = new CognitoIdentityProviderClient({});
  return {
    // In Cognito only: not every list of members may cause a call for each.
    emailOf: () => undefined,
    userOf: () => undefined,
    /** A user's verified address, in the caller's pool. */
    addressOf: (caller: SignedIn, userId: string) => createCognitoAddresses(client, poolOf(caller)).addressOf(userId),
    /** Ends all of the caller's sessions. */
    endSessions: (caller: SignedIn) => createCognitoSessions(client, poolOf(caller)).endSessions(caller.id),
  };
}

function poolOf({ issuer = '' }: SignedIn): string {
  const [, pool] = POOL_OF_ISSUER.exec(issuer) ?? [];
  if (pool === undefined) throw new Error(`the token's issuer is no user pool: ${JSON.stringify(issuer)}`);
  return pool;
}
