// Sessions of a stage's users, which Cognito keeps. It lists them only with device tracking or threat protection, so all that can be done is to end all.

import { AdminUserGlobalSignOutCommand, type CognitoIdentityProviderClient, UserNotFoundException } from '@aws-sdk/client-cognito-identity-provider';
import type { SessionEnder } from '../../core/identity/ports.ts';

/**
 * Creates the port. Refresh tokens are revoked; access tokens pass API Gateway's authorizer until they expire (Cognito Developer Guide, "Ending user
 * sessions with token revocation").
 */
export function createCognitoSessions(client: CognitoIdentityProviderClient, userPoolId: string): SessionEnder {
  return {
    endSessions: async (userId) => {
      try {
        await client.send(new AdminUserGlobalSignOutCommand({ UserPoolId: userPoolId, Username: userId }));
      } catch (error) {
        // Who no longer exists has no sessions.
        if (!(error instanceof UserNotFoundException)) throw error;
      }
    },
  };
}
